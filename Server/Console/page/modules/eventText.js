// Reads server-sent events out of a stream of text. Pure.

/** @typedef {{event: string, data: any}} ServerEvent */

/** No event of the server is longer. */
const EVENT_LETTERS_MAX = 1_000_000;

export class EventText {
    constructor() {
        this.rest = "";
        this.event = "";
        /** @type {string[]} */
        this.data = [];
        this.letters = 0;
    }

    /**
     * The events that end in this piece. Comments are signs of life and nothing else.
     *
     * @param {string} piece
     * @returns {ServerEvent[]}
     */
    take(piece) {
        const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/u);
        this.rest = lines.pop() ?? "";
        const events = lines.flatMap((line) => this.line(line));
        if (this.letters + this.rest.length > EVENT_LETTERS_MAX) throw new Error("The server has sent an event without an end.");
        return events;
    }

    /** @param {string} line @returns {ServerEvent[]} */
    line(line) {
        if (line === "") return this.end();
        const [, name, value] = /^([^:]*):? ?(.*)$/su.exec(line) ?? [];
        this.letters += line.length;
        if (name === "event") this.event = value;
        if (name === "data") this.data.push(value);
        return [];
    }

    /** @returns {ServerEvent[]} */
    end() {
        const [event, text] = [this.event || "message", this.data.join("\n")];
        const isEmpty = this.data.length === 0;
        [this.event, this.data, this.letters] = ["", [], 0];
        if (isEmpty) return [];
        try {
            return [{ event, data: JSON.parse(text) }];
        } catch {
            return [];
        }
    }
}
