// A form for the value of one property, as its type wants it.

import { element, field, freshID, replace, textInput } from "./dom.js";
import { editorOf, HINTS, mayBeNil, meaning, textOf } from "./editor.js";
import { notice } from "./notices.js";
import { kindOf } from "./values.js";

/**
 * @param {import("./schema.js").Property} property
 * @param {any} form the value that it has
 * @param {string} action
 * @param {(value: unknown) => void} done
 * @param {() => void} leave
 */
export function valueForm(property, form, action, done, leave) {
    const editor = editorOf(property, form);
    const isNil = kindOf(form) === "nil";
    const control = controlOf(editor, form);
    control.setAttribute("autofocus", "");
    const nil = mayBeNil(property, editor) ? checkbox("nil, no value", isNil) : null;
    const said = element("div", { role: "alert" });
    const label = field(property.name, control, HINTS[editor] || undefined);
    // Whoever types means a value, and what was typed comes back with it.
    const typed = /** @type {HTMLInputElement} */ (control);
    let kept = "";
    nil?.input.addEventListener("change", () => {
        if (editor === "bool") return;
        if (nil.input.checked) [kept, typed.value] = [typed.value, ""];
        else typed.value = kept;
    });
    control.addEventListener("input", () => { if (nil) nil.input.checked = false; });
    return element("form", {
        onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            if (nil?.input.checked) return done(null);
            const isChecked = control instanceof HTMLInputElement && control.type === "checkbox" && control.checked;
            const text = editor === "bool" ? String(isChecked) : typed.value;
            const found = meaning(editor, text, property);
            if ("value" in found) return done(found.value);
            replace(said, notice("problem", "This cannot be written", found.problem));
            control.focus();
        },
    }, label, nil?.label, said, element("div", { class: "actions" },
        element("button", { type: "button", onclick: leave }, "Cancel"),
        element("button", { type: "submit", class: "main" }, action)));
}

/** @param {import("./editor.js").Editor} editor @param {any} form */
function controlOf(editor, form) {
    if (editor === "bool") return element("input", { type: "checkbox", checked: form === true });
    if (editor === "string" || editor === "json") {
        return element("textarea", { spellcheck: "false", rows: 8 }, textOf(editor, form));
    }
    return textInput({ class: "code", value: textOf(editor, form) });
}

/** @param {string} words @param {boolean} checked */
function checkbox(words, checked) {
    const input = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", checked, id: freshID() }));
    return { input, label: element("div", { class: "choices" }, element("label", { for: input.id }, input, words)) };
}
