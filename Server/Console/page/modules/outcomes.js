// Does what may fail, and says why it did.

import { NoAnswer, Refusal } from "./api.js";
import { element, muted } from "./dom.js";

/**
 * A section of a part. What the server refuses to tell is said in its place, and the other sections are shown.
 *
 * @param {() => Promise<import("./dom.js").Content>} read
 */
export async function section(read) {
    try {
        return element("section", {}, await read());
    } catch (error) {
        if (!(error instanceof Refusal) || error.status === 401) throw error;
        return element("section", {}, muted(error.message));
    }
}

export class Outcomes {
    /** @param {import("./notices.js").Notices} notices @param {() => void} signInAgain the token counts no more */
    constructor(notices, signInAgain) {
        this.notices = notices;
        this.signInAgain = signInAgain;
    }

    /** @param {() => Promise<unknown>} work @param {AbortSignal} signal whoever left is told nothing */
    async attempt(work, signal) {
        try {
            await work();
            return true;
        } catch (error) {
            if (!signal.aborted) this.say(error);
            return false;
        }
    }

    /**
     * What the page does by itself: when it succeeds, the server answers again.
     *
     * @param {() => Promise<unknown>} work
     * @param {AbortSignal} signal
     */
    async byItself(work, signal) {
        if (await this.attempt(work, signal)) this.notices.answered();
    }

    /** @param {() => Promise<unknown>} work @param {number} milliseconds @param {AbortSignal} signal */
    repeat(work, milliseconds, signal) {
        const timer = setTimeout(async () => {
            await this.byItself(work, signal);
            if (!signal.aborted) this.repeat(work, milliseconds, signal);
        }, milliseconds);
        signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }

    /**
     * False where the operator has to sign in again.
     *
     * @param {unknown} error
     */
    say(error) {
        if (error instanceof Refusal && error.status === 401) {
            this.signInAgain();
            return false;
        }
        this.notices.warn(error instanceof Error ? error.message : String(error), error instanceof NoAnswer);
        return true;
    }
}
