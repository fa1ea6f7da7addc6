// Tables, whole and in pages.

import { element, freshID, replace } from "./dom.js";
import { plural, time } from "./format.js";

/** @typedef {import("./dom.js").Content} Content */
/**
 * @template Row
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: Row) => Content | Content[]} cell
 * @property {boolean} [isNumber]
 * @property {boolean} [isHeading] names the row
 * @property {boolean} [isActions]
 */

/**
 * @template Row
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {Row[]} rows
 * @param {string} empty what is said where there is no row
 */
export function table(caption, columns, rows, empty) {
    const body = rows.length > 0
        ? rows.map((row) => line(columns, row))
        : element("tr", { role: "row" }, element("td", { role: "cell", class: "empty", colspan: columns.length }, empty));
    const id = freshID();
    const scroller = element("div", { class: "scroller", role: "region", "aria-labelledby": id, "data-key": `table ${caption}` },
        element("table", { role: "table" },
            element("caption", { id }, caption),
            element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, columns.map((column) =>
                element("th", { scope: "col", role: "columnheader", class: column.isNumber && "number" }, column.title)))),
            element("tbody", { role: "rowgroup" }, body)));
    widths?.observe(scroller);
    return scroller;
}

/** What scrolls can be reached by the keyboard, and what does not is no stop on its way. */
const widths = typeof ResizeObserver === "undefined" ? null : new ResizeObserver((entries) => {
    for (const { target } of entries) {
        if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
        else target.removeAttribute("tabindex");
    }
});

/**
 * On a narrow screen a row is shown as a card, in which each cell has its title. The roles keep it a table for screen readers.
 *
 * @template Row
 * @param {Column<Row>[]} columns
 * @param {Row} row
 */
function line(columns, row) {
    return element("tr", { role: "row" }, columns.map((column) => {
        const kind = column.isNumber ? "number" : column.isActions ? "actions-cell" : null;
        const content = element("div", {}, column.cell(row));
        return column.isHeading
            ? element("th", { scope: "row", role: "rowheader" }, content)
            : element("td", { role: "cell", class: kind, "data-title": column.title }, content);
    }));
}

/**
 * A table of a list that the server answers in pages. Further pages come by a button.
 *
 * @template Row
 * @param {{attempt: (work: () => Promise<void>) => unknown}} place says why a page does not come
 * @param {string} caption
 * @param {Column<Row>[]} columns
 * @param {(after: string | null) => Promise<{rows: Row[], next?: string}>} load
 * @param {string} empty
 */
export async function pagedTable(place, caption, columns, load, empty) {
    const shown = element("div");
    /** @type {Row[]} */
    let all = [];
    const more = async (/** @type {string | null} */ after) => {
        const { rows, next } = await load(after);
        all = [...all, ...rows];
        const said = `${caption}: ${plural(all.length, "entry", "entries")}${next ? ", and there are more" : ""}`;
        replace(shown, table(said, columns, all, empty),
            next && element("button", {
                type: "button", class: "more", "data-key": "more", onclick: () => place.attempt(() => more(next)),
            }, "Show more"));
    };
    await more(null);
    return shown;
}

/** A day, where the server keeps no more. @param {string | undefined} text */
export const day = (text) => (text ? element("time", { datetime: text }, text.slice(0, 10)) : "–");

/** A point in time. @param {string | undefined} text */
export const moment = (text) => (text ? element("time", { datetime: text, title: text }, time(text)) : "–");
