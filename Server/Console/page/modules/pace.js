// Does something when it is wanted, but one at a time, and not more often than once in a while. Nothing while nobody looks.

/** After what took long there is a pause of so many times as long: the server has others to answer. */
const PAUSE_TIMES = 3;

export class Pace {
    /** @param {number} milliseconds @param {() => Promise<unknown>} work @param {AbortSignal} signal */
    constructor(milliseconds, work, signal) {
        this.milliseconds = milliseconds;
        this.work = work;
        this.signal = signal;
        this.isWanted = false;
        this.isBusy = false;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.timer = undefined;
        signal.addEventListener("abort", () => clearTimeout(this.timer), { once: true });
        globalThis.document?.addEventListener("visibilitychange", () => this.go(), { signal });
    }

    want() {
        this.isWanted = true;
        this.go();
    }

    async go() {
        if (!this.isWanted || this.isBusy || this.signal.aborted || globalThis.document?.hidden) return;
        this.isWanted = false;
        this.isBusy = true;
        const began = Date.now();
        try {
            await this.work();
        } finally {
            // What is wanted meanwhile waits for the next turn.
            this.timer = setTimeout(() => {
                this.isBusy = false;
                this.go();
            }, Math.max(this.milliseconds, PAUSE_TIMES * (Date.now() - began)));
        }
    }
}
