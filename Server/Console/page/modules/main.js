// The page: signs in, shows the part that the address names, and says what goes wrong.

import { placeName, tokenIn } from "./about.js";
import { access } from "./access.js";
import { API, NoAnswer } from "./api.js";
import { data } from "./data.js";
import { devices } from "./devices.js";
import { element, replace } from "./dom.js";
import { alert, hideFrame, main, outageLine, put, sayReading, showFrame, signOut, status } from "./frame.js";
import { Live } from "./live.js";
import { Notices } from "./notices.js";
import { operations } from "./operations.js";
import { Outage } from "./outage.js";
import { Outcomes } from "./outcomes.js";
import { overview } from "./overview.js";
import { routeOf } from "./route.js";
import { STEP_MILLISECONDS } from "./samples.js";
import { Session } from "./session.js";
import { signIn } from "./signIn.js";
import { missingDatabase, trouble } from "./troubles.js";
import { Watch } from "./watch.js";

/**
 * What a part gets.
 *
 * @typedef {object} Place
 * @property {HTMLElement} container
 * @property {API} api
 * @property {Watch} watch
 * @property {Notices} notices
 * @property {import("./about.js").About} about
 * @property {string} part
 * @property {import("./route.js").Route} route
 * @property {string[]} databases
 * @property {string} database the one that is chosen; empty where there is none
 * @property {AbortSignal} signal ends with the part
 * @property {(work: () => Promise<unknown>, milliseconds: number) => void} repeat
 * @property {(what: {events: string[], database?: string, milliseconds: number}, work: () => Promise<unknown>) => void} follow
 *     does something at each event, as live.js says
 * @property {(work: () => Promise<unknown>) => void} recover reads anew what no event tells of, when the server is back
 * @property {() => void} anew shows the part anew
 * @property {(work: () => Promise<unknown>) => Promise<boolean>} attempt does what may fail, and says why
 * @property {(work: () => Promise<unknown>) => Promise<boolean>} byItself the same for what nobody has asked for
 */

/** @type {Record<string, {title: string, show: (place: Place) => Promise<void>, needsDatabase?: boolean}>} */
const parts = {
    overview: { title: "Overview", show: overview },
    data: { title: "Data", show: data, needsDatabase: true },
    devices: { title: "Devices", show: devices, needsDatabase: true },
    access: { title: "Access", show: access, needsDatabase: true },
    operations: { title: "Operations", show: operations },
};

const session = new Session(sessionStorage);
const api = new API(session);
const notices = new Notices(status, alert);
let watch = new Watch(api);
const live = new Live(api);
/** Ends with the operator's token. */
let signedIn = new AbortController();
let shown = new AbortController();
const outcomes = new Outcomes(notices, () => {
    shown.abort();
    session.forget();
    showSignIn(isGiven
        ? "The token in the address is not accepted. causeway browse prints a new address each time it begins."
        : "The server does not accept this token any more. Sign in again.");
}, () => outage.look());
const outage = new Outage({
    ask: () => api.answers(), refused: (error) => outcomes.say(error), answered: (wasGone) => returned(wasGone),
    say: (words) => { if (outageLine.textContent !== words) outageLine.textContent = words; },
});
/** Whether the part could not be shown because nobody answered. */
let isMissed = false;
/** @type {(() => Promise<unknown>)[]} what the part reads anew when the server is back */
let recoveries = [];
/** @type {import("./about.js").About | null} who answers; unknown before the operator has signed in */
let about = null;
/** Whether the token came with the address, and nobody has accepted it yet. */
let isGiven = false;

// MARK: - Showing a part

/** @param {boolean} movesFocus whether somebody went here, by a link */
async function show(movesFocus) {
    shown.abort();
    shown = new AbortController();
    const { signal } = shown;
    [isMissed, recoveries] = [false, []];
    if (session.token === null) return showSignIn("");
    main.setAttribute("aria-busy", "true");
    if (movesFocus || !main.firstChild) sayReading(parts, () => about, signal);
    const container = element("div");
    try {
        about ??= await begin(signal);
        await fill(container, signal);
        notices.clear();
    } catch (error) {
        if (signal.aborted || !outcomes.say(error)) return;
        isMissed = error instanceof NoAnswer;
        const { title } = parts[showFrame(parts, about).part];
        container.replaceChildren(element("h1", { tabindex: -1 }, title), trouble(error, () => show(true)));
    }
    if (signal.aborted) return;
    main.removeAttribute("aria-busy");
    put(container, movesFocus);
    document.title = `${main.querySelector("h1")?.textContent} · ${placeName(about)}`;
}

/** @param {AbortSignal} signal @returns {Promise<import("./about.js").About>} */
async function begin(signal) {
    const answer = await api.get("/about", signal);
    isGiven = false;
    signedIn.abort();
    signedIn = new AbortController();
    outage.watch(live, signedIn.signal);
    // A file tells nothing by itself.
    if (answer.kind === "server") live.run(signedIn.signal);
    return answer;
}

/** The server has answered. @param {boolean} wasGone */
function returned(wasGone) {
    if (wasGone) live.wake();
    if (isMissed) show(false);
    else if (wasGone) for (const work of recoveries) outcomes.byItself(work, shown.signal);
}

/** @param {HTMLElement} container @param {AbortSignal} signal */
async function fill(container, signal) {
    const route = showFrame(parts, about);
    const part = parts[route.part];
    // The overview lists them itself.
    if (route.part !== "overview") await watch.list(signal);
    const missing = part.needsDatabase ? missingDatabase(watch, route.database) : null;
    if (missing) container.append(element("h1", { tabindex: -1 }, part.title), missing);
    else await part.show(placeOf(route, container, watch.names, signal));
}

/**
 * @param {import("./route.js").Route} route
 * @param {HTMLElement} container
 * @param {string[]} databases
 * @param {AbortSignal} signal
 * @returns {Place}
 */
function placeOf(route, container, databases, signal) {
    const database = route.database ?? databases[0] ?? "";
    return {
        container, api, watch, notices, part: route.part, route, databases, database, signal,
        about: /** @type {import("./about.js").About} */ (about),
        repeat: (work, milliseconds) => outcomes.repeat(work, milliseconds, signal),
        follow: (what, work) => {
            // Nobody tells of changes of a file, and nobody asks for them all the time.
            if (about?.kind === "server") live.follow(what, () => outcomes.byItself(work, signal), signal);
        },
        recover: (work) => { if (!signal.aborted) recoveries.push(work); },
        anew: () => show(false),
        attempt: (work) => outcomes.attempt(work, signal),
        byItself: (work) => outcomes.byItself(work, signal),
    };
}

/** @param {string} reason */
function showSignIn(reason) {
    hideFrame();
    document.title = "Sign in · Causeway console";
    main.removeAttribute("aria-busy");
    leave();
    replace(main, signIn(api, session, reason, () => {
        notices.clear();
        show(true);
    }));
    main.querySelector("input")?.focus();
}

/** What is known of a server is not that of the next one. */
function leave() {
    watch = new Watch(api);
    about = null;
    isGiven = false;
    signedIn.abort();
    outage.end();
}

/** Takes a token out of the address, in which it stays no longer, nor in the history of the browser. */
function takeToken() {
    const token = tokenIn(location.hash);
    if (token === null) return;
    leave();
    session.keep(token);
    isGiven = true;
    history.replaceState(null, "", location.pathname);
}

// MARK: - Beginning

signOut.addEventListener("click", () => {
    shown.abort();
    session.forget();
    notices.clear();
    showSignIn("You have signed out.");
});
window.addEventListener("hashchange", () => {
    takeToken();
    notices.leave();
    show(true);
});
// Browsers keep a page that was left, with its streams, and have few connections for each server.
window.addEventListener("pagehide", () => {
    shown.abort();
    signedIn.abort();
});
window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    about = null;
    show(false);
});
// Charts go on while another part is shown.
setInterval(() => {
    // A file has no metrics.
    if (session.token === null || about?.kind !== "server" || routeOf(location.hash).part === "overview") return;
    watch.sample().catch((error) => outcomes.say(error));
}, STEP_MILLISECONDS);
takeToken();
show(false);
