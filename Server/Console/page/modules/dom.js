// Makes elements. Every value becomes an attribute or a text node: nothing here reads markup.

/** @typedef {Node | string | number | null | undefined | false} Content */

/**
 * @param {string} name
 * @param {Record<string, unknown>} [attributes] `onclick` and its like are listeners. What is false or missing is left out.
 * @param {...(Content | Content[])} content
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (typeof value === "function") made.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
        else made.setAttribute(key, value === true ? "" : String(value));
    }
    made.append(...shown(content));
    return made;
}

/**
 * Replaces what an element holds. The focus stays where it was: at the element with the same `data-key`.
 *
 * @param {Element} parent
 * @param {...(Content | Content[])} content
 */
export function replace(parent, ...content) {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.getAttribute("data-key");
    parent.replaceChildren(...shown(content));
    if (!key) return;
    const again = [...parent.querySelectorAll("[data-key]")].find((one) => one.getAttribute("data-key") === key);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * @param {(Content | Content[])[]} content
 * @returns {(Node | string)[]}
 */
function shown(content) {
    return content.flat().flatMap((one) =>
        one === null || one === undefined || one === false ? [] : [one instanceof Node ? one : String(one)]);
}

let count = 0;

/** An id that no other element has. */
export const freshID = () => `made-${++count}`;

/**
 * A field with its label.
 *
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
    control.id ||= freshID();
    const note = hint ? element("span", { class: "hint", id: freshID() }, hint) : null;
    if (note) control.setAttribute("aria-describedby", note.id);
    return element("div", { class: "field" }, element("label", { for: control.id }, label), note, control);
}

/**
 * A field for one line, which no browser corrects or remembers.
 *
 * @param {Record<string, unknown>} [attributes]
 */
export const textInput = (attributes = {}) => /** @type {HTMLInputElement} */ (
    element("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", ...attributes }));

/** What stands so in a configuration, or in a rule. @param {string} text */
export const code = (text) => element("span", { class: "code" }, text);

/** A paragraph that explains. @param {...Content} content */
export const muted = (...content) => element("p", { class: "muted" }, ...content);

/**
 * @param {string} text
 * @param {"good" | "warning" | "problem" | "plain"} kind
 */
export const mark = (text, kind) => element("span", { class: `mark ${kind}` }, text);
