// Fetches the objects of a list where somebody looks, and nowhere else.

import { Pages } from "./pages.js";

/** Who scrolls fast passes by many pages. Only where they rest is something fetched. */
const REST_MILLISECONDS = 80;

/** @typedef {import("./pages.js").Answer} Answer */
/** @typedef {import("./pages.js").Want} Want */

export class ObjectSource {
    /**
     * @param {object} how
     * @param {Answer} how.answer the first page
     * @param {(want: Want, signal: AbortSignal) => Promise<Answer>} how.load
     * @param {() => void} how.changed
     * @param {(work: () => Promise<unknown>) => Promise<boolean>} how.attempt
     * @param {AbortSignal} how.signal
     */
    constructor({ answer, load, changed, attempt, signal }) {
        this.pages = new Pages(answer);
        this.load = load;
        this.changed = changed;
        this.attempt = attempt;
        this.seen = { first: answer.from, last: answer.from };
        /** @type {Map<string, {want: Want, leave: AbortController}>} what is on its way */
        this.asked = new Map();
        this.isEnded = false;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.timer = undefined;
        signal.addEventListener("abort", () => this.end(), { once: true });
    }

    /** @param {number} index */
    object(index) {
        return this.pages.object(index);
    }

    get count() {
        return this.pages.count;
    }

    /**
     * Somebody looks at these rows.
     *
     * @param {number} first
     * @param {number} last
     */
    look(first, last) {
        this.seen = { first, last };
        clearTimeout(this.timer);
        this.leaveUnseen();
        if (this.isEnded || this.pages.missing(this.seen).length === 0) return;
        this.timer = setTimeout(() => this.ask(), REST_MILLISECONDS);
    }

    /** Objects have changed: what is seen is fetched anew, until the end of the promise. */
    async renew() {
        this.pages.renew(this.seen);
        await this.ask();
    }

    /** Answers that are still on their way are of no interest any more. */
    end() {
        this.isEnded = true;
        clearTimeout(this.timer);
        for (const { leave } of this.asked.values()) leave.abort();
    }

    leaveUnseen() {
        for (const [name, { want, leave }] of this.asked) {
            if (want.from <= this.seen.last && want.from + want.limit > this.seen.first) continue;
            leave.abort();
            this.asked.delete(name);
        }
    }

    /** @returns {Promise<unknown>} ends when what was asked for now is here */
    async ask() {
        if (this.isEnded) return;
        await Promise.all(this.pages.missing(this.seen).map(async (want) => {
            const name = String(want.from);
            if (this.asked.has(name)) return;
            const leave = new AbortController();
            this.asked.set(name, { want, leave });
            await this.fetch(name, want, leave.signal);
        }));
    }

    /** @param {string} name @param {Want} want @param {AbortSignal} left */
    async fetch(name, want, left) {
        const isHere = await this.attempt(async () => {
            let answer;
            try {
                answer = await this.load(want, left);
            } catch (error) {
                if (left.aborted) return;
                throw error;
            }
            if (!left.aborted) this.pages.take(answer, this.seen);
        });
        if (left.aborted) return;
        this.asked.delete(name);
        if (!isHere) return;
        this.changed();
        // A page that ended early goes on.
        this.ask();
    }
}
