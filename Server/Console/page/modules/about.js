// Who answers: a server, or `causeway browse` with one file. Pure.

import { PARTS } from "./route.js";

/**
 * @typedef {object} About
 * @property {"server" | "file"} kind
 * @property {string} version
 * @property {string} [name] of the file
 * @property {boolean} isWritable
 * @property {boolean} hasHistory
 */

/**
 * A file has no devices, no rules and no configuration.
 *
 * @param {About | null} about null while it is unknown
 */
export const partsOf = (about) => (about?.kind === "file" ? ["data"] : PARTS);

/**
 * What the window is called behind the title of a part.
 *
 * @param {About | null} about
 */
export const placeName = (about) => (about?.kind === "file" && about.name ? about.name : "Causeway console");

/**
 * A token in the address, as `causeway browse` opens it: `#token=…`. Null where there is none.
 *
 * @param {string} hash
 */
export function tokenIn(hash) {
    const token = new URLSearchParams(hash.replace(/^#/, "")).get("token");
    return hash.startsWith("#token=") && token ? token : null;
}
