// Asks before something is done.

import { element, field, freshID } from "./dom.js";

/** What the server takes as a note. */
const NOTE_LETTERS_MAX = 100;

/**
 * @typedef {object} Question
 * @property {string} title
 * @property {string} text
 * @property {string} action the word on the button that does it
 * @property {boolean} [isDanger]
 * @property {string} [noteLabel] asks for a note
 */

/**
 * @param {Question} question
 * @returns {Promise<{note: string} | null>} null when it is not to be done
 */
export function ask(question) {
    return talk(question.title, (/** @type {(meant: {note: string} | null) => void} */ close) => {
        const text = freshID();
        const note = question.noteLabel ? element("input", { type: "text", maxlength: NOTE_LETTERS_MAX }) : null;
        return {
            describedBy: text,
            content: [
                element("p", { id: text }, question.text),
                note && field(question.noteLabel ?? "", note, "Only administrators see it."),
                element("div", { class: "actions" },
                    element("button", { type: "button", autofocus: !note, onclick: () => close(null) }, "Cancel"),
                    element("button", {
                        type: "button", class: question.isDanger ? "danger" : "main",
                        onclick: () => close({ note: note instanceof HTMLInputElement ? note.value : "" }),
                    }, question.action)),
            ],
        };
    });
}

/**
 * A dialog of any content. The escape key leaves it.
 *
 * @template Answer
 * @param {string} title
 * @param {(close: (answer: Answer | null) => void) => {content: import("./dom.js").Content[], describedBy?: string}} fill
 * @returns {Promise<Answer | null>} null when it was left
 */
export function talk(title, fill) {
    return new Promise((resolve) => {
        /** @type {Answer | null} */
        let said = null;
        const heading = freshID();
        const { content, describedBy } = fill((answer) => {
            said = answer;
            dialog.close();
        });
        const names = { "aria-labelledby": heading, "aria-describedby": describedBy };
        const dialog = /** @type {HTMLDialogElement} */ (
            element("dialog", names, element("h2", { id: heading }, title), content));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(said);
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}
