// Completes a query: properties, operators, values and keywords that fit where somebody types. Pure.

import { expectedAfter } from "./queryState.js";
import { follow, namesAt, operatorsOf, valuesOf } from "./queryWords.js";
import { bare, pathNames, tokens } from "./queryTokens.js";

/**
 * @typedef {object} Item
 * @property {string} text what is put in
 * @property {string} [detail]
 * @property {number} [back] so many letters before its end the cursor stands afterwards
 */
/**
 * @typedef {object} Completion
 * @property {number} from
 * @property {number} to
 * @property {Item[]} items
 * @property {boolean} isBegun whether something is to be completed there, by itself
 */

/** More cannot be looked through. */
const ITEMS_MAX = 40;
/** The text is read anew at each letter. A longer one gets no completion. */
const LETTERS_MAX = 4_000;

/** @type {Item[]} */
const STEPS = [{ text: "SORT()", detail: "order", back: 1 }, { text: "DISTINCT()", back: 1 }, { text: "LIMIT()", back: 1 }];
/** @type {Item[]} */
const CONNECTIVES = [{ text: "AND " }, { text: "OR " }, ...STEPS];
/** @type {Item[]} */
const BEGINNINGS = [
    { text: "NOT " }, { text: "ANY ", detail: "at least one of a list" }, { text: "ALL ", detail: "each of a list" },
    { text: "NONE ", detail: "none of a list" }, { text: "TRUEPREDICATE", detail: "every object" },
];
/** @type {Item[]} */
const DIRECTIONS = [{ text: "ASC" }, { text: "DESC" }];

/**
 * @param {import("./schema.js").Schema} schema
 * @param {import("./schema.js").Class} one
 * @param {string} text
 * @param {number} place of the cursor
 * @param {Date} now
 * @returns {Completion}
 */
export function completion(schema, one, text, place, now) {
    const nothing = { from: place, to: place, items: [], isBegun: false };
    if (place > LETTERS_MAX) return nothing;
    const before = tokens(text.slice(0, place));
    const last = before.at(-1);
    if (last?.isOpen) return nothing;
    const isTyped = last !== undefined && last.start + last.text.length === place && isWord(last);
    const typed = isTyped ? last : undefined;
    const { expected, left } = expectedAfter(typed ? before.slice(0, -1) : before);
    const names = pathNames(typed?.text ?? "");
    const beginning = names.at(-1) ?? "";
    const isPath = names.length > 1;
    const from = typed ? place - lastLength(typed.text) : place;
    const items = itemsFor(schema, one, { expected, left, names, isPath, now });
    const isQuoted = text[from] === "`";
    const fitting = sorted(items.filter((item) => !isQuoted || item.text.startsWith("`")),
        typed?.kind === "path" ? beginning : typed?.text ?? "");
    // What stands there already completes nothing.
    if (fitting.length === 1 && bare(fitting[0].text.trim()) === beginning) return nothing;
    // Behind what may stand as it is, nothing has to follow.
    const isWhole = before.length === 0 || expected === "connective" || expected === "step";
    return { from, to: place, items: fitting.slice(0, ITEMS_MAX), isBegun: isTyped || !isWhole };
}

/** @param {import("./queryTokens.js").Token} token */
const isWord = ({ kind, text }) => kind === "path" || (kind === "symbol" && /^[=!<>]+$/u.test(text));

/**
 * How long the last name of a path is as it is written.
 *
 * @param {string} text
 */
function lastLength(text) {
    if (text.endsWith(".")) return 0;
    return (/(?:`[^`]*`?|[^.`]+)$/u.exec(text)?.[0] ?? text).length;
}

/**
 * @param {import("./schema.js").Schema} schema
 * @param {import("./schema.js").Class} one
 * @param {{expected: string, left: string | null, names: string[], isPath: boolean, now: Date}} at
 * @returns {Item[]}
 */
function itemsFor(schema, one, { expected, left, names, isPath, now }) {
    const paths = () => namesAt(schema, one, names.slice(0, -1));
    const leftEnd = left === null ? null : follow(schema, one, pathNames(left));
    switch (expected) {
    case "operand": return isPath ? paths() : [...paths(), ...BEGINNINGS];
    case "operator": return operatorsOf(leftEnd);
    case "value": return isPath ? paths() : [...valuesOf(leftEnd, now), ...(names.at(-1) ? paths() : [])];
    case "connective": return CONNECTIVES;
    case "order": return paths();
    case "step": return STEPS;
    case "direction": return DIRECTIONS;
    default: return [];
    }
}

/**
 * Those that fit: first those that begin so, then those that have it inside.
 *
 * @param {Item[]} items @param {string} beginning
 */
function sorted(items, beginning) {
    const start = beginning.toLowerCase();
    const place = (/** @type {Item} */ { text }) => bare(text).toLowerCase().indexOf(start);
    const inside = start.length > 1 ? items.filter((item) => place(item) > 0) : [];
    return [...items.filter((item) => place(item) === 0), ...inside];
}

/**
 * The text with an item in it, and where the cursor stands.
 *
 * @param {string} text
 * @param {Completion} completion
 * @param {Item} item
 */
export function completed(text, { from, to }, item) {
    return {
        text: text.slice(0, from) + item.text + text.slice(to),
        place: from + item.text.length - (item.back ?? 0),
    };
}
