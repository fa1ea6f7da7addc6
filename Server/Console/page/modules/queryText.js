// Writes queries: values as the query language has them. Pure.

import { written } from "./queryWords.js";

/** @param {string} text */
export function quoted(text) {
    const inside = text.replace(/['\\]/gu, "\\$&").replace(/[\u0000-\u001f\u007f]/gu, (letter) =>
        `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return `'${inside}'`;
}

/**
 * A key in its JSON form, as a query has it.
 *
 * @param {any} key
 */
export function keyLiteral(key) {
    if (key === null || key === undefined) return "nil";
    if (typeof key === "string") return quoted(key);
    if (typeof key === "object") return key.$oid ? `oid(${key.$oid})` : key.$uuid ? `uuid(${key.$uuid})` : String(key.$numberLong);
    return String(key);
}

/**
 * The objects of a class that link to an object by a property.
 *
 * @param {import("./schema.js").Property} property of theirs
 * @param {string} className of the object
 * @param {any} key of the object
 */
export function linkingQuery(property, className, key) {
    const link = property.type === "mixed" ? `link(${quoted(className)}, ${keyLiteral(key)})` : `link(${keyLiteral(key)})`;
    return `${property.collection ? "ANY " : ""}${written(property.name)} == ${link}`;
}
