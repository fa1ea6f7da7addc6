// Reads Prometheus' text format. Pure.

/** @typedef {{labels: Record<string, string>, value: number}} Series */

export class Metrics {
    /** @param {string} text */
    constructor(text) {
        /** @type {Map<string, Series[]>} */
        this.byName = new Map();
        for (const line of text.split("\n")) {
            const read = line && !line.startsWith("#") ? lineOf(line) : null;
            if (!read) continue;
            const all = this.byName.get(read.name);
            if (all) all.push(read);
            else this.byName.set(read.name, [read]);
        }
    }

    /** The series of a name that have these labels. @param {string} name @param {Record<string, string>} [labels] */
    all(name, labels = {}) {
        const wanted = Object.entries(labels);
        return (this.byName.get(name) ?? []).filter((one) => wanted.every(([key, value]) => one.labels[key] === value));
    }

    /** @param {string} name @param {Record<string, string>} [labels] */
    sum(name, labels) {
        return this.all(name, labels).reduce((sum, one) => sum + one.value, 0);
    }

    /** Undefined where there is none. @param {string} name @param {Record<string, string>} [labels] */
    value(name, labels) {
        return this.all(name, labels)[0]?.value;
    }

    /**
     * The buckets of a histogram, of all its series together: how many observations are not above each bound.
     *
     * @param {string} name
     * @returns {Map<number, number>}
     */
    buckets(name) {
        /** @type {Map<number, number>} */
        const sums = new Map();
        for (const { labels, value } of this.all(`${name}_bucket`)) {
            const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
            sums.set(bound, (sums.get(bound) ?? 0) + value);
        }
        return sums;
    }
}

/** @param {string} line */
function lineOf(line) {
    const head = /^([a-zA-Z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?\s+(\S+)/.exec(line);
    if (!head) return null;
    /** @type {Record<string, string>} */
    const labels = Object.create(null);
    for (const [, key, text] of (head[2] ?? "").matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)) {
        labels[key] = text.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
    }
    const value = head[3] === "+Inf" ? Infinity : head[3] === "-Inf" ? -Infinity : Number(head[3]);
    return { name: head[1], labels, value };
}

/**
 * The value that so large a part of the observations between two scrapes does not exceed, as a bound of a bucket with the
 * part of the bucket that is needed. Null where nothing was observed.
 *
 * @param {Map<number, number>} before
 * @param {Map<number, number>} after
 * @param {number} part 0.95 for the 95th percentile
 */
export function quantile(before, after, part) {
    const bounds = [...after.keys()].sort((one, other) => one - other);
    const counts = bounds.map((bound) => (after.get(bound) ?? 0) - (before.get(bound) ?? 0));
    const all = counts.at(-1) ?? 0;
    // Fewer than before: the server has started anew.
    if (all <= 0 || counts.some((count) => count < 0)) return null;
    const index = counts.findIndex((count) => count >= part * all);
    const low = index > 0 ? bounds[index - 1] : 0;
    if (bounds[index] === Infinity) return low;
    const below = index > 0 ? counts[index - 1] : 0;
    return low + (bounds[index] - low) * ((part * all - below) / (counts[index] - below));
}
