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
    return new Promise((resolve) => {
        const [title, text] = [freshID(), freshID()];
        const note = question.noteLabel ? element("input", { type: "text", maxlength: NOTE_LETTERS_MAX }) : null;
        let isMeant = false;
        const close = (/** @type {boolean} */ meant) => {
            isMeant = meant;
            dialog.close();
        };
        const dialog = /** @type {HTMLDialogElement} */ (element("dialog", { "aria-labelledby": title, "aria-describedby": text },
            element("h2", { id: title }, question.title),
            element("p", { id: text }, question.text),
            note && field(question.noteLabel ?? "", note, "Only administrators see it."),
            element("div", { class: "actions" },
                element("button", { type: "button", autofocus: !note, onclick: () => close(false) }, "Cancel"),
                element("button", { type: "button", class: question.isDanger ? "danger" : "main", onclick: () => close(true) },
                    question.action))));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(isMeant ? { note: note instanceof HTMLInputElement ? note.value : "" } : null);
        });
        document.body.append(dialog);
        dialog.showModal();
    });
}
