// The server's own accounts of a database: who has one, and who may not log in with it.

import { path } from "./api.js";
import { hasSection } from "./configuration.js";
import { ask } from "./dialog.js";
import { code, element, mark, muted, replace } from "./dom.js";
import { section } from "./outcomes.js";
import { moment, pagedTable } from "./table.js";

/** @typedef {import("./main.js").Place} Place */
/**
 * @typedef {object} Account
 * @property {string} user
 * @property {string} [name]
 * @property {string} [email]
 * @property {string[]} [logins] names by which the user logs in
 * @property {boolean} isDisabled
 * @property {string} created
 */

/** @param {Place} place */
export async function accountSection(place) {
    if (!hasSection(await place.api.get("/configuration", place.signal), "accounts")) {
        return element("section", {}, muted("The server keeps no accounts: its configuration has no section accounts."));
    }
    const list = element("div");
    const read = async () => replace(list, await accountTable(place, () => place.attempt(read)));
    place.recover(read);
    return section(async () => {
        await read();
        return list;
    });
}

/** @param {Place} place @param {() => void} reread */
function accountTable(place, reread) {
    return pagedTable(place, "Accounts of this database", [
        { title: "Name", isHeading: true, cell: nameOf },
        { title: "Logs in as", cell: (one) => loginWords(one) ?? mark("no address", "plain") },
        { title: "User", cell: (one) => code(one.user) },
        { title: "State", cell: (one) => (one.isDisabled ? mark("disabled", "warning") : mark("may log in", "good")) },
        { title: "Created", cell: (one) => moment(one.created) },
        {
            title: "Actions", isActions: true, cell: (one) => element("button", {
                type: "button", "aria-label": `${one.isDisabled ? "Enable" : "Disable"} ${nameOf(one)}`,
                "data-key": `account ${one.user}`, onclick: () => change(place, one, reread),
            }, one.isDisabled ? "Enable…" : "Disable…"),
        },
    ], async (after) => {
        const query = after ? `?${new URLSearchParams({ after })}` : "";
        const answer = await place.api.get(path`/databases/${place.database}/accounts` + query, place.signal);
        return { rows: /** @type {Account[]} */ (answer.accounts), next: answer.next };
    }, "Nobody has an account.");
}

/** @param {Account} one */
const nameOf = (one) => one.name ?? loginWords(one) ?? one.user;

/** Null where no address is known. @param {Account} one */
export const loginWords = ({ logins = [], email }) => (logins.length > 0 ? logins.join(", ") : email ?? null);

/**
 * With the id, which no other account has.
 *
 * @param {Account} one
 */
export function wholeName(one) {
    const known = [one.name, loginWords(one)].filter(Boolean).join(", ");
    return known ? `${known} (user ${one.user})` : `The user ${one.user}`;
}

/** Enables a disabled account, and disables another. @param {Place} place @param {Account} one @param {() => void} reread */
async function change(place, one, reread) {
    const answer = await ask(one.isDisabled ? {
        title: "Enable this account?", action: "Enable", text: `${wholeName(one)} may log in again.`,
    } : {
        title: "Disable this account?", action: "Disable", isDanger: true,
        text: `${wholeName(one)} cannot log in any more, and their logins end at once. An access token works until it expires. `
            + "To end it now, shut the user out too, in the part Devices.",
    });
    if (!answer) return;
    await place.attempt(async () => {
        const where = path`/databases/${place.database}/accounts/${one.user}/disabled`;
        await place.api.call(one.isDisabled ? "DELETE" : "PUT", where);
        place.notices.say(`The account of ${nameOf(one)} is ${one.isDisabled ? "enabled" : "disabled"}.`);
    });
    reread();
}
