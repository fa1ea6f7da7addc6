// Devices: who is connected and where each stands, who is known, who is shut out.

import { path } from "./api.js";
import { heading } from "./choice.js";
import { ask } from "./dialog.js";
import { element, field, mark, muted, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { refusalSection } from "./refusals.js";
import { shutOutSection } from "./shutOut.js";
import { subscriptionTable } from "./subscriptions.js";
import { day, moment, pagedTable } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** What a state of a session means for an operator. @type {Record<string, "good" | "warning" | "plain">} */
const KINDS = { live: "good", telling: "good", opened: "plain", over: "plain", queued: "warning" };

/** Sessions are read not more often, however much happens. */
const READ_MILLISECONDS = 1_000;
/** A page of the API. */
const PAGE_ROWS = 100;

/** @param {Place} place */
export async function devices(place) {
    const [sessions, clients, shutOut, refused] = [0, 1, 2, 3].map(() => element("section"));
    const subscriptions = element("div", { class: "detail", "aria-live": "polite" });
    const show = (/** @type {any} */ one) =>
        place.attempt(async () => replace(subscriptions, await subscriptionTable(place, one)));
    const user = /** @type {HTMLInputElement} */ (element("input", {
        type: "search", autocomplete: "off", spellcheck: "false", value: place.route.parameters.user,
    }));
    const readSessions = async () => replace(sessions, await sessionTable(place, user.value.trim(), reread, show));
    const readClients = async () => replace(clients, await clientTable(place, user.value.trim(), reread));
    const readOthers = async () => {
        replace(shutOut, await shutOutSection(place, reread));
        replace(refused, await refusalSection(place, user.value.trim()));
    };
    const readAll = async () => { await Promise.all([readSessions(), readClients(), readOthers()]); };
    const reread = () => place.attempt(readAll);
    await readAll();
    place.recover(readAll);
    place.follow({ events: ["version", "sessions"], database: place.database, milliseconds: READ_MILLISECONDS }, async () => {
        // Whoever has asked for more pages keeps them.
        if (sessions.querySelectorAll("tbody tr").length <= PAGE_ROWS) await readSessions();
    });
    const filter = element("form", {
        onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            const said = user.value ? `Only ${user.value} is shown.` : "All users are shown.";
            reread().then((isDone) => isDone && place.notices.say(said));
        },
    }, element("div", { class: "row" }, field("Only of the user", user), element("button", { type: "submit" }, "Show")));
    place.container.append(
        heading(place, "Devices", () => reread().then((isDone) => isDone && place.notices.say("Read again."))),
        filter, element("h2", {}, "Sessions"), sessions, subscriptions,
        muted("Behind counts the versions since the device was last told something. Those that do not concern it count "
            + "until its next heartbeat."),
        element("h2", {}, "Refused operations"), refused,
        element("h2", {}, "Shut out"), shutOut, element("h2", {}, "Known clients"), clients);
}

/**
 * Somebody may have come for one client, by a link of the history of an object.
 *
 * @param {Place} place @param {string} client
 */
const clientCell = (place, client) => element("span", {
    class: "code whole", "aria-current": client === place.route.parameters.client && "true",
}, client);

// MARK: - Sessions

/** @param {Place} place @param {string} user @param {() => void} reread @param {(session: any) => void} show */
async function sessionTable(place, user, reread, show) {
    const { version } = await place.api.get(path`/databases/${place.database}`, place.signal);
    return pagedTable(place, "Open sessions", [
        { title: "User", isHeading: true, cell: (one) => one.user },
        { title: "Client", cell: (one) => clientCell(place, one.client) },
        { title: "State", cell: (one) => mark(one.state, KINDS[one.state] ?? "warning") },
        { title: "Version", isNumber: true, cell: (one) => count(one.version) },
        { title: "Behind", isNumber: true, cell: (one) => count(Math.max(0, version - one.version)) },
        { title: "Queries", isNumber: true, cell: (one) => count(one.queries) },
        { title: "Since", cell: (one) => moment(one.since) },
        { title: "Address", cell: (one) => element("span", { class: "whole" }, one.address ?? "–") },
        {
            title: "Actions", isActions: true, cell: (one) => [
                button("Show", `Show what the client ${one.client} of ${one.user} subscribes to`, () => show(one)),
                button("End…", `End the session of ${one.user}, client ${one.client}`, () => end(place, one, reread)),
                button("Shut out…", `Shut out the client ${one.client} of ${one.user}`,
                    () => shutOutClient(place, one, reread)),
            ],
        },
    ], (after) => page(place, "sessions", user, after), user ? `No session of ${user} is open.` : "No session is open.");
}

/** @param {Place} place @param {any} session @param {() => void} reread */
async function end(place, session, reread) {
    const answer = await ask({
        title: "End this session?", action: "End the session",
        text: `The client ${session.client} of ${session.user} is disconnected. It connects again `
            + "by itself after its backoff, and loses nothing.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        await place.api.call("DELETE", path`/databases/${place.database}/sessions/${session.client}`);
        place.notices.say(`The session of ${session.user} was ended.`);
    });
    reread();
}

/** @param {Place} place @param {any} session @param {() => void} reread */
async function shutOutClient(place, session, reread) {
    const answer = await ask({
        title: "Shut out this client?", action: "Shut out", isDanger: true, noteLabel: "Note",
        text: `The client ${session.client} of ${session.user} is refused until you let it in again. `
            + "Its unsent writes stay on the device. Other devices of this user go on.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        const where = path`/databases/${place.database}/shut-out/clients/${session.client}`;
        const { ended } = await place.api.call("PUT", where, answer.note ? { note: answer.note } : {});
        place.notices.say(`The client ${session.client} is shut out. ${plural(ended, "session was", "sessions were")} ended.`);
    });
    reread();
}

// MARK: - Clients

/** @param {Place} place @param {string} user @param {() => void} reread */
function clientTable(place, user, reread) {
    return pagedTable(place, "Clients that the database knows", [
        { title: "User", isHeading: true, cell: (one) => one.user },
        { title: "Client", cell: (one) => clientCell(place, one.client) },
        { title: "Changesets", isNumber: true, cell: (one) => count(one.changesets) },
        { title: "One-way entries", isNumber: true, cell: (one) => count(one.oneWayEntries) },
        { title: "Last heard", cell: (one) => day(one.lastHeard) },
        {
            title: "Actions", isActions: true, cell: (one) =>
                button("Forget…", `Forget the client ${one.client} of ${one.user}`, () => forget(place, one, reread)),
        },
    ], (after) => page(place, "clients", user, after), "The database knows no client.");
}

/** @param {Place} place @param {any} client @param {() => void} reread */
async function forget(place, client, reread) {
    const answer = await ask({
        title: "Forget this client?", action: "Forget", isDanger: true,
        text: `The server removes what it may of the client ${client.client} of ${client.user}. `
            + "The device goes on when it comes back, and loses nothing.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        const { isKnown } = await place.api.call("DELETE", path`/databases/${place.database}/clients/${client.client}`);
        place.notices.say(
            isKnown ? "Its numbers stay, because it has written. The rest is forgotten." : "The client is forgotten.");
    });
    reread();
}

// MARK: - What both have in common

/** @param {Place} place @param {string} list @param {string} user @param {string | null} after */
async function page(place, list, user, after) {
    const query = new URLSearchParams({ ...(user && { user }), ...(after && { after }) });
    const answer = await place.api.get(path`/databases/${place.database}/${list}` + `?${query}`, place.signal);
    return { rows: answer[list], next: answer.next };
}

/** @param {string} word @param {string} words what a screen reader says @param {() => void} press */
const button = (word, words, press) =>
    element("button", { type: "button", "aria-label": words, "data-key": words, onclick: press }, word);
