// Which operations of which clients were refused.

import { path } from "./api.js";
import { element, mark, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { day, moment, pagedTable } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place @param {string} user */
export async function refusalSection(place, user) {
    const detail = element("div", { "aria-live": "polite" });
    const clients = await pagedTable(place, "Clients of which operations were refused", [
        { title: "User", isHeading: true, cell: (one) => one.user },
        { title: "Client", cell: (one) => element("span", { class: "code whole" }, one.client) },
        { title: "Changesets", isNumber: true, cell: (one) => count(one.changesets) },
        { title: "Operations", isNumber: true, cell: (one) => count(one.operations) },
        { title: "Last heard", cell: (one) => day(one.heard) },
        {
            title: "Actions", isActions: true, cell: (one) => element("button", {
                type: "button", "aria-label": `Show what was refused of ${one.user}, client ${one.client}`,
                "data-key": `refusals ${one.client}`,
                onclick: () => place.attempt(async () => replace(detail, await changesets(place, one.client))),
            }, "Show"),
        },
    ], async (after) => {
        const query = new URLSearchParams({ ...(user && { user }), ...(after && { after }) });
        const answer = await place.api.get(path`/databases/${place.database}/refusals` + `?${query}`, place.signal);
        return { rows: answer.clients, next: answer.next };
    }, "Nothing was refused, or devices were told long ago.");
    return [clients, detail];
}

/** @param {Place} place @param {string} client */
function changesets(place, client) {
    return pagedTable(place, `Refused of the client ${client}`, [
        { title: "Changeset", isHeading: true, cell: (one) => count(one.sequence) },
        { title: "Received", cell: (one) => moment(one.received) },
        { title: "Version", isNumber: true, cell: (one) => count(one.version) },
        { title: "What", cell: (one) => operations(one) },
        { title: "Device", cell: (one) => (one.isTold ? mark("knows", "good") : mark("not told yet", "warning")) },
    ], async (after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const answer = await place.api.get(path`/databases/${place.database}/refusals/${client}` + query, place.signal);
        return { rows: answer.changesets, next: answer.next };
    }, "Nothing is kept.");
}

/** Never keys or values: the API has none. @param {any} changeset */
function operations(changeset) {
    const all = changeset.operations.map((/** @type {any} */ one) => `${one.class}: ${count(one.count)} × ${one.code}`);
    return [...all, ...(changeset.others ? [plural(changeset.others, "other", "others")] : [])].join(", ");
}
