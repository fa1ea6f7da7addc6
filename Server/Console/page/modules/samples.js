// The last hour as this page has seen it: what charts show of the scrapes since it was opened. Pure.

import { quantile } from "./metrics.js";

/** How far back samples go. */
export const SPAN_MILLISECONDS = 3_600_000;
/** How often one is taken. */
export const STEP_MILLISECONDS = 10_000;
/** Samples that come faster would show a moment as if it were a trend. */
const STEP_MILLISECONDS_MIN = STEP_MILLISECONDS / 2;

/** @typedef {{time: number, value: number | null}} Point */
/** @typedef {{time: number, metrics: import("./metrics.js").Metrics}} Sample */
/** @typedef {(before: Sample, after: Sample) => number | null} Reading */

/** Null where a database was not read in time, so that its part of the sum lacks. @param {string} name @returns {Reading} */
const gauge = (name) => (_, { metrics }) => {
    const isWhole = metrics.all("causeway_database_up").every(({ labels }) =>
        metrics.all(name, { database: labels.database }).length > 0);
    return isWhole ? metrics.sum(name) : null;
};

/** How much a counter grew each second. @param {string} name @returns {Reading} */
const rate = (name) => (before, after) => {
    const grown = after.metrics.sum(name) - before.metrics.sum(name);
    return grown < 0 ? null : (grown * 1000) / (after.time - before.time);
};

/** The 95th percentile of what was observed meanwhile. @param {string} name @returns {Reading} */
const percentile = (name) => (before, after) =>
    quantile(before.metrics.buckets(name), after.metrics.buckets(name), 0.95);

/** @type {Record<string, Reading>} */
export const READINGS = {
    sessions: gauge("causeway_sessions"),
    merged: rate("causeway_operations_merged_total"),
    refused: rate("causeway_operations_refused_total"),
    download: rate("causeway_download_bytes_total"),
    commit: percentile("causeway_commit_seconds"),
    told: percentile("causeway_commit_to_told_seconds"),
};

export class Samples {
    constructor() {
        /** @type {Map<string, Point[]>} */
        this.series = new Map(Object.keys(READINGS).map((name) => [name, []]));
        /** @type {Sample | null} */
        this.last = null;
    }

    /** @param {number} now @param {import("./metrics.js").Metrics} metrics */
    add(now, metrics) {
        const sample = { time: now, metrics };
        const before = this.last;
        if (before && now - before.time < STEP_MILLISECONDS_MIN) return;
        if (before) {
            for (const [name, reading] of Object.entries(READINGS)) {
                const points = /** @type {Point[]} */ (this.series.get(name));
                points.push({ time: now, value: reading(before, sample) });
                while (points[0].time < now - SPAN_MILLISECONDS) points.shift();
            }
        }
        this.last = sample;
    }

    /** @param {string} name @returns {Point[]} */
    points(name) {
        return this.series.get(name) ?? [];
    }
}
