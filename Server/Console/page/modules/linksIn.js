// Who links to an object.

import { element, muted } from "./dom.js";
import { count } from "./format.js";
import { linkingQuery } from "./queryText.js";
import { hashOf } from "./route.js";
import { primaryKey } from "./schema.js";
import { table } from "./table.js";
import { keyWords, linkedKey, summary } from "./values.js";

/**
 * The links by one property, and the first of those that link: the objects that stand for themselves.
 *
 * @typedef {{class: string, property: string, count: number, objects: any[]}} IncomingLinks
 */

/**
 * @param {import("./objectCells.js").Addresses} addresses
 * @param {import("./schema.js").Class} one
 * @param {unknown} key
 * @param {IncomingLinks[]} links
 */
export function linksIn(addresses, one, key, links) {
    if (links.length === 0) return muted("No object links to this one.");
    return table(`Properties with links to ${one.name} ${keyWords(key)}`, [
        { title: "Class", isHeading: true, cell: (link) => link.class || "a value inside of a mixed one" },
        { title: "Property", cell: (link) => link.property },
        { title: "Objects", isNumber: true, cell: (link) => all(addresses, one, key, link) },
        { title: "Which", cell: (link) => some(addresses, link) },
    ], links, "");
}

/**
 * A query finds all of them, where a query can name the object: by its primary key.
 *
 * @param {import("./objectCells.js").Addresses} addresses
 * @param {import("./schema.js").Class} one
 * @param {unknown} key
 * @param {any} link
 */
function all(addresses, one, key, link) {
    const linking = addresses.schema.class(link.class);
    const property = linking?.properties.find(({ name }) => name === link.property);
    if (!property || linking?.kind !== "object" || !primaryKey(one)) return count(link.count);
    return element("a", {
        href: hashOf("data", addresses.database, [link.class], { where: linkingQuery(property, one.name, key) }),
        "aria-label": `All ${count(link.count)} of ${link.class}`,
    }, count(link.count));
}

/** @param {import("./objectCells.js").Addresses} addresses @param {any} link */
function some(addresses, link) {
    const shown = link.objects.flatMap((/** @type {any} */ object) => {
        const address = addresses.ofLink(object);
        const words = object.$ref === link.class ? keyWords(linkedKey(object)) : summary(object);
        return [" ", address ? element("a", { href: address }, words) : words];
    });
    const isCut = link.count > link.objects.length;
    return element("span", { class: "keys" }, shown, isCut && element("span", { class: "muted" }, " …"));
}
