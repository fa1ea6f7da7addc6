// Shows what the server says about permissions: the verdicts, and the rule with the answer of each of its parts.

import { code, element, mark, muted } from "./dom.js";
import { count } from "./format.js";
import { notice } from "./notices.js";
import { table } from "./table.js";

/** @type {Record<string, "good" | "problem" | "warning">} */
const KINDS = { permitted: "good", refused: "problem", unknown: "warning", true: "good", false: "problem" };

/** @param {string} verdict */
const verdict = (verdict) => mark(verdict, KINDS[verdict] ?? "plain");

/** @param {any} said */
export function explanation(said) {
    const caller = said.caller;
    return [
        element("h3", {}, `${said.class} at version ${count(said.version)}, asked for ${caller.user || "a user without a name"}`),
        caller.problem && notice("warning", "The database does not accept this token", caller.problem),
        element("ul", { class: "tree" }, said.rights.map(right)),
        said.properties.length > 0 && table("Properties", [
            { title: "Property", isHeading: true, cell: (one) => one.name },
            { title: "Read", cell: (one) => verdict(one.mayRead) },
            { title: "Write", cell: (one) => verdict(one.mayWrite) },
            { title: "Rules", cell: propertyRules },
        ], said.properties, ""),
    ];
}

/** A property without rules is as its class. @param {any} property */
function propertyRules(property) {
    const own = written(property);
    if (own.length === 0) return element("span", { class: "muted" }, "as the class");
    return own.map((one) => element("div", {}, `${one.right}: `, code(one.rule.written)));
}

/** The rules of a property that stand in the configuration. @param {any} property @returns {any[]} */
const written = (property) => property.rights.filter((/** @type {any} */ one) => one.key);

/** @param {any} one */
function right(one) {
    return element("li", {},
        element("details", { open: one.verdict !== "permitted" },
            element("summary", {}, element("strong", {}, one.right), " ", verdict(one.verdict), " ",
                code(one.rule.written)),
            element("div", {}, one.note && element("p", {}, one.note),
                one.key && muted("Stands in the configuration as ", code(one.key), "."),
                details(one.rule))));
}

/** @param {any} one @returns {HTMLElement} */
const part = (one) => element("li", {}, verdict(one.answer), code(one.written), details(one));

/** What stands below a part of a rule: as it reads for the caller, and its own parts. @param {any} one */
function details(one) {
    const isOther = one.forCaller !== one.written;
    return [
        isOther && element("div", { class: "muted" }, "For this caller: ", code(one.forCaller)),
        // Of a rule with parts, the part says it.
        !one.parts?.length && one.missingClaims?.length > 0
            && element("div", {}, "The caller lacks: ", code(one.missingClaims.join(", "))),
        one.parts?.length > 0 && element("ul", {}, one.parts.map(part)),
    ];
}

/** The rules alone, as they are written. @param {any} said */
export function rulesOf(said) {
    const ofProperties = said.properties.flatMap((/** @type {any} */ property) =>
        written(property).map((one) => ({ ...one, property: property.name })));
    return table(`Rules of ${said.class}`, [
        { title: "Right", isHeading: true, cell: (one) => (one.property ? `${one.right} ${one.property}` : one.right) },
        { title: "Rule", cell: (one) => code(one.rule.written) },
        { title: "Stands as", cell: (one) => (one.key ? code(one.key) : "left out") },
    ], [...said.rights, ...ofProperties], "The class has no rules: everybody may do everything.");
}
