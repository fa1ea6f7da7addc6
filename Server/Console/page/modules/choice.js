// Chooses the database that a part shows.

import { element, field } from "./dom.js";
import { hashOf } from "./route.js";

/**
 * The head of a part about one database: its title, and which one.
 *
 * @param {import("./main.js").Place} place
 * @param {string} title
 * @param {(() => void)} [again] reads everything anew
 */
export function heading(place, title, again) {
    const choice = /** @type {HTMLSelectElement} */ (element("select", {
        onchange: () => { location.hash = hashOf(place.part, choice.value); },
    }, place.databases.map((name) => element("option", { value: name, selected: name === place.database }, name))));
    return element("div", { class: "heading" },
        element("h1", { tabindex: -1 }, title),
        element("div", { class: "row" },
            place.about.kind === "server" && element("div", { class: "beside" }, field("Database", choice)),
            again && element("button", { type: "button", onclick: again }, "Read again")));
}
