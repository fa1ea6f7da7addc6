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

/** @param {Place} place @param {import("./schema.js").Schema} schema @param {Class} one */
export async function objectList(place, schema, one) {
    const { where = "", sort = "", at = "0" } = place.route.parameters;
    const list = new ObjectList(place, schema, one, where);
    if ("at" in place.route.parameters) list.grid.element.setAttribute("data-arrive", "");
    await list.show({ where, sort }, Math.max(0, Math.floor(Number(at))) || 0);
    const changes = { events: ["version"], database: place.database, milliseconds: RENEW_MILLISECONDS };
    place.follow(changes, async () => list.source?.renew());
    return { title: one.name, content: list.content, again: () => place.attempt(() => list.again()) };
}

export class ObjectList {
    /** @param {Place} place @param {import("./schema.js").Schema} schema @param {Class} one @param {string} where */
    constructor(place, schema, one, where) {
        this.place = place;
        this.one = one;
        /** @type {Search} what is shown */
        this.search = { where: "", sort: "" };
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
            leave: (row) => this.keep(row),
            open: (row, column) => {
                const object = this.source?.object(row);
                const address = object && cellAddress(addresses, one, object, columns[column].property);
                if (address) this.go(row, address);
                else if (object) place.notices.say("No address names this key. A query finds the object.");
            },
            sort: (column) => place.attempt(() => this.sortBy(nextOrder(columns[column]))),
        });
        this.said = element("p", { role: "status", class: "found" });
        this.plan = planDetails(place, one.name, () => this.search.where);
        this.box = queryBox({
            schema, one, where, signal: place.signal,
            search: (wanted, isMeant) => { place.attempt(() => this.find(wanted, isMeant)); },
        });
        this.content = [this.box.form, element("div", { class: "found-row" }, this.said,
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
     * @returns {Promise<boolean>} whether it is shown
     */
    async show(search, row) {
        this.latest.abort();
        this.latest = new AbortController();
        const { signal } = this.latest;
        const began = performance.now();
        this.grid.element.setAttribute("aria-busy", "true");
        let answer;
        try {
            answer = await this.load(search, { from: startOf(row), limit: PAGE_OBJECTS }, signal);
        } catch (error) {
            if (signal.aborted) return false;
            if (!(error instanceof Refusal) || ![400, 422].includes(error.status)) throw error;
            this.box.say(error.message);
            return false;
        } finally {
            if (!signal.aborted) this.grid.element.removeAttribute("aria-busy");
        }
        if (signal.aborted) return false;
        this.box.say("");
        this.take(search, answer, Math.min(row, Math.max(0, answer.count - 1)));
        this.sayFound((performance.now() - began) / 1000);
        this.plan.read();
        return true;
    }

    /** @param {Search} search @param {import("./pages.js").Answer} answer @param {number} row */
    take(search, answer, row) {
        this.search = search;
        this.source?.end();
        this.source = new ObjectSource({
            answer, load: (want, left) => this.load(search, want, left), changed: () => this.changed(),
            attempt: this.place.byItself, signal: this.place.signal,
        });
        columnsOf(this.one, search.sort).forEach(({ sort }, index) => { this.columns[index].sort = sort; });
        this.grid.drawHead();
        this.grid.fill(answer.count, row);
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
        return this.show(this.search, this.grid.active.row);
    }

    /**
     * All that is typed until Enter is one place to come back to.
     *
     * @param {string} where @param {boolean} isMeant
     */
    async find(where, isMeant) {
        if (!(await this.show({ ...this.search, where }, 0))) return;
        this.keep(0, this.isPlace ? "pushState" : "replaceState");
        this.isPlace = isMeant;
    }

    /** @param {string} sort */
    async sortBy(sort) {
        // What was typed a moment ago counts, too.
        if (await this.show({ where: this.box.where(), sort }, 0)) this.keep(0, "pushState");
        this.isPlace = true;
    }

    /** @param {number} [seconds] */
    sayFound(seconds) {
        const found = plural(this.source?.count ?? 0, "object", "objects");
        replace(this.said, seconds === undefined ? found : `${found}, ${duration(seconds)}`);
    }

    // MARK: - The address

    /**
     * The address leads back to what is shown now.
     *
     * @param {number} row
     * @param {"pushState" | "replaceState"} [how]
     */
    keep(row, how = "replaceState") {
        const address = hashOf("data", this.place.database, [this.one.name], { ...this.search, at: row });
        history[location.hash === address ? "replaceState" : how](null, "", address);
    }

    /** @param {number} row @param {string} address */
    go(row, address) {
        this.keep(row);
        location.hash = address;
    }
}
