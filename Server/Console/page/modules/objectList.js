// The objects of a class: as many as a query finds, in an order.

import { path, Refusal } from "./api.js";
import { element, replace } from "./dom.js";
import { duration, plural } from "./format.js";
import { Grid } from "./grid.js";
import { Addresses, cellAddress, columnsOf, nextOrder, objectCell } from "./objectCells.js";
import { planDetails } from "./plan.js";
import { queryBox } from "./queryBox.js";
import { createObject } from "./objectEdits.js";
import { ObjectSource } from "./objectSource.js";
import { PAGE_OBJECTS, startOf } from "./pages.js";
import { hashOf } from "./route.js";
import { ROW } from "./schema.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./schema.js").Class} Class */
/** @typedef {{where: string, sort: string}} Search */

/** So long lasts what is seen, however often the database changes. */
const RENEW_MILLISECONDS = 1_000;

/** What takes longer to find is waited for in the list itself, which says so. */
const FRAME_MILLISECONDS = 150;
/** A search that takes longer is said to go on. */
const SEARCHING_MILLISECONDS = 500;

/** @param {Place} place @param {import("./schema.js").Schema} schema @param {Class} one */
export async function objectList(place, schema, one) {
    const { where = "", sort = "", at = "0", column = "0" } = place.route.parameters;
    const list = new ObjectList(place, schema, one, where);
    if ("at" in place.route.parameters) list.grid.element.setAttribute("data-arrive", "");
    const first = list.show({ where, sort }, natural(at), natural(column));
    const isHere = await Promise.race([first.then(() => true), new Promise((resolve) => {
        setTimeout(() => resolve(false), FRAME_MILLISECONDS);
    })]);
    if (!isHere) {
        list.saySearching();
        place.attempt(() => first);
    }
    const changes = { events: ["version"], database: place.database, milliseconds: RENEW_MILLISECONDS };
    place.follow(changes, () => list.renew());
    return { title: one.name, content: list.content, again: () => place.attempt(() => list.again()) };
}

/** @param {string} text */
const natural = (text) => Math.max(0, Math.floor(Number(text))) || 0;

export class ObjectList {
    /** @param {Place} place @param {import("./schema.js").Schema} schema @param {Class} one @param {string} where */
    constructor(place, schema, one, where) {
        this.place = place;
        this.one = one;
        /** @type {Search} what is shown */
        this.search = { where: "", sort: "" };
        /** What somebody has asked for last. */
        this.wanted = this.search;
        /** @type {ObjectSource | null} */
        this.source = null;
        this.latest = new AbortController();
        /** Whether the address is one to come back to, so that what is typed next gets another. */
        this.isPlace = true;
        const addresses = new Addresses(place.database, schema);
        const columns = columnsOf(one, "");
        this.columns = columns;
        this.isWhole = columns.length >= one.properties.length;
        this.grid = new Grid({
            label: `Objects of ${one.name}`, columns,
            cell: (row, column) => {
                const object = this.source?.object(row);
                return object ? objectCell(addresses, one, object, column, columns[column].property) : null;
            },
            look: (first, last) => this.source?.look(first, last),
            leave: (row, column) => this.keep({ row, column }),
            open: (row, column) => {
                const object = this.source?.object(row);
                const address = object && cellAddress(addresses, one, object, columns[column].property);
                if (address) this.go({ row, column }, address);
                else if (object) place.notices.say("No address names this key. A query finds the object.");
            },
            sort: (column) => place.attempt(() => this.sortBy(nextOrder(columns[column]))),
        });
        this.said = element("p", { role: "status", class: "found" });
        this.plan = planDetails(place, one.name, () => this.search);
        this.box = queryBox({
            schema, one, where, found: this.said, signal: place.signal,
            search: (wanted, isMeant) => { place.attempt(() => this.find(wanted, isMeant)); },
        });
        this.content = [this.box.form, element("div", { class: "found-row" },
            place.about.isWritable && element("button", {
                type: "button", class: "quiet", onclick: () => createObject(place, one),
            }, "New object…"), this.plan.details), this.grid.element];
    }

    // MARK: - Searching

    /**
     * Shows what a search finds. One that the server does not answer leaves what was found before.
     *
     * @param {Search} search
     * @param {number} row the one to begin with
     * @param {number} [column]
     * @returns {Promise<boolean>} whether it is shown
     */
    async show(search, row, column) {
        this.latest.abort();
        this.latest = new AbortController();
        const { signal } = this.latest;
        const began = performance.now();
        this.wanted = search;
        const late = setTimeout(() => this.saySearching(), SEARCHING_MILLISECONDS);
        signal.addEventListener("abort", () => clearTimeout(late), { once: true });
        this.grid.element.setAttribute("aria-busy", "true");
        let answer;
        try {
            answer = await this.load(search, { from: startOf(row), limit: PAGE_OBJECTS }, signal);
        } catch (error) {
            if (signal.aborted) return false;
            this.sayFound();
            if (!(error instanceof Refusal) || ![400, 422].includes(error.status)) throw error;
            this.box.say(error.message);
            return false;
        } finally {
            clearTimeout(late);
            if (!signal.aborted) this.grid.element.removeAttribute("aria-busy");
        }
        if (signal.aborted) return false;
        this.box.say("");
        this.take(search, answer, Math.min(row, Math.max(0, answer.count - 1)), column);
        this.sayFound((performance.now() - began) / 1000);
        this.plan.read();
        return true;
    }

    /** @param {Search} search @param {import("./pages.js").Answer} answer @param {number} row @param {number} [column] */
    take(search, answer, row, column) {
        this.search = search;
        this.source?.end();
        this.source = new ObjectSource({
            answer, load: (want, left) => this.load(search, want, left), changed: () => this.changed(),
            attempt: this.place.byItself, signal: this.place.signal,
        });
        columnsOf(this.one, search.sort).forEach(({ sort }, index) => { this.columns[index].sort = sort; });
        this.grid.drawHead();
        this.grid.fill(answer.count, row, column);
    }

    /** @param {Search} search @param {import("./pages.js").Want} want @param {AbortSignal} signal */
    load({ where, sort }, { from, limit }, signal) {
        const names = this.columns.map(({ property }) => property.name).filter((name) => name !== ROW);
        const fields = this.isWhole ? "" : names.join(",");
        const query = new URLSearchParams({
            from: String(from), limit: String(limit), ...(where && { where }), ...(sort && { sort }), ...(fields && { fields }),
        });
        return this.place.api.get(path`/databases/${this.place.database}/objects/${this.one.name}` + `?${query}`,
            AbortSignal.any([signal, this.place.signal]));
    }

    /** Pages have come. */
    changed() {
        const count = this.source?.count ?? 0;
        if (count === this.grid.rows) return this.grid.draw();
        this.sayFound();
        this.grid.fill(count);
    }

    again() {
        return this.show(this.source ? this.search : this.wanted, this.grid.active.row);
    }

    /** The database has changed, or the server is back. */
    renew() {
        if (this.source) return this.source.renew();
        return this.grid.element.hasAttribute("aria-busy") ? Promise.resolve() : this.again();
    }

    /**
     * All that is typed until Enter is one place to come back to.
     *
     * @param {string} where @param {boolean} isMeant
     */
    async find(where, isMeant) {
        if (!(await this.show({ ...this.search, where }, 0))) return;
        this.keep(null, this.isPlace ? "pushState" : "replaceState");
        this.isPlace = isMeant;
    }

    /** @param {string} sort */
    async sortBy(sort) {
        // What was typed a moment ago counts, too.
        if (await this.show({ where: this.box.where(), sort }, 0)) this.keep(null, "pushState");
        this.isPlace = true;
    }

    saySearching() {
        replace(this.said, "Searching…");
    }

    /** @param {number} [seconds] */
    sayFound(seconds) {
        if (!this.source) return replace(this.said);
        const found = plural(this.source.count, "object", "objects");
        replace(this.said, seconds === undefined ? found : `${found}, ${duration(seconds)}`);
    }

    // MARK: - The address

    /**
     * The address leads back to what is shown now.
     *
     * @param {{row: number, column: number} | null} cell the one that is left
     * @param {"pushState" | "replaceState"} [how]
     */
    keep(cell, how = "replaceState") {
        const at = cell ? { at: String(cell.row), ...(cell.column > 0 && { column: cell.column }) } : {};
        const address = hashOf("data", this.place.database, [this.one.name], { ...this.search, ...at });
        history[location.hash === address ? "replaceState" : how](null, "", address);
    }

    /** @param {{row: number, column: number}} cell @param {string} address */
    go(cell, address) {
        this.keep(cell);
        location.hash = address;
    }
}
