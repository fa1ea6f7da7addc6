// The backups of a database, and how to begin one.

import { path, Refusal } from "./api.js";
import { code, element, mark, muted, replace } from "./dom.js";
import { count, plural } from "./format.js";
import { notice } from "./notices.js";
import { moment, table } from "./table.js";

/** @typedef {import("./main.js").Place} Place */

/** How often a backup that runs is asked about. */
const RUNNING_MILLISECONDS = 1_000;

/** @param {Place} place @param {string} database */
export async function backupSection(place, database) {
    const inside = element("div");
    const [state, progress] = [element("div", { role: "status" }), element("span")];
    const begin = element("button", {
        type: "button", "aria-label": `Back up ${database} now`, onclick: () => start(),
    }, "Back up now");
    let isWatched = false;
    const read = async () => {
        const listed = await place.api.get(path`/databases/${database}/backups`, place.signal);
        replace(inside, list(database, listed));
        replace(progress, listed.running && mark(running(listed.running), "plain"));
        replace(state, listed.failure && notice("problem", "The last backup failed", listed.failure));
        if (listed.running && !isWatched) watch();
        return Boolean(listed.running);
    };
    const watch = () => {
        isWatched = true;
        const look = setInterval(() => place.byItself(async () => {
            if (await read()) return;
            clearInterval(look);
            isWatched = false;
            place.notices.say(`The backup of ${database} is over.`);
        }), RUNNING_MILLISECONDS);
        place.signal.addEventListener("abort", () => clearInterval(look), { once: true });
    };
    const start = () => place.attempt(async () => {
        await place.api.call("POST", path`/databases/${database}/backups`);
        place.notices.say(`A backup of ${database} has begun.`);
        if (!isWatched) watch();
    });
    place.recover(read);
    try {
        await read();
    } catch (error) {
        if (!(error instanceof Refusal) || error.code !== "notConfigured") throw error;
        return element("div", {}, element("h3", {}, database), muted(error.message));
    }
    return element("div", {}, element("h3", {}, database), state, inside, element("p", { class: "actions" }, begin, progress));
}

/** @param {any} one */
const running = (one) => `${one.step ?? "waiting"}${one.percent === undefined ? "" : `, ${one.percent} %`}`;

/** @param {string} database @param {any} listed */
function list(database, listed) {
    const { backups } = listed;
    return table(`${plural(backups.length, "backup", "backups")} of ${database}, the newest first`, [
        { title: "Folder", isHeading: true, cell: (one) => code(one.name) },
        { title: "Begun", cell: (one) => moment(one.time) },
        { title: "Version", isNumber: true, cell: (one) => count(one.version) },
        { title: "Of", cell: (one) => (one.isOfEarlier ? "an earlier database of this name" : "this database") },
    ], backups, "There is none yet.");
}
