// How a property is edited: what stands in the field, and which value is meant. Pure.

import { exact, kindOf } from "./values.js";

/** @typedef {import("./schema.js").Property} Property */
/** @typedef {"bool" | "int" | "number" | "decimal" | "string" | "date" | "objectId" | "uuid" | "json"} Editor */
/** @typedef {{value: unknown} | {problem: string}} Meaning */

/** @type {Record<string, Editor>} */
const BY_TYPE = {
    bool: "bool", int: "int", float: "number", double: "number", decimal128: "decimal", string: "string", date: "date",
    objectId: "objectId", uuid: "uuid",
};

/** @type {Record<Editor, string>} */
export const HINTS = {
    bool: "", string: "", int: "Digits.", number: "Digits with a point, or NaN, Infinity, -Infinity.",
    decimal: "Up to 34 digits with a point; 1.5 and 1.50 differ.",
    date: "As 2026-11-28T15:04:05.5Z or 2026-11-28 15:04. The end is the offset, as +01:00 or Z. Without one it is UTC.",
    objectId: "24 hexadecimal digits.",
    uuid: "As 6ba7b810-9dad-11d1-80b4-00c04fd430c8.", json: "JSON, in the forms of the data API.",
};

/** @param {Property} property @param {any} form the value that it has @returns {Editor} */
export function editorOf(property, form) {
    if (property.collection || property.target) return "json";
    const editor = BY_TYPE[property.type] ?? "json";
    // A date beyond the years of a text, and a letter that a field of a page does not keep.
    const isOther = (editor === "date" && typeof form?.$date === "object") || (editor === "string" && form?.includes("\r"));
    return isOther ? "json" : editor;
}

/**
 * What JSON cannot say: a list and a map are never nil.
 *
 * @param {Property} property
 * @param {Editor} editor
 */
export const mayBeNil = (property, editor) => editor !== "json" && property.optional === true;

/** @param {Editor} editor @param {any} form */
export function textOf(editor, form) {
    if (editor === "json") return JSON.stringify(form ?? null, null, 2);
    return kindOf(form) === "nil" ? "" : exact(form);
}

const LONG_MAX = 2n ** 63n;
/** A day and a time of the day; seconds and the offset may be left out. */
const DATE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/u;

/** @type {Record<Exclude<Editor, "bool" | "string" | "json">, (text: string) => unknown>} undefined where the text is none */
const READERS = {
    int: (text) => {
        if (!/^-?\d{1,19}$/u.test(text) || BigInt(text) >= LONG_MAX || BigInt(text) < -LONG_MAX) return undefined;
        return Number.isSafeInteger(Number(text)) ? Number(text) : { $numberLong: String(BigInt(text)) };
    },
    number: (text) => {
        if (["NaN", "Infinity", "-Infinity"].includes(text)) return { $numberDouble: text };
        const isNumber = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu.test(text) && Number.isFinite(Number(text));
        return isNumber ? Number(text) : undefined;
    },
    decimal: (text) =>
        (/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|NaN|Infinity)$/iu.test(text) ? { $numberDecimal: text } : undefined),
    date: (text) => {
        const [, day, time, seconds = ":00", offset = "Z"] = DATE.exec(text) ?? [];
        const date = `${day}T${time}${seconds}${offset}`;
        return day !== undefined && !Number.isNaN(Date.parse(date)) ? { $date: date } : undefined;
    },
    objectId: (text) => (/^[0-9a-f]{24}$/iu.test(text) ? { $oid: text.toLowerCase() } : undefined),
    uuid: (text) => (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(text) ? { $uuid: text.toLowerCase() } : undefined),
};

/**
 * @param {Editor} editor @param {string} text
 * @param {Pick<Property, "type" | "collection">} [property] whose JSON it is
 * @returns {Meaning}
 */
export function meaning(editor, text, property) {
    if (editor === "string") return { value: text };
    if (editor === "bool") return { value: text === "true" };
    if (editor === "json") return json(text, property && formWords(property));
    const value = READERS[editor](text.trim());
    return value === undefined ? { problem: whyNot(editor, text.trim()) } : { value };
}

/** @param {Editor} editor @param {string} text that is no value */
function whyNot(editor, text) {
    if (editor === "int" && /^-?\d+$/u.test(text)) {
        return "This number is out of range: an int is from -9223372036854775808 to 9223372036854775807.";
    }
    if ((editor === "number" || editor === "decimal") && /^[+-]?\d*,\d+$/u.test(text)) {
        return `Write a point, not a comma: ${text.replace(",", ".")}`;
    }
    return `This is no value of the property. ${HINTS[editor]}`;
}

/** How a value with parts is written. @param {Pick<Property, "type" | "collection">} property */
function formWords({ type, collection }) {
    const [one, other] = type === "string" ? ['"a"', '"b"'] : ["1", "2"];
    const isPlain = type === "string" || NUMBERS.includes(type);
    if (collection === "map") return `A map is written as ${isPlain ? `{"name": ${one}, "other": ${other}}` : '{"name": …}'}.`;
    if (collection) return `A ${collection} is written as ${isPlain ? `[${one}, ${other}]` : "[…, …]"}.`;
    return undefined;
}

const NUMBERS = ["int", "float", "double"];

/** @param {string} text @param {string} [form] how the value is written @returns {Meaning} */
export function json(text, form) {
    try {
        const value = JSON.parse(text);
        const long = lossy(text);
        return long ? { problem: `${long} would lose digits. Write it as {"$numberLong": "${long}"}.` } : { value };
    } catch (error) {
        const words = form ?? "Texts and names stand in quotation marks, a list in [ ], an object in { }.";
        return { problem: `This is not JSON${lineOf(text, String(error))}. ${words}` };
    }
}

/**
 * Which line of several it is, where the browser says so.
 *
 * @param {string} text @param {string} message of the browser
 */
function lineOf(text, message) {
    const [, line, position] = /\bline (\d+)|\bposition (\d+)/u.exec(message) ?? [];
    if (!text.trim().includes("\n") || (line === undefined && position === undefined)) return "";
    return `, in line ${line ?? text.slice(0, Number(position)).split("\n").length}`;
}

/**
 * An integer that a browser would round.
 *
 * @param {string} text
 */
function lossy(text) {
    const outside = text.replace(/"(?:[^"\\]|\\.)*"/gu, '""');
    const numbers = outside.match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/giu) ?? [];
    return numbers.find((one) => /^-?\d+$/u.test(one) && !Number.isSafeInteger(Number(one)));
}

/**
 * What a patch says: a counter is changed by a difference, which merges with what devices count meanwhile.
 *
 * @param {Property} property
 * @param {any} before
 * @param {any} after
 */
export function patchOf(property, before, after) {
    if (!property.counter || kindOf(before) !== "number" || kindOf(after) !== "number") return after;
    const difference = BigInt(exact(after)) - BigInt(exact(before));
    return { $increment: Number.isSafeInteger(Number(difference)) ? Number(difference) : { $numberLong: String(difference) } };
}

/** @type {Record<string, unknown>} */
const FIRST = { bool: false, int: 0, float: 0, double: 0, string: "", decimal128: { $numberDecimal: "0" } };

/**
 * An object to begin with: its key, and what has to have a value.
 *
 * @param {import("./schema.js").Class} one
 */
export function templateOf(one) {
    const wanted = one.properties.filter((property) => !property.collection && !property.target && !property.optional
        && Object.hasOwn(FIRST, property.type));
    return Object.fromEntries(wanted.map((property) => [property.name, FIRST[property.type]]));
}
