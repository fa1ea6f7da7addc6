// What becomes of the links to an object that is deleted. Pure.

import { count, plural } from "./format.js";
import { primaryKey } from "./schema.js";
import { written } from "./queryWords.js";

/** @typedef {import("./linksIn.js").IncomingLinks} IncomingLinks */

/**
 * What a deletion does, a sentence each.
 *
 * @param {"server" | "file"} kind of the place that the object is in
 * @param {string} key
 * @param {IncomingLinks[]} links to the object
 * @param {import("./schema.js").Schema} schema
 * @returns {string[]}
 */
export function deletionWords(kind, key, links, schema) {
    const where = kind === "file" ? "from this file" : "here and on every device";
    return [`The object with the key ${key} is deleted ${where}.`, linkWords(links), ...fate(kind, links, schema)];
}

/** @param {IncomingLinks[]} links */
function linkWords(links) {
    if (links.length === 0) return "No object links to it.";
    const each = links.map((link) => (link.class === ""
        ? plural(link.count, "value inside of a mixed one", "values inside of mixed ones")
        : `${plural(link.count, "object", "objects")} by ${link.class}.${link.property}`));
    return `Links to it come from ${listed(each)}.`;
}

/** @param {"server" | "file"} kind @param {IncomingLinks[]} links @param {import("./schema.js").Schema} schema */
function fate(kind, links, schema) {
    if (links.length === 0) return [];
    if (kind === "file") return ["These links become nil. A list or a set loses its links to the object."];
    const query = links.flatMap((link) => missingQuery(link, schema)).at(0);
    return [
        "These links stay, and name an object that is missing.",
        ...(query ? [`A comparison with nil does not find them. In ${query.class}, this query does: ${query.where}`] : []),
    ];
}

/**
 * The query that finds links to objects that are missing, where there is a plain one.
 *
 * @param {IncomingLinks} link @param {import("./schema.js").Schema} schema
 */
function missingQuery(link, schema) {
    const linking = schema.class(link.class);
    const property = linking?.properties.find(({ name }) => name === link.property);
    const key = primaryKey(schema.class(property?.target) ?? { name: "", kind: "", is: "", objects: 0, properties: [] });
    if (linking?.kind !== "object" || !property || property.collection || !key) return [];
    const path = written(property.name);
    return [{ class: link.class, where: `${path} != nil AND ${path}.${written(key.name)} == nil` }];
}

/** @param {string[]} all */
const listed = (all) => (all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);
