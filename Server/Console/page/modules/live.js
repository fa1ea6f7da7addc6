// What the server tells by itself. While it tells nothing, everything is asked for every ten seconds.

import { EventText } from "./eventText.js";
import { Refusal } from "./api.js";
import { Pace } from "./pace.js";

/** After an end the next attempt waits so long, and twice as long each time that it fails. */
const BACKOFF_MILLISECONDS = 1_000;
const BACKOFF_MILLISECONDS_MAX = 30_000;
/** The server sends a sign of life every 15 seconds. */
const SILENCE_MILLISECONDS_MAX = 40_000;
/** How often is asked where there is no stream. */
const POLL_MILLISECONDS = 10_000;

/** @typedef {import("./eventText.js").ServerEvent} ServerEvent */

export class Live {
    /** @param {import("./api.js").API} api @param {string} [query] */
    constructor(api, query = "") {
        this.where = `/admin/v1/events${query}`;
        this.api = api;
        this.isOn = false;
        /** Ends the wait for the next attempt. */
        this.pause = new AbortController();
        /** @type {Set<(event: ServerEvent) => void>} */
        this.listeners = new Set();
    }

    /**
     * Reads until the signal says otherwise, through every interruption.
     *
     * @param {AbortSignal} signal
     */
    async run(signal) {
        let wait = BACKOFF_MILLISECONDS;
        while (!signal.aborted) {
            const began = Date.now();
            try {
                await this.read(signal);
            } catch (error) {
                // Whoever asks next is told, and signs in again. Where there are no events, they do not come later.
                if (error instanceof Refusal && [401, 404].includes(error.status)) return;
            } finally {
                this.isOn = false;
            }
            if (signal.aborted) return;
            this.tell({ event: "ended", data: {} });
            if (Date.now() - began > BACKOFF_MILLISECONDS_MAX) wait = BACKOFF_MILLISECONDS;
            this.pause = new AbortController();
            await pause(wait, AbortSignal.any([signal, this.pause.signal]));
            wait = this.pause.signal.aborted ? BACKOFF_MILLISECONDS : Math.min(2 * wait, BACKOFF_MILLISECONDS_MAX);
        }
    }

    /** The server is back: the next attempt begins now. */
    wake() {
        this.pause.abort();
    }

    /** @param {AbortSignal} signal */
    async read(signal) {
        const silence = new AbortController();
        let timer = setTimeout(() => silence.abort(), SILENCE_MILLISECONDS_MAX);
        try {
            const reader = await this.api.stream(this.where, AbortSignal.any([signal, silence.signal]));
            const text = new EventText();
            this.isOn = true;
            // What happened before the stream began was not told.
            this.tell({ event: "begun", data: {} });
            for (;;) {
                const { done, value } = await reader.read();
                if (done) return;
                clearTimeout(timer);
                timer = setTimeout(() => silence.abort(), SILENCE_MILLISECONDS_MAX);
                for (const event of text.take(value)) this.tell(event);
            }
        } finally {
            clearTimeout(timer);
        }
    }

    /** @param {ServerEvent} event */
    tell(event) {
        for (const listener of [...this.listeners]) listener(event);
    }

    /** @param {(event: ServerEvent) => void} listener @param {AbortSignal} signal */
    listen(listener, signal) {
        this.listeners.add(listener);
        signal.addEventListener("abort", () => this.listeners.delete(listener), { once: true });
    }

    /**
     * Does something at each change of a database, or of any, but not more often than once in a while.
     *
     * @param {{events: string[], database?: string, milliseconds: number}} what
     * @param {() => Promise<unknown>} work
     * @param {AbortSignal} signal
     */
    follow({ events, database, milliseconds }, work, signal) {
        const pace = new Pace(milliseconds, work, signal);
        this.listen(({ event, data }) => {
            const isMeant = event === "begun" || (events.includes(event) && (!database || data.database === database));
            if (isMeant) pace.want();
        }, signal);
        const poll = setInterval(() => { if (!this.isOn) pace.want(); }, POLL_MILLISECONDS);
        signal.addEventListener("abort", () => clearInterval(poll), { once: true });
    }
}

/** @param {number} milliseconds @param {AbortSignal} signal @returns {Promise<void>} */
const pause = (milliseconds, signal) => new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
    }, { once: true });
});
