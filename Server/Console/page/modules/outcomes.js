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
    /**
     * @param {import("./notices.js").Notices} notices
     * @param {() => void} signInAgain the token counts no more
     * @param {() => void} noAnswer something was not answered
     */
    constructor(notices, signInAgain, noAnswer) {
        this.notices = notices;
        this.signInAgain = signInAgain;
        this.noAnswer = noAnswer;
    }

    /** @param {() => Promise<unknown>} work @param {AbortSignal} signal whoever left is told nothing */
    async attempt(work, signal) {
        return this.byItself(async () => {
            try {
                await work();
            } catch (error) {
                if (error instanceof NoAnswer && !signal.aborted) this.notices.say("The server does not answer.");
                throw error;
            }
        }, signal);
    }

    /**
     * What the page does by itself: where there is no answer, the line at the top is enough.
     *
     * @param {() => Promise<unknown>} work
     * @param {AbortSignal} signal
     */
    async byItself(work, signal) {
        try {
            await work();
            return true;
        } catch (error) {
            if (!signal.aborted) this.say(error);
            return false;
        }
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
        if (error instanceof NoAnswer) this.noAnswer();
        else this.notices.warn(error instanceof Error ? error.message : String(error));
        return true;
    }
}
