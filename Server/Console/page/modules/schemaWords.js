// A conversion of a property, as it is asked for and as it reads. Pure.

import { plural } from "./format.js";

export const TYPES = ["bool", "int", "float", "double", "string", "data", "date", "objectId", "uuid", "decimal128", "mixed"];

/** @type {Record<string, string>} */
export const MISFITS = { refuse: "refuse the conversion", null: "become nil", default: "become a given value" };

/** @type {Record<string, string>} */
const REASONS = {
    null: "nil", number: "a number out of range", text: "a text that does not read as the type", date: "a date out of range",
    bytes: "bytes that are none of the type", type: "another type that does not convert",
};

/**
 * @param {string} className @param {string} property @param {string} to @param {string} optional empty: as it is
 * @param {string} misfits @param {unknown} standing for values that do not fit
 */
export function conversion(className, property, to, optional, misfits, standing) {
    return {
        class: className, property, to, misfits, ...(optional && { optional: optional === "true" }),
        ...(misfits === "default" && { default: standing }),
    };
}

/** @param {Record<string, number>} misfits by the reason */
export function misfitWords(misfits) {
    const all = Object.entries(misfits).map(([reason, number]) =>
        `${plural(number, "value does", "values do")} not fit: ${REASONS[reason] ?? reason}`);
    return all.length > 0 ? `${all.join("; ")}.` : "All values fit.";
}
