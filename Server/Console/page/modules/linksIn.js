// Who links to an object.

import { element, muted } from "./dom.js";
import { count } from "./format.js";
import { linkingQuery } from "./queryText.js";
import { hashOf } from "./route.js";
import { table } from "./table.js";
import { keyWords } from "./values.js";

/**
 * @param {import("./objectCells.js").Addresses} addresses
 * @param {import("./schema.js").Class} one
 * @param {unknown} key
 * @param {{class: string, property: string, count: number, keys: any[]}[]} links
 */
export function linksIn(addresses, one, key, links) {
    if (links.length === 0) return muted("No object links to this one.");
    return table(`Properties with links to ${one.name} ${keyWords(key)}`, [
        { title: "Class", isHeading: true, cell: (link) => link.class },
        { title: "Property", cell: (link) => link.property },
        { title: "Objects", isNumber: true, cell: (link) => all(addresses, one, key, link) },
        { title: "Which", cell: (link) => some(addresses, link) },
    ], links, "");
}

/**
 * A query finds all of them.
 *
 * @param {import("./objectCells.js").Addresses} addresses
 * @param {import("./schema.js").Class} one
 * @param {unknown} key
 * @param {any} link
 */
function all(addresses, one, key, link) {
    const linking = addresses.schema.class(link.class);
    const property = linking?.properties.find(({ name }) => name === link.property);
    if (!property || linking?.kind !== "object") return count(link.count);
    return element("a", {
        href: hashOf("data", addresses.database, [link.class], { where: linkingQuery(property, one.name, key) }),
        "aria-label": `All ${count(link.count)} of ${link.class}`,
    }, count(link.count));
}

/** @param {import("./objectCells.js").Addresses} addresses @param {any} link */
function some(addresses, link) {
    const keys = link.keys.flatMap((/** @type {any} */ key) => {
        const address = addresses.ofKey(link.class, key);
        return [" ", address ? element("a", { href: address }, keyWords(key)) : keyWords(key)];
    });
    return element("span", { class: "keys" }, keys, link.count > link.keys.length && element("span", { class: "muted" }, " …"));
}
