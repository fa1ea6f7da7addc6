// Changes objects: each behind a confirmation that says what it changes, and only if the object is as it was shown.

import { path, Refusal, requestKey } from "./api.js";
import { deletionWords } from "./deletion.js";
import { talk } from "./dialog.js";
import { element, field, replace } from "./dom.js";
import { json, patchOf, templateOf } from "./editor.js";
import { notice } from "./notices.js";
import { hashOf } from "./route.js";
import { keyText } from "./schema.js";
import { whole } from "./valueView.js";
import { valueForm } from "./valueForm.js";
import { summary } from "./values.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./objectView.js").Read} Read */
/** @typedef {(done: boolean | null) => void} Close false where the object has to be read anew; null where nothing was done */

/**
 * @param {Place} place @param {import("./objectCells.js").Addresses} addresses @param {Read} object
 * @param {import("./schema.js").Property} property @param {() => void} again
 */
export async function editProperty(place, addresses, object, property, again) {
    const before = object.value[property.name];
    const done = await talk(`Edit ${property.name} of ${object.one.name} ${object.key}`, (/** @type {Close} */ close) => {
        const body = element("div");
        const form = valueForm(property, before, "Review…", (after) => {
            const isSame = JSON.stringify(after) === JSON.stringify(before);
            const patch = { [property.name]: patchOf(property, before, after) };
            const write = () => place.api.write("PATCH", object.where, patch, object.tag);
            replace(body, comparison(before, after, addresses),
                isSame ? notice("warning", "Nothing changes", "The property has this value already.") : null,
                actions(place, { word: "Write", isOff: isSame, work: write, done: close, back: () => {
                    replace(body, form);
                    /** @type {HTMLElement | null} */ (form.querySelector("[autofocus]"))?.focus();
                } }));
            body.querySelector("button")?.focus();
        }, () => close(null));
        replace(body, form);
        return { content: [body] };
    });
    if (done !== null) again();
}

/** @param {any} before @param {any} after @param {import("./objectCells.js").Addresses} addresses */
function comparison(before, after, addresses) {
    return element("dl", { class: "comparison" },
        element("dt", {}, "From"), element("dd", {}, whole(before, addresses.ofLink)),
        element("dt", {}, "To"), element("dd", {}, whole(after, addresses.ofLink)));
}

/**
 * @param {Place} place @param {Read} object @param {import("./linksIn.js").IncomingLinks[]} links
 * @param {import("./schema.js").Schema} schema @param {() => void} again
 */
export async function deleteObject(place, object, links, schema, again) {
    const done = await talk(`Delete ${object.one.name} ${object.key}?`, (/** @type {Close} */ close) => ({
        content: [
            ...deletionWords(place.about.kind, object.key, links, schema).map((words) => element("p", {}, words)),
            actions(place, {
                word: "Delete", isDanger: true, isLast: true, done: close, back: () => close(null),
                work: () => place.api.write("DELETE", object.where, undefined, object.tag),
            }),
        ],
    }));
    if (done === true) location.hash = hashOf("data", place.database, [object.one.name]);
    else if (done === false) again();
}

/** @param {Place} place @param {import("./schema.js").Class} one */
export async function createObject(place, one) {
    /** @type {any} */
    let made;
    // One for each content: what was sent with another one is another object.
    let [sent, key] = ["", ""];
    const done = await talk(`New object of ${one.name}`, (/** @type {Close} */ close) => {
        const text = /** @type {HTMLTextAreaElement} */ (element("textarea", { rows: 12, spellcheck: "false", autofocus: true },
            JSON.stringify(templateOf(one), null, 2)));
        return {
            content: [
                field("Object", text, "JSON, in the forms of the data API. What is left out has the value of a new object."),
                actions(place, {
                    word: "Create", isLast: true, done: close, back: () => close(null), work: async () => {
                        const found = json(text.value);
                        if ("problem" in found) throw new Refusal(400, "valueInvalid", found.problem);
                        const where = path`/databases/${place.database}/objects/${one.name}`;
                        if (sent !== text.value) [sent, key] = [text.value, requestKey()];
                        made = await place.api.write("POST", where, found.value, null, key);
                    },
                }),
            ],
        };
    });
    if (!done) return;
    const name = keyText(made.key);
    place.notices.say(`${one.name} ${summary(made.key)} is there.`, name !== null);
    if (name !== null) location.hash = hashOf("data", place.database, [one.name, name]);
}

/**
 * The buttons of a dialog that writes. What the server refuses is said in it.
 *
 * @param {Place} place
 * @param {object} how
 * @param {string} how.word
 * @param {boolean} [how.isDanger]
 * @param {boolean} [how.isOff]
 * @param {boolean} [how.isLast] whether the page goes elsewhere afterwards
 * @param {() => Promise<any>} how.work
 * @param {(done: boolean) => void} how.done false where the object has to be read anew
 * @param {() => void} how.back
 */
function actions(place, { word, isDanger, isOff, isLast, work, done, back }) {
    const said = element("div", { role: "alert" });
    const again = element("button", { type: "button", class: "main", hidden: true, onclick: () => done(false) }, "Load again");
    const act = element("button", {
        type: "button", class: isDanger ? "danger" : "main", disabled: isOff,
        onclick: () => place.attempt(async () => {
            act.setAttribute("disabled", "");
            try {
                const answer = await work();
                if (answer) place.notices.say(`Written as version ${answer.version}.`, isLast);
                done(true);
            } catch (error) {
                // What has changed meanwhile cannot be written by trying again.
                if (!(error instanceof Error) || !isConflict(error)) act.removeAttribute("disabled");
                if (!(error instanceof Error) || (error instanceof Refusal && error.status === 401)) throw error;
                replace(said, refusal(error));
                again.hidden = !isConflict(error);
                if (isConflict(error)) again.focus();
            }
        }),
    }, word);
    const leave = isDanger || word === "Create" ? "Cancel" : "Back";
    return element("div", {}, said, element("div", { class: "actions" },
        element("button", { type: "button", autofocus: isDanger, onclick: back }, leave), act, again));
}

/** Somebody has changed the object meanwhile. @param {Error} error */
const isConflict = (error) => error instanceof Refusal && error.code === "preconditionFailed";

/** @param {Error} error */
const refusal = (error) => (isConflict(error)
    ? notice("warning", "Somebody has changed the object meanwhile", "Nothing was written. Load it again to see what it is now.")
    : notice("problem", "This was not written", error.message));
