// Values in their JSON forms, as they are read. Pure.

import { plural, time } from "./format.js";

/** @typedef {"nil" | "bool" | "number" | "string" | "data" | "date" | "id" | "link" | "list" | "map"} Kind */

/** A cell has no more of a text. */
export const CELL_LETTERS_MAX = 200;

/**
 * Members that name the type of a value.
 *
 * @type {[string, Kind][]}
 */
const FORMS = [
    ["$numberLong", "number"], ["$numberDouble", "number"], ["$numberFloat", "number"], ["$numberDecimal", "number"],
    ["$binary", "data"], ["$date", "date"], ["$oid", "id"], ["$uuid", "id"], ["$ref", "link"],
];

/** @param {any} form @returns {Kind} */
export function kindOf(form) {
    if (form === null || form === undefined) return "nil";
    if (typeof form === "boolean") return "bool";
    if (typeof form === "number") return "number";
    if (typeof form === "string") return "string";
    if (Array.isArray(form)) return "list";
    return FORMS.find(([name]) => Object.hasOwn(form, name))?.[1] ?? "map";
}

/**
 * The members of a map or an embedded object.
 *
 * @param {any} form
 * @returns {Record<string, unknown>}
 */
export const members = (form) => (Object.hasOwn(form, "$map") ? form.$map : form);

/**
 * A value in few words.
 *
 * @param {any} form
 * @param {{collection?: string}} [property] tells a map from an embedded object
 * @returns {string}
 */
export function summary(form, property = {}) {
    switch (kindOf(form)) {
    case "nil": return "nil";
    case "string": return cut(form);
    case "data": return plural(bytesOf(form), "byte", "bytes");
    case "date": return dateText(form);
    case "link": return `${form.$ref} ${keyWords(linkedKey(form))}`;
    case "list": return plural(form.length, "value", "values");
    case "map": return mapSummary(form, property);
    default: return exact(form);
    }
}

/**
 * All digits and letters of a value without parts.
 *
 * @param {any} form
 * @returns {string}
 */
export function exact(form) {
    if (typeof form !== "object" || form === null) return String(form);
    if (kindOf(form) === "date") return typeof form.$date === "string" ? form.$date : JSON.stringify(form.$date);
    const name = FORMS.find(([name]) => Object.hasOwn(form, name))?.[0];
    return String(form[/** @type {string} */ (name)]);
}

/**
 * The key that a link names: the row, where the class has no primary key.
 *
 * @param {any} link
 */
export const linkedKey = ({ $id, $row }) => $id ?? $row ?? null;

/**
 * A key as it is called.
 *
 * @param {any} key
 */
export function keyWords(key) {
    if (kindOf(key) === "nil") return "nil";
    return key === "" ? "“”" : cut(exact(key));
}

/** @param {any} form */
function dateText(form) {
    if (typeof form.$date === "string") return time(form.$date);
    const { seconds } = form.$date;
    return `${exact(seconds)} s since 1970`;
}

/** @param {any} form */
export function bytesOf(form) {
    const text = form.$binary?.base64 ?? "";
    return Math.floor((text.length * 3) / 4) - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
}

/** @param {any} form @param {{collection?: string}} property */
function mapSummary(form, property) {
    const inner = Object.entries(members(form));
    if (property.collection === "map") return plural(inner.length, "entry", "entries");
    let text = "";
    for (const [name, value] of inner) {
        text += `${text && ", "}${name}: ${summary(value)}`;
        if (text.length > CELL_LETTERS_MAX) break;
    }
    return cut(text || "empty");
}

/**
 * One line, and not too long.
 *
 * @param {string} text
 */
function cut(text) {
    const line = text.slice(0, CELL_LETTERS_MAX + 1).replace(/\s+/g, " ");
    return text.length > CELL_LETTERS_MAX ? `${line.slice(0, CELL_LETTERS_MAX)}…` : line;
}
