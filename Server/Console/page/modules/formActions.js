// A form in a dialog: what the server refuses is said in it.

import { Refusal } from "./api.js";
import { element, replace } from "./dom.js";
import { notice } from "./notices.js";

/**
 * @param {import("./main.js").Place} place
 * @param {object} how
 * @param {import("./dom.js").Content[]} how.fields
 * @param {string} how.word on the button
 * @param {boolean} [how.isDanger]
 * @param {() => boolean} [how.isMeant] false where what confirms it was not typed
 * @param {string} [how.unmeant] what is said then
 * @param {() => Promise<void>} how.work
 * @param {(done: boolean | null) => void} how.done null when it was left
 */
export function formActions(place, { fields, word, isDanger, isMeant = () => true, unmeant = "", work, done }) {
    const said = element("div", { role: "alert" });
    const act = element("button", { type: "submit", class: isDanger ? "danger" : "main" }, word);
    const submit = () => place.attempt(async () => {
        if (!isMeant()) return replace(said, notice("warning", unmeant));
        act.setAttribute("disabled", "");
        try {
            await work();
            done(true);
        } catch (error) {
            act.removeAttribute("disabled");
            if (!(error instanceof Error) || (error instanceof Refusal && error.status === 401)) throw error;
            replace(said, notice("problem", "This was not done", error.message));
        }
    });
    return [element("form", {
        onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            submit();
        },
    }, fields, said, element("div", { class: "actions" },
        element("button", { type: "button", onclick: () => done(null) }, "Cancel"), act))];
}
