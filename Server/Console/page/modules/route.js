// The address: a part, its database, the class and the object in it, and how a list is filtered:
// #/data/flights/Flight?where=origin+%3D%3D+nil, #/data/flights/Flight/17. Pure.

/**
 * @typedef {object} Route
 * @property {string} part
 * @property {string | null} database
 * @property {string[]} names what is behind the database: a class, and the key of an object
 * @property {Record<string, string>} parameters
 */

export const PARTS = ["overview", "data", "devices", "access", "operations"];

/** What is unknown is the first part. @param {string} hash @param {string[]} [parts] @returns {Route} */
export function routeOf(hash, parts = PARTS) {
    const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
    const [part, database, ...names] = path.split("/");
    return {
        part: parts.includes(part) ? part : parts[0],
        database: database ? decoded(database) : null,
        names: names.map(decoded).filter((name) => name !== null),
        parameters: Object.fromEntries(new URLSearchParams(query ?? "")),
    };
}

/**
 * @param {string} part
 * @param {string | null} [database]
 * @param {string[]} [names]
 * @param {Record<string, string | number | undefined>} [parameters] what is empty is left out
 */
export function hashOf(part, database, names = [], parameters = {}) {
    const path = [part, ...(database ? [database, ...names] : [])].map(encodeURIComponent).join("/");
    const said = Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
    return `#/${path}${said.length > 0 ? `?${new URLSearchParams(said)}` : ""}`;
}

/** @param {string} text */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return null;
    }
}
