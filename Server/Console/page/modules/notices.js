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
        this.isCarried = false;
    }

    /** @param {string} text @param {boolean} [isCarried] whether the page goes elsewhere, and it is said there */
    say(text, isCarried = false) {
        clearTimeout(this.timer);
        this.isCarried = isCarried;
        this.status.textContent = text;
        this.timer = setTimeout(() => { this.status.textContent = ""; }, SHOWN_MILLISECONDS);
    }

    /** Somebody went elsewhere. */
    leave() {
        if (!this.isCarried) this.status.textContent = "";
        this.isCarried = false;
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
