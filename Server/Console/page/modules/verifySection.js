// Reads databases completely, and says what is damaged.

import { path } from "./api.js";
import { code, element, mark, muted, replace } from "./dom.js";
import { count, duration } from "./format.js";
import { notice } from "./notices.js";
import { moment, table } from "./table.js";
import { ending, findings, outcome } from "./verification.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {import("./verification.js").Verification} Verification */

/** How often a verification that runs is asked about. */
const RUNNING_MILLISECONDS = 1_000;

/** @param {Place} place */
export async function verifySection(place) {
    /** @type {Map<string, Verification>} */
    const states = new Map();
    const [list, found] = [element("div"), element("div", { role: "status" })];
    const read = async (/** @type {string} */ name) => {
        states.set(name, await place.api.get(path`/databases/${name}/verify`, place.signal));
    };
    const draw = () => {
        replace(list, stateTable(place, states, begin));
        replace(found, [...states].map(([name, state]) => findingList(name, state)));
    };
    const look = (/** @type {string} */ name) => {
        const timer = setTimeout(async () => {
            const isTold = await place.byItself(() => read(name));
            if (place.signal.aborted) return;
            draw();
            const state = states.get(name);
            if (!isTold || state?.running) look(name);
            else if (state) place.notices.say(ending(name, state));
        }, RUNNING_MILLISECONDS);
        place.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    };
    const begin = (/** @type {string} */ name) => place.attempt(async () => {
        await place.api.call("POST", path`/databases/${name}/verify`);
        // What is small has ended already. It is said then, too.
        look(name);
        await read(name);
        draw();
    });
    const readAll = async () => {
        await Promise.all(place.databases.map(read));
        draw();
    };
    await readAll();
    place.recover(readAll);
    for (const [name, { running }] of states) if (running) look(name);
    return element("section", {}, muted("Reads a database completely, while it is used: objects, indexes and links, what the "
        + "server keeps beside them, and accounts. One database at a time. The number of objects counts lists "
        + "and maps inside of mixed values, too."), list, found);
}

/** @param {Place} place @param {Map<string, Verification>} states @param {(name: string) => void} begin */
function stateTable(place, states, begin) {
    return table("The last verification of each database since the server's start", [
        { title: "Database", isHeading: true, cell: (name) => name },
        { title: "Outcome", cell: (name) => outcomeMark(states.get(name)) },
        { title: "Begun", cell: (name) => moment(states.get(name)?.running?.since ?? states.get(name)?.last?.time) },
        { title: "Objects", isNumber: true, cell: (name) => count(states.get(name)?.last?.objects) },
        { title: "Took", isNumber: true, cell: (name) => took(states.get(name)) },
        {
            title: "Actions", isActions: true, cell: (name) => element("button", {
                type: "button", "aria-label": `Verify ${name}`, "data-key": `verify ${name}`, onclick: () => begin(name),
            }, "Verify"),
        },
    ], place.databases, "The server has no database.");
}

/** @param {Verification | undefined} state */
function outcomeMark(state) {
    const said = state && outcome(state);
    return said ? mark(...said) : element("span", { class: "muted" }, "not yet");
}

/** @param {Verification | undefined} state */
const took = (state) => (state?.last ? duration(state.last.milliseconds / 1000) : "–");

/** @param {string} name @param {Verification} state */
function findingList(name, state) {
    const all = findings(state);
    return all.length > 0 && notice("problem", `${name} is not sound`,
        element("ul", {}, all.map((one) => element("li", {}, one))),
        element("p", {}, "To put a backup back, run ", code("sync-server restore"), " on the server's machine."));
}
