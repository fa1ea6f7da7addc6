// What is around a part: the name of the place and the navigation.

import { partsOf, placeName } from "./about.js";
import { element, muted, replace } from "./dom.js";
import { zoneWords } from "./format.js";
import { hashOf, routeOf } from "./route.js";

/** What is here sooner needs no word. */
const READING_MILLISECONDS = 500;

const byID = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

export const main = byID("main");
export const signOut = byID("sign-out");
export const [status, alert, outageLine] = [byID("status"), byID("alert"), byID("outage")];
const [nav, brand, zone] = [byID("parts"), byID("brand"), byID("zone")];

// The link that skips the navigation is no address of a part.
document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
});

/**
 * Draws it, and says where the address leads.
 *
 * @param {Record<string, {title: string, needsDatabase?: boolean}>} parts
 * @param {import("./about.js").About | null} about
 */
export function showFrame(parts, about) {
    const names = partsOf(about);
    const route = routeOf(location.hash, names);
    brand.textContent = about?.kind === "file" ? about.name ?? "" : "Causeway";
    nav.hidden = false;
    signOut.hidden = false;
    zone.hidden = false;
    zone.textContent = zoneWords(Intl.DateTimeFormat().resolvedOptions().timeZone);
    replace(nav, names.map((name) => element("a", {
        href: hashOf(name, parts[name].needsDatabase ? route.database : null), "data-key": name,
        "aria-current": name === route.part && "page",
    }, parts[name].title)));
    return route;
}

/** Before somebody has signed in. */
export function hideFrame() {
    nav.hidden = true;
    signOut.hidden = true;
    zone.hidden = true;
}

/**
 * Whoever goes to a part that takes long does not see the one before.
 *
 * @param {Record<string, {title: string}>} parts
 * @param {() => import("./about.js").About | null} about
 * @param {AbortSignal} signal ends with the part
 */
export function sayReading(parts, about, signal) {
    const before = main.firstChild;
    setTimeout(() => {
        if (signal.aborted || main.firstChild !== before) return;
        const who = about();
        const title = who ? parts[showFrame(parts, who).part].title : placeName(who);
        main.replaceChildren(element("h1", { tabindex: -1 }, title), muted("Reading…"));
    }, READING_MILLISECONDS);
}

/**
 * Shows what was made of a part.
 *
 * @param {HTMLElement} container
 * @param {boolean} movesFocus whether somebody went there; else the same is shown anew, and what was open stays so
 */
export function put(container, movesFocus) {
    const open = [...main.querySelectorAll("details[open][data-key]")].map((one) => one.getAttribute("data-key"));
    main.replaceChildren(container);
    if (movesFocus) {
        /** @type {HTMLElement | null} */ (main.querySelector("[data-arrive]") ?? main.querySelector("h1"))?.focus();
        return;
    }
    for (const one of main.querySelectorAll("details[data-key]")) {
        if (open.includes(one.getAttribute("data-key"))) one.setAttribute("open", "");
    }
}
