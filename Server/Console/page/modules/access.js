// Access: the rules in force, what somebody may do with an object, and who has an account.

import { accountSection } from "./accounts.js";
import { path } from "./api.js";
import { heading } from "./choice.js";
import { element, field, freshID, muted, replace } from "./dom.js";
import { explanation, rulesOf } from "./explanation.js";
import { notice } from "./notices.js";
import { question } from "./question.js";

/** @typedef {import("./main.js").Place} Place */

/** Classes without end are asked for by name. */
const CLASSES_MAX = 1_000;

/** @param {Place} place */
export async function access(place) {
    const { classes } = await place.api.get(path`/databases/${place.database}/schema` + `?limit=${CLASSES_MAX}`, place.signal);
    const names = classes.filter((/** @type {any} */ one) => one.is !== "embedded").map((/** @type {any} */ one) => one.name);
    const accounts = await accountSection(place);
    const rules = element("section");
    const drawRules = () => replace(rules, names.length > 0
        ? names.map((/** @type {string} */ name) => rulesDetails(place, name)) : "No device has declared a class yet.");
    drawRules();
    // The server may have begun anew with others.
    place.recover(async () => drawRules());
    place.container.append(
        heading(place, "Access"), element("h2", {}, "Try it"), tester(place, names), element("h2", {}, "Rules in force"),
        muted("Open a class to see its rules. What the rules leave out, everybody may do."),
        rules,
        element("h2", {}, "Accounts"), accounts);
}

// MARK: - The rules of a class

/** They are read when they are looked at. @param {Place} place @param {string} name */
function rulesDetails(place, name) {
    const inside = element("div", {}, "Reading…");
    let isRead = false;
    return element("details", {
        ontoggle: () => {
            if (isRead) return;
            isRead = true;
            place.attempt(async () => {
                try {
                    replace(inside, rulesOf(await explain(place, { class: name, values: {}, user: "" })));
                } catch (error) {
                    isRead = false;
                    replace(inside, notice("warning", "Not shown", error instanceof Error ? error.message : String(error)));
                }
            });
        },
    }, element("summary", {}, element("strong", {}, name)), inside);
}

/** @param {Place} place @param {unknown} body */
const explain = (place, body) =>
    place.api.call("POST", path`/databases/${place.database}/permissions/explain`, body, place.signal);

// MARK: - As this user, with these claims

/** @param {Place} place @param {string[]} names */
function tester(place, names) {
    const choice = element("select", {}, names.map((name) => element("option", { value: name }, name)));
    const object = choices("The object", "object", [
        ["key", "is stored, with the primary key"], ["values", "is described by its values, in JSON"],
    ]);
    const caller = choices("The caller", "caller", [
        ["claims", "is a user with claims"], ["token", "bears a token"], ["account", "is a user of the accounts"],
    ]);
    const [key, user, account] = [0, 1, 2].map(() => input());
    const token = input("password");
    const [values, claims] = ["{}", "{}"].map((text) => element("textarea", { spellcheck: "false", rows: 4 }, text));
    const fields = {
        key: [field("Primary key", key)], values: [field("Values", values, "What is left out is as in a new object.")],
        claims: [field("User", user, "$user.id in rules"), field("Claims", claims, "$user.claims in rules, as JSON")],
        token: [field("Token", token, "It is sent to this server alone, and not kept.")],
        account: [field("Id of the user", account)],
    };
    const [ofObject, ofCaller] = [element("div"), element("div")];
    object.listen((chosen) => replace(ofObject, fields[/** @type {"key"} */ (chosen)]));
    caller.listen((chosen) => replace(ofCaller, fields[/** @type {"key"} */ (chosen)]));
    const result = element("div", { "aria-live": "polite" });
    const attempt = async (/** @type {Event} */ event) => {
        event.preventDefault();
        const asked = question({
            class: text(choice), object: object.chosen(), caller: caller.chosen(), key: text(key), values: text(values),
            user: text(user), claims: text(claims), token: text(token), account: text(account),
        });
        if (typeof asked === "string") return replace(result, notice("problem", "This cannot be asked", asked));
        await place.attempt(async () => {
            try {
                replace(result, explanation(await explain(place, asked)));
            } catch (error) {
                if (!(error instanceof Error) || !("status" in error) || error.status === 401) throw error;
                replace(result, notice("problem", "The server does not say", error.message));
            }
        });
    };
    return element("form", { onsubmit: attempt }, field("Class", choice),
        element("div", { class: "columns" }, element("div", {}, object.set, ofObject), element("div", {}, caller.set, ofCaller)),
        element("button", { type: "submit", class: "main", disabled: names.length === 0 }, "What may they do?"), result);
}

const input = (type = "text") => element("input", { type, autocomplete: "off", spellcheck: "false" });

/** @param {HTMLElement} control */
const text = (control) => /** @type {HTMLInputElement} */ (control).value;

/** @param {string} legend @param {string} name @param {[string, string][]} all */
function choices(legend, name, all) {
    const radios = all.map(([value], index) => /** @type {HTMLInputElement} */ (
        element("input", { type: "radio", name, value, checked: index === 0, id: freshID() })));
    const chosen = () => radios.find((radio) => radio.checked)?.value ?? all[0][0];
    const set = element("fieldset", {}, element("legend", {}, legend), element("div", { class: "choices" },
        radios.map((radio, index) => element("label", { for: radio.id }, radio, all[index][1]))));
    const listen = (/** @type {(chosen: string) => void} */ changed) => {
        set.addEventListener("change", () => changed(chosen()));
        changed(chosen());
    };
    return { set, chosen, listen };
}
