// The classes of a database with their properties, who added them, and who created how many objects.

import { path } from "./api.js";
import { code, element, muted, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { convert, drop } from "./schemaChanges.js";
import { moment, pagedTable, table } from "./table.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./schema.js").Class} Class */

/** So many are shown at first, and at each demand for more. */
const CLASSES_SHOWN = 100;

/** @param {Place} place @param {Class[]} classes */
export async function classOverview(place, classes) {
    place.recover(async () => place.anew());
    const users = place.about.kind === "server" ? await creators(place) : null;
    return [
        element("h2", {}, "Classes"), detailsList(place, classes),
        users && element("h2", {}, "Objects by user"), users,
    ];
}

/** @param {Place} place @param {Class[]} classes */
function detailsList(place, classes) {
    const list = element("div");
    const rest = element("p");
    const more = (/** @type {number} */ shown) => {
        list.append(...classes.slice(shown, shown + CLASSES_SHOWN).map((one) => classDetails(place, one)));
        replace(rest, classes.length > shown + CLASSES_SHOWN && element("button", {
            type: "button", onclick: () => more(shown + CLASSES_SHOWN),
        }, "Show more classes"));
    };
    more(0);
    const none = place.about.kind === "server" ? "No device has declared a class yet." : "The file has no class.";
    return element("section", {}, classes.length > 0 ? [list, rest] : muted(none));
}

/** @param {Place} place @param {any} one */
function classDetails(place, one) {
    return element("details", { "data-key": `class ${one.name}` },
        element("summary", {}, element("strong", {}, one.name), ` – ${one.is}, ${plural(one.objects, "object", "objects")}, `
            + plural(one.properties.length, "property", "properties")),
        element("div", {},
            one.added && muted("Added ", moment(one.added), one.addedBy ? ` by ${one.addedBy}` : "", ", last declared ",
                moment(one.declared), "."),
            table(`Properties of ${one.name}`, [
                { title: "Property", isHeading: true, cell: (property) => property.name },
                { title: "Type", cell: (property) => code(property.is) },
                // A file does not know who declared what.
                ...(place.about.kind === "server" ? [...declared, ...changes(place, one)] : []),
            ], one.properties, "The class has no properties."),
            mayChange(place) && element("p", {}, element("button", {
                type: "button", class: "danger", "aria-label": `Drop the class ${one.name}`, onclick: () => drop(place, one.name),
            }, "Drop the class…"))));
}

/** @param {Place} place */
const mayChange = (place) => place.about.kind === "server" && place.about.isWritable;

/** @param {Place} place @param {any} one @returns {import("./table.js").Column<any>[]} */
function changes(place, one) {
    if (!mayChange(place)) return [];
    const button = (/** @type {string} */ word, /** @type {string} */ name, /** @type {() => void} */ press) =>
        element("button", { type: "button", "aria-label": `${word} ${one.name}.${name}`, onclick: press }, `${word}…`);
    return [{
        title: "Actions", isActions: true, cell: (property) => !property.primaryKey && [
            button("Convert", property.name, () => convert(place, one.name, property.name)),
            button("Drop", property.name, () => drop(place, one.name, property.name)),
        ],
    }];
}

/** @type {import("./table.js").Column<any>[]} */
const declared = [
    { title: "Added by", cell: (property) => property.addedBy ?? "–" },
    { title: "Added", cell: (property) => moment(property.added) },
    { title: "Last declared", cell: (property) => moment(property.declared) },
];

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
