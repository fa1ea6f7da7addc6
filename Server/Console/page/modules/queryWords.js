// The words of the query language that fit a class, a path or a type. Pure. GRAMMAR.md of the queries has the language.

/** @typedef {import("./completion.js").Item} Item */
/** @typedef {import("./schema.js").Property} Property */
/** @typedef {import("./schema.js").Class} Class */
/** @typedef {import("./schema.js").Schema} Schema */

/**
 * Where a path has come to: a property, or what an aggregate makes of one.
 *
 * @typedef {Pick<Property, "type" | "collection" | "target" | "optional" | "text">} End
 */

const NUMBERS = ["int", "float", "double", "decimal128"];
const AGGREGATES = ["@min", "@max", "@sum", "@avg"];
/** Names that are words of the language stand in backticks. */
const KEYWORDS = new Set(("and or not any some all none in between beginswith endswith contains like text geowithin true false "
    + "yes no nil null truepredicate falsepredicate sort distinct limit subquery inf infinity nan asc ascending desc descending")
    .split(" "));

/**
 * A property as a query names it.
 *
 * @param {string} name
 */
export function written(name) {
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : `\`${name}\``;
}

/**
 * Where a path leads to from a class. Null where it leads nowhere.
 *
 * @param {Schema} schema @param {Class} one @param {string[]} names
 * @returns {End | null}
 */
export function follow(schema, one, names) {
    /** @type {Class | undefined} */
    let current = one;
    /** @type {End | null} */
    let end = null;
    for (let index = 0; index < names.length; index += 1) {
        const name = names[index];
        if (name === "@links") {
            current = schema.class(names[index + 1]);
            end = { type: "object", collection: "list", target: names[index + 1] };
            index += 2;
        } else if (name === "@count" || name === "@size" || name === "@sum" || name === "@avg") {
            end = { type: name === "@avg" ? "double" : "int" };
        } else if (name.startsWith("@")) {
            end = end ? { ...end, collection: undefined } : null;
        } else {
            end = current?.properties.find((property) => property.name === name) ?? null;
            if (!end) return null;
            current = schema.class(end.target);
        }
    }
    return end;
}

/**
 * What may come behind names of a path, or at its beginning.
 *
 * @param {Schema} schema @param {Class} one @param {string[]} names
 * @returns {Item[]}
 */
export function namesAt(schema, one, names) {
    if (names.length === 0) return [...properties(one), { text: "@links", detail: "who links here" }];
    if (names.at(-1) === "@links") {
        return schema.classes.filter((other) => other.properties.some((property) => property.target === one.name))
            .map((other) => ({ text: `${other.name}.`, detail: "class" }));
    }
    if (names.at(-2) === "@links") {
        const linking = schema.class(names.at(-1))?.properties.filter((property) => property.target === one.name) ?? [];
        return linking.map((property) => ({ text: written(property.name), detail: property.is }));
    }
    const end = follow(schema, one, names);
    if (!end) return [];
    const target = schema.class(end.target);
    return [...(target ? properties(target) : []), ...(end.collection ? aggregates(end) : []), ...typed(end)];
}

/** @param {Class} one @returns {Item[]} */
const properties = (one) =>
    one.properties.filter(({ name }) => !name.includes("`")).map(({ name, is }) => ({ text: written(name), detail: is }));

/** @param {End} end @returns {Item[]} */
function aggregates({ collection, target }) {
    const before = target ? "." : "";
    return [
        { text: "@count", detail: "how many" }, ...AGGREGATES.map((name) => ({ text: name + before, detail: "of all" })),
        ...(collection === "map" ? [{ text: "@keys" }, { text: "@values" }] : []),
    ];
}

/** @param {End} end @returns {Item[]} */
function typed({ type, collection }) {
    if (type === "mixed") return [{ text: "@type", detail: "of the value" }];
    return !collection && (type === "string" || type === "data") ? [{ text: "@count", detail: "bytes" }] : [];
}

const EQUAL = ["==", "!=", "IN"];
const ORDERED = ["<", "<=", ">", ">=", "BETWEEN"];
const TEXTUAL = ["BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE"];
/** Those with a list behind them. */
const LISTED = ["IN", "BETWEEN"];
const FOLDED = ["==[c]", "CONTAINS[c]"];

/** @param {End | null} end @returns {Item[]} */
export function operatorsOf(end) {
    const type = end?.type ?? "mixed";
    const all = [...EQUAL];
    if (type === "mixed" || NUMBERS.includes(type) || ["date", "objectId", "uuid"].includes(type)) all.push(...ORDERED);
    if (type === "mixed" || type === "string" || type === "data") all.push(...TEXTUAL);
    if (type === "string") all.push(...FOLDED, "TEXT");
    return all.map((text) => (LISTED.includes(text) ? { text: `${text} {}`, back: 1 } : { text: `${text} ` }));
}

/** @param {End | null} end @param {Date} now @returns {Item[]} */
export function valuesOf(end, now) {
    /** @type {Record<string, Item[]>} */
    const byType = {
        bool: [{ text: "true" }, { text: "false" }], string: [{ text: "''", back: 1 }], data: [{ text: "base64('')", back: 2 }],
        date: [{ text: `${now.toISOString().slice(0, 10)}@00:00:00`, detail: "today, UTC" }],
        objectId: [{ text: "oid()", back: 1 }], uuid: [{ text: "uuid()", back: 1 }], decimal128: [{ text: "decimal()", back: 1 }],
        object: [{ text: "link('')", back: 2 }, { text: "link()", back: 1 }],
        mixed: [{ text: "true" }, { text: "false" }, { text: "''", back: 1 }, { text: "nil" }],
    };
    const isOptional = end?.optional || (end?.target !== undefined && !end.collection);
    const nil = isOptional && end?.type !== "mixed" ? [{ text: "nil", detail: "no value" }] : [];
    return [...(byType[end?.type ?? "mixed"] ?? []), ...nil];
}
