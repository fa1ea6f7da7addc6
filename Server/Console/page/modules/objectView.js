// One object: its properties, who links to it, and its history.

import { path, Refusal } from "./api.js";
import { element, replace } from "./dom.js";
import { deleteObject, editProperty } from "./objectEdits.js";
import { linksIn } from "./linksIn.js";
import { notice } from "./notices.js";
import { Addresses } from "./objectCells.js";
import { objectHistory } from "./objectHistory.js";
import { hashOf } from "./route.js";
import { keyOf, ordered } from "./schema.js";
import { table } from "./table.js";
import { whole } from "./valueView.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./schema.js").Class} Class */

/** How often is looked whether the object has changed, at most. */
const LOOK_MILLISECONDS = 1_000;

/**
 * An object as it was read, and what a write needs.
 *
 * @typedef {object} Read
 * @property {Class} one
 * @property {string} key
 * @property {string} where below /admin/v1
 * @property {Record<string, any>} value
 * @property {string | null} tag
 */

/** @param {Place} place @param {import("./schema.js").Schema} schema @param {Class} one @param {string} key */
export async function objectView(place, schema, one, key) {
    const addresses = new Addresses(place.database, schema);
    const shown = element("div");
    /** @type {string | null} of what is shown */
    let tag = null;
    const read = async () => {
        tag = null;
        replace(shown, await content(place, addresses, one, key, again, (read) => { tag = read; }));
    };
    const again = () => place.attempt(read);
    await read();
    const where = path`/databases/${place.database}/objects/${one.name}/${key}`;
    place.follow({ events: ["version"], database: place.database, milliseconds: LOOK_MILLISECONDS }, async () => {
        if (tag !== await currentTag(place, where)) await read();
    });
    return {
        title: `${one.name} ${key}`, again, content: [
            element("p", {}, element("a", { href: hashOf("data", place.database, [one.name]) }, `All of ${one.name}`)), shown,
        ],
    };
}

/**
 * @param {Place} place @param {Addresses} addresses @param {Class} one @param {string} key @param {() => void} again
 * @param {(tag: string | null) => void} keep
 */
async function content(place, addresses, one, key, again, keep) {
    const where = path`/databases/${place.database}/objects/${one.name}/${key}`;
    const history = async () => place.about.hasHistory
        && [element("h2", {}, "History"), element("section", {}, await objectHistory(place, one.name, key, addresses.ofLink))];
    try {
        const [read, { links }] = await Promise.all([
            place.api.read(where, place.signal), place.api.get(`${where}/links`, place.signal),
        ]);
        const object = { one, key, where, ...read };
        keep(read.tag);
        return [
            properties(place, addresses, object, links, again), element("h2", {}, "Links to it"),
            linksIn(addresses, one, keyOf(one, object.value), links), ...[await history()].flat(),
        ];
    } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "objectUnknown") throw error;
        const words = "It was deleted, or there never was one with this key.";
        return [notice("warning", `There is no ${one.name} with the key ${key}`, words), ...[await history()].flat()];
    }
}

/**
 * Null where the object is not there.
 *
 * @param {Place} place
 * @param {string} where
 */
async function currentTag(place, where) {
    try {
        return (await place.api.read(where, place.signal)).tag;
    } catch (error) {
        if (error instanceof Refusal && error.code === "objectUnknown") return null;
        throw error;
    }
}

/**
 * @param {Place} place @param {Addresses} addresses @param {Read} object @param {import("./linksIn.js").IncomingLinks[]} links
 * @param {() => void} again
 */
function properties(place, addresses, object, links, again) {
    const { one, value } = object;
    /** @type {import("./table.js").Column<import("./schema.js").Property>[]} */
    const columns = [
        { title: "Property", isHeading: true, cell: ({ name }) => name },
        { title: "Value", cell: ({ name }) => whole(value[name], addresses.ofLink) },
        { title: "Type", cell: ({ is }) => element("span", { class: "muted" }, is) },
    ];
    if (place.about.isWritable) {
        columns.push({
            title: "Actions", isActions: true, cell: (property) => !property.primaryKey && element("button", {
                type: "button", "aria-label": `Edit ${property.name}`, "data-key": `edit ${property.name}`,
                onclick: () => editProperty(place, addresses, object, property, again),
            }, "Edit…"),
        });
    }
    const there = ordered(one).filter(({ name }) => Object.hasOwn(value, name));
    return element("div", { class: "object" },
        table(`Properties of ${one.name} ${object.key}`, columns, there, ""),
        place.about.isWritable && element("p", { class: "actions" }, element("button", {
            type: "button", class: "danger", onclick: () => deleteObject(place, object, links, addresses.schema, again),
        }, "Delete…")));
}
