// Changes of the schema: each shows what would be lost, and is done when its name is typed once more.

import { path, Refusal } from "./api.js";
import { talk } from "./dialog.js";
import { code, element, field, freshID, muted, replace, textInput } from "./dom.js";
import { json } from "./editor.js";
import { formActions } from "./formActions.js";
import { plural } from "./format.js";
import { notice } from "./notices.js";
import { CONSEQUENCES, conversion, MISFITS, misfitWords, TYPES } from "./schemaWords.js";
import { moment } from "./table.js";

/** @typedef {import("./main.js").Place} Place */
/** @typedef {(done: boolean | null) => void} Close */

/** What a change ends while it lasts. */
const SESSIONS = "The server ends all sessions of the database meanwhile, and devices connect again.";

/** What goes beside what the change names. */
const consequences = () => notice("warning", "This concerns the whole database",
    element("ul", {}, CONSEQUENCES.map((one) => element("li", {}, one))));

/** @param {Place} place @param {string} className @param {string} [property] */
export async function drop(place, className, property) {
    const body = { class: className, ...(property !== undefined && { property }) };
    await place.attempt(async () => {
        const preview = await place.api.call("POST", path`/databases/${place.database}/schema/drop`, body);
        const loss = property === undefined
            ? `The class has ${plural(preview.objects, "object", "objects")}. All of them are deleted.`
            : `In ${plural(preview.objects, "object", "objects")} the property holds something. These values are deleted.`;
        const done = await talk(`Drop ${preview.name}?`, (/** @type {Close} */ close) => ({
            content: confirmation(place, {
                name: preview.name, declared: preview.declared, words: [element("p", {}, loss), consequences(), muted(SESSIONS)],
                close, word: "Drop", work: async (more) => {
                    await place.api.call("POST", path`/databases/${place.database}/schema/drop`, { ...body, ...more });
                    place.notices.say(`${preview.name} was dropped.`);
                },
            }),
        }));
        if (done) place.anew();
    });
}

/** @param {Place} place @param {string} className @param {string} property */
export async function convert(place, className, property) {
    const where = path`/databases/${place.database}/schema/convert`;
    const done = await talk(`Convert ${className}.${property}`, (/** @type {Close} */ close) => {
        const body = element("div");
        const to = select(TYPES.map((type) => [type, type]));
        const optional = select([["", "as it is now"], ["true", "may be nil"], ["false", "has a value"]]);
        const misfits = select(Object.entries(MISFITS));
        const stand = textInput({ class: "code" });
        const read = () => {
            const standing = misfits.value === "default" ? json(stand.value) : { value: undefined };
            if ("problem" in standing) throw new Refusal(400, "valueInvalid", standing.problem);
            return conversion(className, property, to.value, optional.value, misfits.value, standing.value);
        };
        replace(body, formActions(place, {
            fields: [
                field("New type", to), field("Null", optional), field("Values that do not fit", misfits),
                field("Value for those", stand, "JSON; only where a given value stands for them."),
            ],
            word: "Preview…", done: (isShown) => { if (isShown === null) close(null); },
            work: async () => {
                const wanted = read();
                const preview = await place.api.call("POST", where, wanted);
                replace(body, confirmation(place, {
                    name: preview.name, declared: preview.declared, words: conversionWords(preview), close, word: "Convert",
                    work: async (more) => {
                        await place.api.call("POST", where, { ...wanted, ...more });
                        place.notices.say(`${preview.name} was converted.`);
                    },
                }));
            },
        }));
        return { content: [body] };
    });
    if (done) place.anew();
}

/** @param {any} preview */
function conversionWords(preview) {
    return [
        element("p", {}, "From ", code(preview.from), " to ", code(preview.to),
            `, in ${plural(preview.objects, "object", "objects")}.`),
        element("p", {}, misfitWords(preview.misfits)),
        preview.brokenRules.length > 0 && notice("problem", "Permission rules that do not fit the new type",
            `Nothing is converted as long as there are any: ${preview.brokenRules.join("; ")}`),
        consequences(),
        muted(SESSIONS, " Devices with the old type are refused until their app is updated."),
    ];
}

/**
 * @param {Place} place
 * @param {{name: string, declared?: string, words: import("./dom.js").Content[], close: Close, word: string,
 *     work: (more: Record<string, unknown>) => Promise<void>}} how
 */
function confirmation(place, { name, declared, words, close, word, work }) {
    const typed = textInput();
    const even = /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", id: freshID() }));
    return formActions(place, {
        fields: [
            ...words, declared && element("p", {}, "A device has declared it last ", moment(declared), "."),
            element("div", { class: "choices" },
                element("label", { for: even.id }, even, "Even if a device has declared it within 30 days.")),
            field(`Type ${name}`, typed),
        ],
        word, isDanger: true, done: close, isMeant: () => typed.value === name, unmeant: `This is not ${name}.`,
        work: () => work({ confirm: name, ...(even.checked && { evenIfDeclared: true }) }),
    });
}

/** @param {[string, string][]} all */
const select = (all) => /** @type {HTMLSelectElement} */ (
    element("select", {}, all.map(([value, words]) => element("option", { value }, words))));
