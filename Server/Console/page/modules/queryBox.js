// The query above a list of objects. It is answered while somebody types; what the server does not understand it says below.

import { combobox } from "./combobox.js";
import { completed, completion } from "./completion.js";
import { element, field, freshID, replace } from "./dom.js";
import { problemParts } from "./queryProblem.js";

/** A pause of so long between two letters. */
const PAUSE_MILLISECONDS = 150;

/**
 * @param {object} how
 * @param {import("./schema.js").Schema} how.schema
 * @param {import("./schema.js").Class} how.one
 * @param {string} how.where
 * @param {HTMLElement} how.found what was found; it stands where the completions do not cover it
 * @param {(where: string, isMeant: boolean) => void} how.search `isMeant` where somebody has pressed Enter
 * @param {AbortSignal} how.signal
 */
export function queryBox({ schema, one, where, found, search, signal }) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const begin = (/** @type {boolean} */ isMeant) => {
        clearTimeout(timer);
        if (!signal.aborted) search(typed(), isMeant);
    };
    const typed = () => input.value.trim();
    const problem = element("div", { id: freshID(), role: "status", class: "query-problem" });
    const { input, list } = combobox({
        label: "Completions", text: where,
        complete: (text, place) => completion(schema, one, text, place, new Date()),
        take: (offered, index) => completed(input.value, offered, offered.items[index]),
        changed: () => {
            clearTimeout(timer);
            timer = setTimeout(() => begin(false), PAUSE_MILLISECONDS);
        },
        attributes: { placeholder: "every object", class: "code" },
    });
    const labelled = field("Query", input);
    input.setAttribute("aria-describedby", problem.id);
    const head = element("div", { class: "query-head" });
    labelled.prepend(head);
    head.append(/** @type {Element} */ (labelled.querySelector("label")), found);
    /** What the problem says. */
    let said = "";
    const form = element("form", {
        role: "search", class: "query", onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            begin(true);
        },
    }, labelled, problem, list);
    return {
        form, where: typed,
        /**
         * Says why the query is not answered, without moving the focus.
         *
         * @param {string} message empty where it is
         */
        say(message) {
            if (said !== message) replace(problem, ...shown(message));
            said = message;
            if (message) input.setAttribute("aria-invalid", "true");
            else input.removeAttribute("aria-invalid");
        },
    };
}

/** @param {string} message */
function shown(message) {
    const { words, block } = problemParts(message);
    const named = { tabindex: 0, role: "region", "aria-label": "Where the query is wrong" };
    return [words && element("p", {}, words), block && element("pre", named, block)];
}
