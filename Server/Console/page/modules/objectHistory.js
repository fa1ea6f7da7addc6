// Who has changed an object, when, and what it was before.

import { path } from "./api.js";
import { author, changesOf } from "./changes.js";
import { element, mark, muted, replace } from "./dom.js";
import { count } from "./format.js";
import { hashOf } from "./route.js";
import { moment, table } from "./table.js";
import { whole } from "./valueView.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./changes.js").HistoryEvent} HistoryEvent */

const EVENTS_SHOWN = 10;
/** The first commit of a database. */
const FIRST_VERSION = 1;
/** @type {Record<string, "good" | "plain" | "problem">} */
const KINDS = { created: "good", updated: "plain", deleted: "problem" };

/** @param {Place} place @param {string} className @param {string} key @param {import("./valueView.js").AddressOf} addressOf */
export async function objectHistory(place, className, key, addressOf) {
    const list = element("ol", { class: "history" });
    const rest = element("div");
    const more = async (/** @type {string | undefined} */ before) => {
        const query = new URLSearchParams({ limit: String(EVENTS_SHOWN) });
        if (before !== undefined) query.set("before", before);
        const where = path`/databases/${place.database}/objects/${className}/${key}/history` + `?${query}`;
        const { events, next, oldest } = await place.api.get(where, place.signal);
        list.append(...events.map((/** @type {HistoryEvent} */ event) => entry(place, event, addressOf)));
        const earlier = oldest > FIRST_VERSION ? " Earlier changes are forgotten." : "";
        const end = list.firstChild
            ? `The history of the database begins with version ${count(oldest)}.${earlier}`
            : `Nobody has changed it since version ${count(oldest)}, with which the history of the database begins.`;
        replace(rest, next === undefined ? muted(end) : element("button", {
            type: "button", class: "more", onclick: () => place.attempt(() => more(next)),
        }, "Older changes"));
    };
    await more(undefined);
    return [list, rest];
}

/** @param {Place} place @param {HistoryEvent} event @param {import("./valueView.js").AddressOf} addressOf */
function entry(place, event, addressOf) {
    const changes = table(`What version ${count(event.version)} changed`, [
        { title: "Property", isHeading: true, cell: (change) => change.property },
        ...(event.kind === "created" ? [] : [side("Before", addressOf)]),
        ...(event.kind === "deleted" ? [] : [side("After", addressOf)]),
    ], changesOf(event), "No value is known.");
    return element("li", {},
        element("p", {}, element("strong", {}, `Version ${count(event.version)}`), " ",
            mark(event.kind, KINDS[event.kind] ?? "plain"), " ", moment(event.time), " by ", ...by(place, event)),
        event.kind === "updated" ? changes
            : element("details", {}, element("summary", {}, "All values"), element("div", {}, changes)));
}

/**
 * @param {"Before" | "After"} title @param {import("./valueView.js").AddressOf} addressOf
 * @returns {import("./table.js").Column<import("./changes.js").Change>}
 */
const side = (title, addressOf) => ({
    title, cell: (change) => {
        const form = title === "Before" ? change.before : change.after;
        return form === undefined ? "–" : whole(form, addressOf);
    },
});

/** The client leads to the devices of its user. @param {Place} place @param {HistoryEvent} event */
function by(place, event) {
    const { who, client } = author(event);
    if (client === null) return [who];
    return [who, ", client ", element("a", {
        href: hashOf("devices", place.database, [], { user: event.user, client }), class: "code",
    }, client)];
}
