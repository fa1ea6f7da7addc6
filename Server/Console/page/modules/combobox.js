// A field that offers completions in a list below it, by ARIA's pattern of a combobox: the focus stays in the field. The list
// opens where something is begun; an arrow key or Control and the space bar open it anywhere.

import { element, freshID, replace, textInput } from "./dom.js";

/** @typedef {import("./completion.js").Completion} Completion */

/**
 * @param {object} how
 * @param {string} how.label of the list
 * @param {string} how.text
 * @param {(text: string, place: number) => Completion} how.complete
 * @param {(completion: Completion, index: number) => {text: string, place: number}} how.take
 * @param {() => void} how.changed
 * @param {Record<string, unknown>} how.attributes of the field
 */
export function combobox({ label, text, complete, take, changed, attributes }) {
    const id = freshID();
    /** @type {Completion | null} */
    let offered = null;
    let chosen = -1;
    const list = element("ul", {
        role: "listbox", id, class: "options", "aria-label": label, hidden: true,
        // The field keeps the focus.
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: (/** @type {MouseEvent} */ event) => {
            const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
            if (option) accept([...list.children].indexOf(option));
        },
    });
    const input = textInput({
        ...attributes, role: "combobox", value: text, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
        oninput: () => {
            offer();
            changed();
        },
        onblur: () => close(),
        onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event),
    });
    /** @param {boolean} [isAsked] whether somebody wants to see what fits, also where nothing is begun */
    const offer = (isAsked = false) => {
        offered = complete(input.value, input.selectionStart ?? 0);
        if (offered.items.length === 0 || !(isAsked || offered.isBegun)) return close();
        replace(list, offered.items.map(({ text, detail }, index) =>
            element("li", { role: "option", id: `${id}-${index}`, "aria-selected": "false" },
                element("span", { class: "code" }, text.trim()), detail && element("span", { class: "muted" }, detail))));
        list.hidden = false;
        input.setAttribute("aria-expanded", "true");
        choose(-1);
    };
    const close = () => {
        offered = null;
        list.hidden = true;
        input.setAttribute("aria-expanded", "false");
        choose(-1);
    };
    const choose = (/** @type {number} */ index) => {
        chosen = index;
        [...list.children].forEach((one, place) => one.setAttribute("aria-selected", String(place === index)));
        if (index < 0) return input.removeAttribute("aria-activedescendant");
        input.setAttribute("aria-activedescendant", `${id}-${index}`);
        list.children[index].scrollIntoView({ block: "nearest" });
    };
    const accept = (/** @type {number} */ index) => {
        if (!offered) return;
        const { text: next, place } = take(offered, index);
        input.value = next;
        input.setSelectionRange(place, place);
        offer();
        changed();
    };
    const pressed = (/** @type {KeyboardEvent} */ event) => {
        if (event.isComposing) return;
        const isStep = event.key === "ArrowDown" || event.key === "ArrowUp";
        const isAsked = event.key === " " && event.ctrlKey;
        if ((isStep && !offered) || isAsked) offer(true);
        const number = offered?.items.length ?? 0;
        const [next, previous] = [(chosen + 1) % number, (chosen < 1 ? number : chosen) - 1];
        if (isStep && number > 0) choose(event.key === "ArrowDown" ? next : previous);
        else if (event.key === "Enter" && chosen >= 0) accept(chosen);
        else if (event.key === "Escape" && offered) close();
        else if (!isAsked) {
            if (event.key === "Enter") close();
            return;
        }
        event.preventDefault();
    };
    return { input, list };
}
