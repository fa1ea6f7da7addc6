// How the server answers a query: by which index, with which scans.

import { path } from "./api.js";
import { element, replace } from "./dom.js";

/**
 * @param {import("./main.js").Place} place
 * @param {string} className
 * @param {() => string} where the query that is shown
 */
export function planDetails(place, className, where) {
    const shown = element("pre", { class: "plan", tabindex: 0, role: "region", "aria-label": "Plan" });
    /** @type {string | null} whose plan is shown */
    let planned = null;
    const read = () => place.attempt(async () => {
        const wanted = where();
        if (!details.open || planned === wanted) return;
        planned = wanted;
        const query = new URLSearchParams(wanted ? { where: wanted } : {});
        const { plan } = await place.api.get(path`/databases/${place.database}/plan/${className}` + `?${query}`, place.signal);
        if (planned === wanted) replace(shown, plan);
    });
    const details = /** @type {HTMLDetailsElement} */ (element("details", { class: "plan-details", ontoggle: () => { read(); } },
        element("summary", {}, "How it is answered"), shown));
    return { details, read };
}
