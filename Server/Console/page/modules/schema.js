// The classes of a database: which there are, their properties, and what names an object. Pure.

/**
 * @typedef {object} Property
 * @property {string} name
 * @property {string} type
 * @property {string} is in words
 * @property {"list" | "set" | "map"} [collection]
 * @property {string} [target] the class of links and of embedded objects
 * @property {boolean} [optional]
 * @property {boolean} [primaryKey]
 * @property {boolean} [indexed]
 * @property {boolean} [counter]
 * @property {boolean} [fullText]
 * @property {boolean} [text]
 */
/** @typedef {{name: string, kind: string, is: string, objects: number, properties: Property[]}} Class */

/** What names an object of a class without primary key. */
export const ROW = "$row";

export class Schema {
    /** @param {Class[]} classes */
    constructor(classes) {
        this.classes = classes;
        this.byName = new Map(classes.map((one) => [one.name, one]));
    }

    /** @param {string | undefined} name */
    class(name) {
        return name === undefined ? undefined : this.byName.get(name);
    }

    /** Classes whose objects stand for themselves. */
    get tops() {
        return this.classes.filter((one) => one.kind === "object");
    }

    /**
     * Embedded objects have no address of their own.
     *
     * @param {Property} property
     */
    isLink(property) {
        return property.target !== undefined && this.class(property.target)?.kind !== "embedded";
    }
}

/** @param {Class} one */
export const primaryKey = (one) => one.properties.find((property) => property.primaryKey);

/**
 * The primary key first.
 *
 * @param {Class} one
 * @returns {Property[]}
 */
export function ordered(one) {
    const key = primaryKey(one);
    if (!key) return [{ name: ROW, type: "int", is: "row", primaryKey: true }, ...one.properties];
    return [key, ...one.properties.filter((property) => property !== key)];
}

/**
 * The key of an object, in its JSON form.
 *
 * @param {Class} one
 * @param {Record<string, unknown>} object
 */
export const keyOf = (one, object) => object[primaryKey(one)?.name ?? ROW];

/**
 * A key as a path has it. Null where no path can name it: browsers take dots for a place in the path.
 *
 * @param {any} form
 * @returns {string | null}
 */
export function keyText(form) {
    const text = typeof form === "object" && form !== null ? form.$oid ?? form.$uuid ?? form.$numberLong : form;
    if (typeof text === "number") return String(text);
    return typeof text === "string" && !["", ".", ".."].includes(text) ? text : null;
}
