// The classes beside the objects: which there are, with their counts.

import { path } from "./api.js";
import { element, field, muted, replace } from "./dom.js";
import { count } from "./format.js";
import { hashOf } from "./route.js";
import { Schema } from "./schema.js";

/** @typedef {import("./main.js").Place} Place */

/** A page of the API. */
const CLASSES_MAX = 1_000;
/** More pages than the server takes classes (`limits.schemaClasses`) are not read. */
const PAGES_MAX = 10;
/** So many are found without a search. */
const SEARCHED_CLASSES_MIN = 12;

/** @param {Place} place */
export async function readSchema(place) {
    /** @type {import("./schema.js").Class[]} */
    const all = [];
    let after;
    for (let page = 0; page < PAGES_MAX; page += 1) {
        const query = new URLSearchParams({ limit: String(CLASSES_MAX), ...(after && { after }) });
        const { classes, next } = await place.api.get(path`/databases/${place.database}/schema` + `?${query}`, place.signal);
        all.push(...classes);
        if (!next) break;
        after = next;
    }
    return new Schema(all);
}

/** Counts are read not more often, however much is written. */
const COUNT_MILLISECONDS = 5_000;

/** @param {Place} place @param {Schema} schema @param {string | undefined} current */
export function classList(place, schema, current) {
    let { tops } = schema;
    const list = element("ul", { class: "class-list" });
    const draw = (/** @type {string} */ wanted) => {
        const fitting = tops.filter((one) => one.name.toLowerCase().includes(wanted.toLowerCase()));
        replace(list, fitting.map((one) => element("li", {}, element("a", {
            href: hashOf("data", place.database, [one.name]), "data-key": `class ${one.name}`,
            "aria-current": one.name === current && "page",
        }, element("span", { class: "name" }, one.name), " ", element("span", { class: "muted" }, count(one.objects))))));
        if (fitting.length === 0) list.append(element("li", {}, muted(tops.length > 0 ? "None has this name." : "None yet.")));
    };
    const search = /** @type {HTMLInputElement} */ (element("input", {
        type: "search", autocomplete: "off", spellcheck: "false", oninput: () => draw(search.value.trim()),
    }));
    draw("");
    reveal(list);
    place.follow({ events: ["version"], database: place.database, milliseconds: COUNT_MILLISECONDS }, async () => {
        ({ tops } = await readSchema(place));
        draw(search.value.trim());
    });
    return element("nav", { class: "classes", "aria-label": "Classes" },
        element("a", {
            href: hashOf("data", place.database), class: "all", "aria-current": current === undefined && "page",
        }, "All classes"),
        tops.length >= SEARCHED_CLASSES_MIN && field("Find a class", search), list);
}

/**
 * Scrolls to the class that is shown, once the list is in the page.
 *
 * @param {HTMLElement} list
 */
function reveal(list) {
    const observer = new ResizeObserver(() => {
        const current = list.querySelector("[aria-current]");
        observer.disconnect();
        if (!current) return;
        const below = current.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom;
        list.scrollTop += Math.max(0, below);
    });
    observer.observe(list);
}
