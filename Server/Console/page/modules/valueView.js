// Shows a value: in few words in a cell, or whole.

import { code, element } from "./dom.js";
import { bytesOf, exact, kindOf, members, summary } from "./values.js";
import { plural } from "./format.js";

/** @typedef {import("./schema.js").Property} Property */
/** @typedef {(reference: any) => string | null} AddressOf where the object of a link is; null where it has no address */

/** More of a list, or of a text, is shown when it is asked for. */
const PARTS_SHOWN = 50;
const PARTS_MORE = 500;
const LETTERS_SHOWN = 2_000;
const BYTES_SHOWN = 64;

/** @param {any} form @param {{collection?: string}} property @param {AddressOf} addressOf */
export function cell(form, property, addressOf) {
    const kind = kindOf(form);
    const words = summary(form, property);
    if (kind === "nil") return element("span", { class: "nil" }, words);
    const address = kind === "link" ? addressOf(form) : null;
    if (address) return element("a", { href: address, tabindex: -1 }, words);
    if (kind === "list" || kind === "map" || kind === "data") return element("span", { class: "muted" }, words);
    return element("span", { class: kind === "id" && "code" }, words);
}

/**
 * A value with all its parts.
 *
 * @param {any} form
 * @param {AddressOf} addressOf
 * @returns {HTMLElement}
 */
export function whole(form, addressOf) {
    switch (kindOf(form)) {
    case "nil": return element("span", { class: "nil" }, "nil");
    case "string": return text(form);
    case "date": return element("span", {}, element("time", {}, summary(form)), " ",
        element("span", { class: "muted" }, exact(form)));
    case "data": return data(form);
    case "link": return link(form, addressOf);
    case "list": return list(form, (one) => element("li", {}, whole(one, addressOf)), "value", "values", "ol");
    case "map": return list(Object.entries(members(form)), ([name, one]) =>
        element("li", {}, code(name), ": ", whole(one, addressOf)), "entry", "entries", "ul");
    default: return code(exact(form));
    }
}

/** @param {any} form @param {AddressOf} addressOf */
function link(form, addressOf) {
    const address = addressOf(form);
    return address ? element("a", { href: address }, summary(form)) : element("span", {}, summary(form));
}

/** @param {string} all */
function text(all) {
    if (all === "") return element("span", { class: "nil" }, "an empty text");
    const made = element("span", { class: "text" }, all.slice(0, LETTERS_SHOWN));
    if (all.length > LETTERS_SHOWN) {
        const more = element("button", { type: "button", onclick: () => made.replaceChildren(all) }, "Show all of it");
        made.append("… ", more);
    }
    return made;
}

/** @param {any} form */
function data(form) {
    const letters = atob((form.$binary.base64 ?? "").slice(0, Math.ceil(BYTES_SHOWN / 3) * 4));
    const digits = [...letters].slice(0, BYTES_SHOWN).map((one) => one.charCodeAt(0).toString(16).padStart(2, "0"));
    const isCut = bytesOf(form) > BYTES_SHOWN;
    return element("span", {}, plural(bytesOf(form), "byte", "bytes"), digits.length > 0 && " ",
        digits.length > 0 && code(digits.join(" ") + (isCut ? " …" : "")));
}

/**
 * @template Part
 * @param {Part[]} all
 * @param {(part: Part) => HTMLElement} row
 * @param {string} one
 * @param {string} many
 * @param {"ol" | "ul"} name
 */
function list(all, row, one, many, name) {
    if (all.length === 0) return element("span", { class: "nil" }, `no ${many}`);
    const rows = element(name, { class: "parts", start: name === "ol" ? 0 : null }, all.slice(0, PARTS_SHOWN).map(row));
    const made = element("div", {}, element("span", { class: "muted" }, plural(all.length, one, many)), rows);
    let shown = PARTS_SHOWN;
    const more = element("button", {
        type: "button", onclick: () => {
            rows.append(...all.slice(shown, shown + PARTS_MORE).map(row));
            shown += PARTS_MORE;
            if (shown >= all.length) more.remove();
        },
    }, "Show more of them");
    if (all.length > shown) made.append(more);
    return made;
}
