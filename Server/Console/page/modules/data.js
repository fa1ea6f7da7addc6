// Data: the classes and properties of a database, who added them, and who created how many objects.

import { path } from "./api.js";
import { heading } from "./choice.js";
import { code, element, muted } from "./dom.js";
import { count, plural } from "./format.js";
import { moment, pagedTable, table } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place */
export async function data(place) {
    const [classes, users] = await Promise.all([classList(place), creators(place)]);
    place.container.append(
        heading(place, "Data"),
        muted("The schema as devices have declared it. The admin API tells nothing of what is in objects: ",
            element("code", { class: "whole" }, "sync-server query"), " and the data API do."),
        element("h2", {}, "Classes"), classes, element("h2", {}, "Objects by user"), users);
}

/** @param {Place} place */
async function classList(place) {
    const list = element("div");
    const rest = element("p");
    const more = async (/** @type {string | undefined} */ after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const { classes, next } = await place.api.get(path`/databases/${place.database}/schema` + query, place.signal);
        list.append(...classes.map(classDetails));
        rest.replaceChildren(...(next
            ? [element("button", { type: "button", onclick: () => place.attempt(() => more(next)) }, "Show more classes")] : []));
    };
    await more(undefined);
    if (!list.firstChild) list.append(muted("No device has declared a class yet."));
    return element("section", {}, list, rest);
}

/** @param {any} one */
function classDetails(one) {
    return element("details", {},
        element("summary", {}, element("strong", {}, one.name), ` – ${one.is}, ${plural(one.objects, "object", "objects")}, `
            + plural(one.properties.length, "property", "properties")),
        element("div", {},
            muted("Added ", moment(one.added), one.addedBy ? ` by ${one.addedBy}` : "", ", last declared ",
                moment(one.declared), "."),
            table(`Properties of ${one.name}`, [
                { title: "Property", isHeading: true, cell: (property) => property.name },
                { title: "Type", cell: (property) => code(property.is) },
                { title: "Added by", cell: (property) => property.addedBy ?? "–" },
                { title: "Added", cell: (property) => moment(property.added) },
                { title: "Last declared", cell: (property) => moment(property.declared) },
            ], one.properties, "The class has no properties.")));
}

/** @param {Place} place */
function creators(place) {
    return pagedTable(place, "Users whose devices created objects that exist", [
        { title: "User", isHeading: true, cell: (one) => one.user },
        { title: "Objects", isNumber: true, cell: (one) => count(one.objects) },
    ], async (after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const answer = await place.api.get(path`/databases/${place.database}/users` + query, place.signal);
        return { rows: answer.users, next: answer.next };
    }, "No device has created an object.");
}
