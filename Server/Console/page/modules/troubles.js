// What stands in the place of a part that cannot be shown.

import { NoAnswer } from "./api.js";
import { element } from "./dom.js";
import { notice } from "./notices.js";

/**
 * Why no database can be shown. Another one in its place could be taken for it.
 *
 * @param {import("./watch.js").Watch} watch @param {string | null} wanted
 */
export function missingDatabase(watch, wanted) {
    if (watch.names.length === 0) return notice("warning", "The server has no database");
    if (wanted === null || watch.hasMore || watch.names.includes(wanted)) return null;
    const words = "It may have been dropped. The overview lists those that there are.";
    return notice("warning", `The server has no database ${wanted}`, words);
}

/** @param {unknown} error @param {() => void} again */
export function trouble(error, again) {
    const title = error instanceof NoAnswer ? "The server does not answer" : "This cannot be shown";
    return element("div", {}, notice("problem", title, error instanceof Error ? error.message : String(error)),
        element("p", {}, element("button", { type: "button", class: "main", onclick: again }, "Try again")));
}
