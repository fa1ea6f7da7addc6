// What is known of the verification of a database, in words. Pure.

import { count, plural } from "./format.js";

/**
 * @typedef {object} Verification
 * @property {{since: string, step: string, percent: number}} [running]
 * @property {Ended} [last] missing where none has ended since the server's start
 */
/**
 * @typedef {object} Ended
 * @property {string} time
 * @property {number} milliseconds
 * @property {boolean} isSound
 * @property {number} objects
 * @property {string[]} problems the first of them
 * @property {number} problemCount
 * @property {string} [failure] why it was not verified to its end
 */

/** @type {Record<string, string>} */
const STEPS = { objects: "reads objects", record: "reads what the server keeps", accounts: "reads accounts" };

/**
 * Null where nothing is known.
 *
 * @param {Verification} state
 * @returns {[words: string, kind: "good" | "problem" | "plain"] | null}
 */
export function outcome({ running, last }) {
    if (running) return [`${STEPS[running.step] ?? running.step}, ${running.percent} %`, "plain"];
    if (!last) return null;
    if (last.failure !== undefined) return ["not verified to its end", "problem"];
    return last.isSound ? ["sound", "good"] : [plural(last.problemCount, "problem", "problems"), "problem"];
}

/**
 * What is wrong, in sentences.
 *
 * @param {Verification} state
 */
export function findings({ last }) {
    if (!last || last.isSound) return [];
    const unlisted = last.problemCount - last.problems.length;
    return [
        ...(last.failure === undefined ? [] : [last.failure]), ...last.problems,
        ...(unlisted > 0 ? [`Not listed: ${count(unlisted)} more.`] : []),
    ];
}

/** @param {string} name @param {Verification} state what is said when it has ended */
export function ending(name, { last }) {
    if (!last) return `The server has started anew and forgotten the verification of ${name}.`;
    if (!last.isSound) return `${name} is not sound.`;
    return `${name} is sound: ${plural(last.objects, "object", "objects")}, with lists and maps inside of mixed values.`;
}
