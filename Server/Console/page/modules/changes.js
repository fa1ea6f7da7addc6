// What a commit has changed of an object. Pure.

/**
 * @typedef {object} HistoryEvent
 * @property {number} version
 * @property {string} [time]
 * @property {"created" | "updated" | "deleted"} kind
 * @property {string[]} [changed]
 * @property {string} [client]
 * @property {string} [user]
 * @property {Record<string, unknown> | null} [before]
 * @property {Record<string, unknown> | null} [after]
 */
/** @typedef {{property: string, before: unknown, after: unknown}} Change undefined where there was no object */

/**
 * Of an object that was created or deleted, every value.
 *
 * @param {HistoryEvent} event
 * @returns {Change[]}
 */
export function changesOf({ kind, changed, before, after }) {
    const names = kind === "updated" && changed ? changed : Object.keys(after ?? before ?? {});
    return names.map((property) => ({ property, before: valueOf(before, property), after: valueOf(after, property) }));
}

/** @param {Record<string, unknown> | null | undefined} object @param {string} property */
const valueOf = (object, property) => (object && Object.hasOwn(object, property) ? object[property] : undefined);

/**
 * Who did it: a user, and the client as the admin API names it.
 *
 * @param {HistoryEvent} event
 * @returns {{who: string, client: string | null}}
 */
export function author({ user, client }) {
    if (!user && !client) return { who: "the server", client: null };
    return { who: user ?? "an unknown user", client: client ? clientNumber(client) : null };
}

/**
 * The history has a client in hexadecimal digits, everything else in decimal ones.
 *
 * @param {string} digits
 */
function clientNumber(digits) {
    return /^[0-9a-f]{1,16}$/iu.test(digits) ? String(BigInt(`0x${digits}`)) : digits;
}
