// Who is shut out of a database, and how to shut out a user.

import { path } from "./api.js";
import { ask } from "./dialog.js";
import { element, field, muted } from "./dom.js";
import { plural } from "./format.js";
import { moment, pagedTable } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** @param {Place} place @param {() => void} reread */
export async function shutOutSection(place, reread) {
    const [users, clients] = await Promise.all([list(place, "users", reread), list(place, "clients", reread)]);
    const name = /** @type {HTMLInputElement} */ (element("input", {
        type: "text", autocomplete: "off", spellcheck: "false", required: true,
    }));
    const form = element("form", {
        onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            shutOutUser(place, name.value, reread);
        },
    }, element("div", { class: "row" }, field("User to shut out", name),
        element("button", { type: "submit", class: "danger" }, "Shut out…")),
    muted("A user is named as $user.id in rules. Every token of theirs is refused."));
    return [users, clients, form];
}

/** @param {Place} place @param {"users" | "clients"} kind @param {() => void} reread */
function list(place, kind, reread) {
    return pagedTable(place, kind === "users" ? "Users that are shut out" : "Clients that are shut out", [
        { title: kind === "users" ? "User" : "Client", isHeading: true, cell: (one) => one.name },
        { title: "Since", cell: (one) => moment(one.since) },
        { title: "Note", cell: (one) => one.note ?? "–" },
        {
            title: "Actions", isActions: true, cell: (one) => element("button", {
                type: "button", "aria-label": `Let ${one.name} in`, "data-key": `let in ${one.name}`,
                onclick: () => letIn(place, kind, one.name, reread),
            }, "Let in"),
        },
    ], async (after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const answer = await place.api.get(path`/databases/${place.database}/shut-out/${kind}` + query, place.signal);
        return { rows: answer.entries, next: answer.next };
    }, "Nobody.");
}

/** @param {Place} place @param {string} user @param {() => void} reread */
async function shutOutUser(place, user, reread) {
    const answer = await ask({
        title: "Shut out this user?", action: "Shut out", isDanger: true, noteLabel: "Note",
        text: `Every token of ${user} is refused from now on, on every device, until you let them in again. `
            + "Unsent writes stay on the devices.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        const { ended } = await place.api.call(
            "PUT", path`/databases/${place.database}/shut-out/users/${user}`, answer.note ? { note: answer.note } : {});
        place.notices.say(`${user} is shut out. ${plural(ended, "session was", "sessions were")} ended.`);
    });
    reread();
}

/** @param {Place} place @param {string} kind @param {string} name @param {() => void} reread */
async function letIn(place, kind, name, reread) {
    await place.attempt(async () => {
        await place.api.call("DELETE", path`/databases/${place.database}/shut-out/${kind}/${name}`);
        place.notices.say(`${name} may come in again. Devices try again when their app starts or reconnects.`);
    });
    reread();
}
