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
 * What a change does to the whole database, whatever it changes: the server removes the history, in which old values stand.
 */
export const CONSEQUENCES = [
    "The history of all objects begins anew. Nobody can see any more who changed what before.",
    "Readers of the change feed are told historyGone. They read the database anew.",
    "The server forgets which objects of any class were deleted. A device that was offline may bring one back by a late edit. "
        + "So let devices connect and send what waits first.",
    "Each device is compared with the database once, when it connects next.",
];

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
