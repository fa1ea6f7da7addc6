// The configuration as lines: sections, and in each the settings by their paths. Pure.

/** @typedef {[string, string]} Setting */

/** @param {Record<string, unknown>} configuration @returns {Record<string, Setting[]>} */
export function settings(configuration) {
    return Object.fromEntries(Object.entries(configuration).map(([section, value]) => [section, lines(value, "")]));
}

/**
 * Whether there is a section that may be left out. What needs one that is missing is not asked for.
 *
 * @param {Record<string, unknown>} configuration
 * @param {"accounts" | "backups"} name
 */
export const hasSection = (configuration, name) => (configuration[name] ?? "none") !== "none";

/** @param {unknown} value @param {string} path @returns {Setting[]} */
function lines(value, path) {
    if (Array.isArray(value)) {
        if (value.every((one) => typeof one !== "object" || one === null)) return [[path || "list", value.join(", ") || "none"]];
        const name = (/** @type {any} */ one, /** @type {number} */ index) => one?.name ?? index + 1;
        return value.flatMap((one, index) => lines(one, join(path, String(name(one, index)))));
    }
    if (typeof value === "object" && value !== null) {
        return Object.entries(value).flatMap(([name, inner]) => lines(inner, join(path, name)));
    }
    return [[path || "value", String(value)]];
}

/** @param {string} path @param {string} name */
const join = (path, name) => (path ? `${path}.${name}` : name);
