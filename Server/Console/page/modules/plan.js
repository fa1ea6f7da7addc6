// How the server answers a query: by which index, with which scans.

import { path } from "./api.js";
import { element, replace } from "./dom.js";

/**
 * @param {import("./main.js").Place} place
 * @param {string} className
 * @param {() => {where: string, sort: string}} shownSearch
 */
export function planDetails(place, className, shownSearch) {
    const shown = element("pre", { class: "plan", tabindex: 0, role: "region", "aria-label": "Plan" });
    /** @type {string | null} whose plan is shown */
    let planned = null;
    const read = () => place.attempt(async () => {
        const { where, sort } = shownSearch();
        const query = String(new URLSearchParams({ ...(where && { where }), ...(sort && { sort }) }));
        if (!details.open || planned === query) return;
        planned = query;
        const { plan } = await place.api.get(path`/databases/${place.database}/plan/${className}` + `?${query}`, place.signal);
        if (planned === query) replace(shown, planWords(plan, sort));
    });
    const details = /** @type {HTMLDetailsElement} */ (element("details", { class: "plan-details", ontoggle: () => { read(); } },
        element("summary", {}, "How it is answered"), shown));
    return { details, read };
}

/**
 * The head of a column sorts last, and the server does not say by what.
 *
 * @param {string} plan @param {string} sort
 */
export function planWords(plan, sort) {
    if (!sort || !plan.endsWith("sort")) return plan;
    return `${plan} by ${sort.replace(/^-/, "")}${sort.startsWith("-") ? ", descending" : ""}`;
}
