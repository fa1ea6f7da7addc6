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
 * Who did it.
 *
 * @param {HistoryEvent} event
 */
export function author({ user, client }) {
    if (!user && !client) return "the server";
    return [user ?? "an unknown user", client && `client ${client}`].filter(Boolean).join(", ");
}
