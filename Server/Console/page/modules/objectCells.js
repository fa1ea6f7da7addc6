// What stands in the table of objects: its columns, its cells, and where they lead to.

import { hashOf } from "./route.js";
import { keyOf, keyText, ordered, ROW } from "./schema.js";
import { cell } from "./valueView.js";
import { kindOf, linkedKey } from "./values.js";

/** @typedef {import("./schema.js").Schema} Schema */
/** @typedef {import("./schema.js").Class} Class */
/** @typedef {import("./schema.js").Property} Property */
/** @typedef {import("./grid.js").GridColumn & {property: Property}} ObjectColumn */

/** A class with more properties shows all of them only object by object. */
export const COLUMNS_MAX = 40;

/**
 * In rem, by type.
 *
 * @type {Record<string, number>}
 */
const WIDTHS = { bool: 5, int: 7, double: 8, float: 8, decimal128: 9, date: 11.5, objectId: 15, uuid: 21, data: 7 };
const NUMBERS = ["int", "double", "float", "decimal128"];

/** @param {Class} one @param {string} sort @returns {ObjectColumn[]} */
export function columnsOf(one, sort) {
    return ordered(one).slice(0, COLUMNS_MAX).map((property) => {
        const isPlain = !property.collection;
        const title = property.name === ROW ? 3 : property.name.length * 0.62 + 2.5;
        const width = property.collection ? 6.5 : WIDTHS[property.type] ?? 13;
        return {
            property, name: property.name === ROW ? "Row" : property.name, rem: Math.min(24, Math.max(width, title)),
            isNumber: isPlain && NUMBERS.includes(property.type),
            sort: isPlain && !property.target && property.name !== ROW ? order(property.name, sort) : null,
        };
    });
}

/** @param {string} name @param {string} sort @returns {"ascending" | "descending" | "none"} */
const order = (name, sort) => (sort === name ? "ascending" : sort === `-${name}` ? "descending" : "none");

/**
 * Ascending, descending, then as the server has them.
 *
 * @param {ObjectColumn} column
 */
export function nextOrder({ property, sort }) {
    if (sort === "ascending") return `-${property.name}`;
    return sort === "descending" ? "" : property.name;
}

/** Where an object is; null where nothing leads to it. */
export class Addresses {
    /** @param {string} database @param {Schema} schema */
    constructor(database, schema) {
        this.database = database;
        this.schema = schema;
    }

    /** @param {Class} one @param {Record<string, unknown>} object */
    ofObject(one, object) {
        return this.ofKey(one.name, keyOf(one, object));
    }

    /** @param {any} link */
    ofLink = (link) => (this.schema.class(link.$ref)?.kind === "object" ? this.ofKey(link.$ref, linkedKey(link)) : null);

    /** @param {string} className @param {any} key */
    ofKey(className, key) {
        const text = keyText(key);
        return text === null ? null : hashOf("data", this.database, [className, text]);
    }
}

/**
 * The key leads to the object, and a link to what it names.
 *
 * @param {Addresses} addresses
 * @param {Class} one
 * @param {Record<string, any>} object
 * @param {number} index of the column
 * @param {Property} property
 */
export function objectCell(addresses, one, object, index, property) {
    const form = object[property.name];
    const made = cell(form, property, addresses.ofLink);
    if (index > 0) return made;
    const address = addresses.ofObject(one, object);
    if (!address) return made;
    const link = document.createElement("a");
    link.setAttribute("href", address);
    link.tabIndex = -1;
    link.textContent = made.textContent;
    return link;
}

/**
 * Where Enter leads to from a cell.
 *
 * @param {Addresses} addresses
 * @param {Class} one
 * @param {Record<string, any>} object
 * @param {Property} property
 */
export function cellAddress(addresses, one, object, property) {
    const form = object[property.name];
    return (kindOf(form) === "link" && addresses.ofLink(form)) || addresses.ofObject(one, object);
}
