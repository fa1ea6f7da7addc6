// What is said beside the content: results politely, troubles at once. Screen readers read both.

import { element } from "./dom.js";

/** How long a result is shown. */
const SHOWN_MILLISECONDS = 8_000;

export class Notices {
    /** @param {HTMLElement} status @param {HTMLElement} alert */
    constructor(status, alert) {
        this.status = status;
        this.alert = alert;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.timer = undefined;
    }

    /** @param {string} text */
    say(text) {
        clearTimeout(this.timer);
        this.status.textContent = text;
        this.timer = setTimeout(() => { this.status.textContent = ""; }, SHOWN_MILLISECONDS);
    }

    /** Stays until the operator goes elsewhere. @param {string} text */
    warn(text) {
        if (this.alert.textContent !== text) this.alert.textContent = text;
    }

    clear() {
        this.alert.textContent = "";
    }
}

/** @param {"problem" | "warning" | "good"} kind @param {string} title @param {...import("./dom.js").Content} content */
export const notice = (kind, title, ...content) =>
    element("div", { class: `notice ${kind}` }, element("strong", {}, title), ...content);
