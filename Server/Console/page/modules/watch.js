// Asks the server how it is, and keeps what charts need for as long as the page is open.

import { Refusal } from "./api.js";
import { Metrics } from "./metrics.js";
import { isNode } from "./nodes.js";
import { Samples } from "./samples.js";

/** More databases than one page of the API has are not looked at. */
const DATABASES_MAX = 1_000;

export class Watch {
    /** @param {import("./api.js").API} api */
    constructor(api) {
        this.api = api;
        this.samples = new Samples();
        /** @type {Metrics | null} */
        this.first = null;
        this.hasMore = false;
        /** @type {import("./attention.js").Seen} */
        this.seen = { databases: [], problems: [], metrics: new Metrics(""), first: new Metrics(""), now: 0 };
    }

    /** @param {AbortSignal} [signal] */
    async look(signal) {
        await this.list(signal);
        const [problems, text] = await Promise.all([this.api.problems(signal), this.api.metrics(signal)]);
        this.take(text);
        this.seen = { ...this.seen, problems, nodes: isNode(this.seen.metrics) ? await this.nodes(signal) : undefined };
    }

    /** None while the journal does not answer, of which the metrics tell. @param {AbortSignal} [signal] */
    async nodes(signal) {
        try {
            return (await this.api.get("/nodes", signal)).nodes;
        } catch (error) {
            if (error instanceof Refusal) return [];
            throw error;
        }
    }

    /**
     * The databases. Not at the same time as the metrics: the server reads a database once at a time, and leaves out what it
     * is asked for meanwhile.
     *
     * @param {AbortSignal} [signal]
     */
    async list(signal) {
        const list = await this.api.get(`/databases?limit=${DATABASES_MAX}`, signal);
        this.hasMore = list.next !== undefined;
        this.seen = { ...this.seen, databases: list.databases, notOpen: list.notOpen ?? [] };
    }

    get names() {
        return this.seen.databases.map((/** @type {{name: string}} */ one) => one.name);
    }

    /** Only the metrics: while another part than the overview is shown. @param {AbortSignal} [signal] */
    async sample(signal) {
        this.take(await this.api.metrics(signal));
    }

    /** @param {string} text */
    take(text) {
        const metrics = new Metrics(text);
        const now = Date.now();
        // A counter that went back: the server has started anew, and what was counted before is gone.
        const begun = "process_start_time_seconds";
        if (this.first?.value(begun) !== metrics.value(begun)) this.first = metrics;
        this.samples.add(now, metrics);
        this.seen = { ...this.seen, metrics, first: this.first ?? metrics, now };
    }
}
