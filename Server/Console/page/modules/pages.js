// The objects of a long list that are here: pages of it, of which the longest unseen leave. Pure.

export const PAGE_OBJECTS = 100;
/** A page has up to 8 MiB. */
const PAGES_MAX = 12;

/**
 * @typedef {object} Answer
 * @property {number} version
 * @property {number} count of the whole list
 * @property {number} from
 * @property {Record<string, unknown>[]} objects
 */
/** @typedef {{first: number, last: number}} Range */
/** @typedef {{from: number, limit: number}} Want */

export class Pages {
    /** @param {Answer} answer the first one, which may be of any place in the list */
    constructor(answer) {
        /** @type {Map<number, {objects: Record<string, unknown>[], isEnd: boolean, isOld: boolean}>} by the first index */
        this.pages = new Map();
        this.count = answer.count;
        this.version = answer.version;
        this.take(answer, { first: answer.from, last: answer.from });
    }

    /** @param {number} index */
    object(index) {
        const start = startOf(index);
        return this.pages.get(start)?.objects[index - start];
    }

    /**
     * What to ask for, so that a range is here and new. A page that the server has ended early is asked for from there.
     *
     * @param {Range} range
     * @returns {Want[]}
     */
    missing({ first, last }) {
        const all = [];
        for (let start = startOf(first); start <= Math.min(last, this.count - 1); start += PAGE_OBJECTS) {
            const page = this.pages.get(start);
            const whole = Math.min(PAGE_OBJECTS, this.count - start);
            if (!page || page.isOld) all.push({ from: start, limit: PAGE_OBJECTS });
            else if (!page.isEnd && page.objects.length < whole) {
                all.push({ from: start + page.objects.length, limit: PAGE_OBJECTS - page.objects.length });
            }
        }
        return all;
    }

    /** @param {Answer} answer @param {Range} seen */
    take(answer, seen) {
        const start = startOf(answer.from);
        const kept = answer.from === start ? [] : this.pages.get(start)?.objects.slice(0, answer.from - start) ?? [];
        // Part of a page whose beginning has left meanwhile.
        if (kept.length !== answer.from - start) return;
        if (answer.version !== this.version) this.leaveOthers(seen);
        this.version = answer.version;
        this.count = answer.count;
        this.pages.delete(start);
        this.pages.set(start, { objects: [...kept, ...answer.objects], isEnd: answer.objects.length === 0, isOld: false });
        for (const first of this.pages.keys()) {
            if (this.pages.size <= PAGES_MAX) break;
            if (first + PAGE_OBJECTS <= seen.first || first > seen.last) this.pages.delete(first);
        }
    }

    /**
     * The list has changed: what is seen stays until it is there anew.
     *
     * @param {Range} seen
     */
    renew(seen) {
        this.leaveOthers(seen);
        for (const page of this.pages.values()) page.isOld = true;
    }

    /** @param {Range} seen */
    leaveOthers({ first, last }) {
        for (const start of this.pages.keys()) {
            if (start + PAGE_OBJECTS <= first || start > last) this.pages.delete(start);
        }
    }
}

/** @param {number} index */
export const startOf = (index) => index - (index % PAGE_OBJECTS);
