// The databases of a server: adding one, and taking one off.

import { path, Refusal } from "./api.js";
import { talk } from "./dialog.js";
import { element, field, muted, textInput } from "./dom.js";
import { json } from "./editor.js";
import { formActions } from "./formActions.js";
import { table } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place */
export function databaseSection(place) {
    return element("section", {},
        table("Databases that the server serves", [
            { title: "Database", isHeading: true, cell: (name) => name },
            {
                title: "Actions", isActions: true, cell: (name) => element("button", {
                    type: "button", class: "danger", "aria-label": `Drop the database ${name}`, "data-key": `drop ${name}`,
                    onclick: () => drop(place, name),
                }, "Drop…"),
            },
        ], place.databases, "The server has no database."),
        element("p", {}, element("button", { type: "button", onclick: () => add(place) }, "Add a database…")));
}

/** @param {Place} place */
async function add(place) {
    const done = await talk("Add a database", (/** @type {(done: boolean | null) => void} */ close) => {
        const name = textInput({ required: true });
        const settings = /** @type {HTMLTextAreaElement} */ (element("textarea", { spellcheck: "false", rows: 6 }, "{}"));
        return {
            content: formActions(place, {
                fields: [
                    field("Name", name), field("Settings", settings,
                        "JSON, as an entry of the list databases of the configuration has them: permissions, webhooks, limits."),
                ],
                word: "Add", done: close, work: async () => {
                    const found = json(settings.value);
                    if ("problem" in found) throw new Refusal(400, "requestInvalid", found.problem);
                    await place.api.call("POST", "/databases", { ...Object(found.value), name: name.value.trim() });
                    place.notices.say(`The database ${name.value.trim()} is served.`);
                },
            }),
        };
    });
    if (done) place.anew();
}

/** @param {Place} place @param {string} name */
async function drop(place, name) {
    const done = await talk(`Drop the database ${name}?`, (/** @type {(done: boolean | null) => void} */ close) => {
        const typed = textInput({ required: true });
        const files = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox" }));
        const query = () => (files.checked ? `?${new URLSearchParams({ deleteFiles: name })}` : "");
        return {
            content: formActions(place, {
                fields: [
                    muted("Devices are told that the database is unknown. They keep their data and their unsent writes. "
                        + "The files of the database stay on the server's disk, unless you delete them too."),
                    field("Its name once more", typed),
                    element("div", { class: "choices" }, element("label", {}, files,
                        "Delete its files too. Only a backup brings the data back.")),
                ],
                word: "Drop", isDanger: true, done: close, isMeant: () => typed.value === name, unmeant: "This is not its name.",
                work: async () => {
                    await place.api.call("DELETE", path`/databases/${name}` + query());
                    const gone = files.checked ? " Its files are deleted." : "";
                    place.notices.say(`The database ${name} is not served any more.${gone}`);
                },
            }),
        };
    });
    if (done) place.anew();
}
