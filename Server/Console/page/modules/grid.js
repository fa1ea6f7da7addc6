// A table of very many rows, of which only those that are seen are in the page. The keyboard's place is one cell
// (`aria-activedescendant`), so it outlives the rows that come and go.

import { element, freshID } from "./dom.js";
import * as viewport from "./viewport.js";

/**
 * @typedef {object} GridColumn
 * @property {string} name
 * @property {number} rem its width
 * @property {boolean} [isNumber]
 * @property {"ascending" | "descending" | "none" | null} [sort] null where it cannot be sorted by
 */
/**
 * @typedef {object} Filling
 * @property {string} label
 * @property {GridColumn[]} columns
 * @property {(row: number, column: number) => HTMLElement | string | null} cell null where the row is not here yet
 * @property {(first: number, last: number) => void} look these rows are seen
 * @property {(row: number, column: number) => void} open
 * @property {(row: number, column: number) => void} leave somebody follows a link of this row
 * @property {(column: number) => void} sort
 */

/** Rows are numbered from 1, and the first one is the head. */
const HEAD_ROWS = 1;

export class Grid {
    /** @param {Filling} filling */
    constructor(filling) {
        this.filling = filling;
        this.id = freshID();
        this.rows = 0;
        this.top = 0;
        this.active = { row: 0, column: 0 };
        this.drawn = { first: 0, last: -1 };
        /** Whether the cell to begin with may stand beyond the edge. */
        this.isAside = false;
        /** @type {number | null} where the scrollbar was put, which is no scrolling of somebody */
        this.put = null;
        this.head = element("div", { role: "rowgroup", class: "grid-head" });
        this.body = element("div", { role: "rowgroup", class: "grid-body" });
        this.element = element("div", {
            role: "grid", class: "grid", tabindex: 0, "aria-label": filling.label, "data-key": "grid", "aria-readonly": "true",
            "aria-colcount": filling.columns.length,
            onscroll: () => this.scrolled(), onwheel: (/** @type {WheelEvent} */ event) => this.wheeled(event),
            onkeydown: (/** @type {KeyboardEvent} */ event) => this.pressed(event),
            onclick: (/** @type {MouseEvent} */ event) => this.clicked(event),
        }, this.head, this.body);
        this.element.style.setProperty("--columns", filling.columns.map(({ rem }) => `${rem}rem`).join(" "));
        this.element.style.setProperty("--row", `${viewport.ROW_PIXELS}px`);
        this.drawHead();
        new ResizeObserver(() => {
            this.place(this.top);
            this.draw();
            if (this.isAside) this.scrollAside();
        }).observe(this.element);
    }

    get view() {
        return { rows: this.rows, height: Math.max(0, this.element.clientHeight - this.head.offsetHeight) };
    }

    /** @param {number} rows @param {number} [row] the one to begin with @param {number} [column] */
    fill(rows, row, column = this.active.column) {
        this.rows = rows;
        this.element.setAttribute("aria-rowcount", String(rows + HEAD_ROWS));
        this.body.style.height = `${viewport.bodyPixels(rows)}px`;
        const active = row ?? this.active.row;
        this.active = { row: Math.max(0, Math.min(active, rows - 1)), column: Math.min(column, this.filling.columns.length - 1) };
        this.isAside = column > 0;
        this.place(row === undefined ? this.top : row * viewport.ROW_PIXELS);
        this.draw();
    }

    drawHead() {
        this.head.replaceChildren(element("div", { role: "row", "aria-rowindex": 1, class: "grid-row" },
            this.filling.columns.map((column, index) => element("div", {
                role: "columnheader", "aria-colindex": index + 1, "aria-sort": column.sort, class: column.isNumber && "number",
            }, column.sort ? element("button", {
                type: "button", "data-key": `sort ${column.name}`, onclick: () => this.filling.sort(index),
            }, column.name) : column.name))));
    }

    /** Draws the rows that are seen. */
    draw() {
        const { first, last } = viewport.drawn(this.top, this.view);
        this.drawn = { first, last };
        const offset = this.element.scrollTop - this.top;
        const rows = [];
        for (let row = first; row <= last; row += 1) rows.push(this.row(row, offset));
        this.body.replaceChildren(...rows);
        if (this.rows > 0) this.element.setAttribute("aria-activedescendant", this.cellID(this.active));
        else this.element.removeAttribute("aria-activedescendant");
        if (last >= first) this.filling.look(first, last);
    }

    /** @param {number} row @param {number} offset */
    row(row, offset) {
        const cells = this.filling.columns.map((column, index) => {
            const content = this.filling.cell(row, index);
            const isActive = row === this.active.row && index === this.active.column;
            return element("div", {
                role: "gridcell", id: this.cellID({ row, column: index }), "aria-colindex": index + 1,
                class: `${column.isNumber ? "number" : ""}${isActive ? " active" : ""}`.trim() || null,
            }, content ?? (index === 0 ? "…" : null));
        });
        const made = element("div", {
            role: "row", class: "grid-row", "aria-rowindex": row + 1 + HEAD_ROWS, "data-row": row,
            "aria-selected": row === this.active.row,
        }, cells);
        made.style.top = `${row * viewport.ROW_PIXELS + offset}px`;
        return made;
    }

    /** Once the grid has a width. */
    scrollAside() {
        const cell = document.getElementById(this.cellID(this.active));
        if (!cell) return;
        this.isAside = false;
        this.element.scrollLeft = Math.max(0, cell.offsetLeft + cell.offsetWidth - this.element.clientWidth);
    }

    /** @param {{row: number, column: number}} cell */
    cellID = ({ row, column }) => `${this.id}-${row}-${column}`;

    // MARK: - Moving

    /** @param {number} top */
    place(top) {
        this.top = viewport.bounded(top, this.view);
        this.element.scrollTop = viewport.scrollOf(this.top, this.view);
        this.put = this.element.scrollTop;
    }

    scrolled() {
        const { scrollTop } = this.element;
        if (this.put === scrollTop) return;
        this.put = null;
        this.top = viewport.topOf(scrollTop, this.view);
        // Rows that stand where they stood move by themselves.
        const { first, last } = viewport.drawn(this.top, this.view);
        const isSame = !viewport.isScaled(this.rows) && first === this.drawn.first && last === this.drawn.last;
        if (!isSame) this.draw();
    }

    /**
     * Where the scrollbar is out of proportion, a wheel moves as far as anywhere else.
     *
     * @param {WheelEvent} event
     */
    wheeled(event) {
        if (!viewport.isScaled(this.rows) || event.ctrlKey || event.deltaX !== 0) return;
        const unit = [1, viewport.ROW_PIXELS, this.view.height][event.deltaMode] ?? 1;
        const before = this.top;
        this.place(this.top + event.deltaY * unit);
        if (this.top === before) return;
        event.preventDefault();
        this.draw();
    }

    /** @param {KeyboardEvent} event */
    pressed(event) {
        if (event.target !== this.element || event.altKey || event.metaKey) return;
        if (event.key === "Enter" && this.rows > 0) {
            event.preventDefault();
            return this.filling.open(this.active.row, this.active.column);
        }
        const size = { rows: this.rows, columns: this.filling.columns.length, page: viewport.pageRows(this.view) };
        const next = viewport.moved(this.active, event, size);
        if (!next) return;
        event.preventDefault();
        this.active = next;
        this.place(viewport.revealing(next.row, this.top, this.view));
        this.draw();
        document.getElementById(this.cellID(next))?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    /** @param {MouseEvent} event */
    clicked(event) {
        const row = event.target instanceof Element ? event.target.closest("[data-row]") : null;
        if (!row) return;
        const found = [...row.children].findIndex((cell) => cell.contains(/** @type {Node} */ (event.target)));
        const [at, column] = [Number(row.getAttribute("data-row")), Math.max(0, found)];
        if (/** @type {Element} */ (event.target).closest("a")) return this.filling.leave(at, column);
        this.active = { row: at, column };
        this.draw();
    }
}
