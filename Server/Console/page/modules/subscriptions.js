// What a session subscribes to.

import { path, Refusal } from "./api.js";
import { code, element, muted } from "./dom.js";
import { hashOf } from "./route.js";
import { table } from "./table.js";

/** @param {import("./main.js").Place} place @param {any} session */
export async function subscriptionTable(place, session) {
    try {
        const { subscriptions } = await place.api.get(path`/databases/${place.database}/sessions/${session.client}`, place.signal);
        return table(`Subscriptions of the client ${session.client} of ${session.user}`, [
            {
                title: "Class", isHeading: true, cell: (one) => element("a", {
                    href: hashOf("data", place.database, [one.class], { where: one.query }), title: "Objects that the query finds",
                }, one.class),
            },
            { title: "Query", cell: (one) => code(one.query) },
        ], subscriptions, "It subscribes to nothing.");
    } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "sessionUnknown") throw error;
        return muted(`The session of ${session.user}, client ${session.client}, has ended.`);
    }
}
