// Whether the server answers and tells what changes. Where it does not, one line says since when, until it does again.

import { NoAnswer } from "./api.js";
import { clock } from "./format.js";

/** How often is asked whether the server is there: while it is, and while it is not. */
const BEAT_MILLISECONDS = 5_000;
const RETRY_MILLISECONDS = 2_000;
/** A stream that ends begins anew a second later. Only where it does not is it worth a word. */
const ENDS_MIN = 2;

export class Outage {
    /**
     * @param {object} how
     * @param {() => Promise<unknown>} how.ask whether somebody is there
     * @param {(error: unknown) => void} how.refused somebody is there and does not say so
     * @param {(words: string) => void} how.say no words where all is well
     * @param {(wasGone: boolean) => void} how.answered
     * @param {() => Date} [how.now]
     */
    constructor({ ask, refused, say, answered, now = () => new Date() }) {
        this.ask = ask;
        this.refused = refused;
        this.say = say;
        this.answered = answered;
        this.now = now;
        /** @type {Date | null} since when there is no answer */
        this.silent = null;
        /** @type {Date | null} since when there is no stream */
        this.deaf = null;
        this.ends = 0;
        /** Another one for each server that somebody signs in to. */
        this.turn = new AbortController();
        this.isLooking = false;
    }

    /**
     * Listens to the stream, and asks all the time, until the signal ends it.
     *
     * @param {Pick<import("./live.js").Live, "listen">} live
     * @param {AbortSignal} signal
     */
    watch(live, signal) {
        live.listen(({ event }) => {
            if (event === "begun") this.streamBegun();
            if (event === "ended") this.streamEnded();
        }, signal);
        const beat = setInterval(() => { if (!globalThis.document?.hidden) this.look(); }, BEAT_MILLISECONDS);
        signal.addEventListener("abort", () => clearInterval(beat), { once: true });
    }

    streamBegun() {
        [this.deaf, this.ends] = [null, 0];
        this.draw();
    }

    /** It ended, or could not begin. */
    streamEnded() {
        this.deaf ??= this.now();
        this.ends += 1;
        this.draw();
        this.look();
    }

    /** Asks whether the server is there, and goes on asking until it is. */
    async look() {
        if (this.isLooking) return;
        this.isLooking = true;
        const { signal } = this.turn;
        while (!(await this.isThere(signal))) {
            await new Promise((resolve) => { setTimeout(resolve, RETRY_MILLISECONDS); });
            if (signal.aborted) return;
        }
        if (signal.aborted) return;
        this.isLooking = false;
        const wasGone = this.silent !== null;
        this.silent = null;
        this.draw();
        this.answered(wasGone);
    }

    /** @param {AbortSignal} signal */
    async isThere(signal) {
        try {
            await this.ask();
        } catch (error) {
            if (error instanceof NoAnswer && !signal.aborted) {
                this.silent ??= this.now();
                this.draw();
                return false;
            }
            if (!signal.aborted) this.refused(error);
        }
        return true;
    }

    /** Nobody is signed in any more. */
    end() {
        this.turn.abort();
        this.turn = new AbortController();
        this.isLooking = false;
        this.silent = null;
        this.streamBegun();
    }

    draw() {
        const isDeaf = this.deaf !== null && this.ends >= ENDS_MIN;
        const since = this.deaf ?? this.silent;
        this.say(since && (this.silent || isDeaf) ? outageWords(since, this.silent !== null) : "");
    }
}

/** @param {Date} since @param {boolean} isSilent */
function outageWords(since, isSilent) {
    return `Not live since ${clock(since)}.${isSilent ? " The server does not answer." : ""} The page tries again.`;
}
