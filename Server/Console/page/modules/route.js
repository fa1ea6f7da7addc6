// The part that the address names, and its database: #/devices/flights. Pure.

/** @typedef {{part: string, database: string | null}} Route */

export const PARTS = ["overview", "data", "devices", "access", "operations"];

/** What is unknown is the overview. @param {string} hash @returns {Route} */
export function routeOf(hash) {
    const [part, database] = hash.replace(/^#\/?/, "").split("/");
    return { part: PARTS.includes(part) ? part : PARTS[0], database: database ? decoded(database) : null };
}

/** @param {string} part @param {string | null} [database] */
export const hashOf = (part, database) => `#/${part}${database ? `/${encodeURIComponent(database)}` : ""}`;

/** @param {string} text */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return null;
    }
}
