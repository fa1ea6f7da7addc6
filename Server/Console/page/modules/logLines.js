// The newest lines of the server's log, as far as they are shown. Pure.

/**
 * @typedef {object} LogLine
 * @property {number} number
 * @property {string} time
 * @property {string} level
 * @property {string} message
 * @property {Record<string, unknown>} [fields]
 */

/** Older ones leave. The log itself is where the server writes it. */
export const LINES_MAX = 1_000;
export const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];

export class LogLines {
    constructor() {
        /** @type {LogLine[]} */
        this.all = [];
        /** @type {LogLine[] | null} what came since somebody paused */
        this.waiting = null;
        this.last = -1;
        this.least = "trace";
    }

    /**
     * Lines may come twice: by the stream, and by asking.
     *
     * @param {LogLine[]} lines
     * @returns {number} how many were new
     */
    add(lines) {
        const fresh = lines.filter(({ number }) => number > this.last).sort((one, other) => one.number - other.number);
        this.last = fresh.at(-1)?.number ?? this.last;
        const list = this.waiting ?? this.all;
        list.push(...fresh);
        list.splice(0, list.length - LINES_MAX);
        return fresh.length;
    }

    /**
     * An answer of the server. Where it has started anew, its numbers begin again.
     *
     * @param {{lines: LogLine[], next: number}} answer
     */
    take({ lines, next }) {
        if (next < this.last) this.last = -1;
        return this.add(lines);
    }

    pause() {
        this.waiting ??= [];
    }

    resume() {
        this.all.push(...(this.waiting ?? []));
        this.all.splice(0, this.all.length - LINES_MAX);
        this.waiting = null;
    }

    /** Those that are at least of the chosen level. */
    get shown() {
        const least = LEVELS.indexOf(this.least);
        // A level that this page does not know is shown.
        return this.all.filter(({ level }) => !LEVELS.includes(level) || LEVELS.indexOf(level) >= least);
    }
}

/**
 * The fields of a line, as `name=value`.
 *
 * @param {LogLine} line
 */
export const fieldWords = ({ fields = {} }) =>
    Object.entries(fields)
        .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" ");
