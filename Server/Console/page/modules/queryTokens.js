// Reads a query up to the place where somebody types, as far as is needed to know what may come next. Pure.
//
// It never says whether a query is right: the server does.

/**
 * @typedef {object} Token
 * @property {"path" | "number" | "string" | "symbol"} kind
 * @property {string} text
 * @property {number} start
 * @property {boolean} isOpen a string that has not ended yet
 */

/** A name, in backticks or not; also one that begins with `#`, `@` or `$`. */
const NAME = /(?:[#@$]?[\p{L}_][\p{L}\p{N}_]*|`[^`]*`?|[@$])/u;
const KINDS = [
    { kind: "blank", pattern: /^\s+/u },
    { kind: "string", pattern: /^'(?:[^'\\]|\\.)*'?|^"(?:[^"\\]|\\.)*"?/su },
    { kind: "number", pattern: /^\d[\w.]*/u },
    { kind: "path", pattern: new RegExp(`^${NAME.source}(?:\\.${NAME.source}|\\[(?:[^\\]'"]|'[^']*'|"[^"]*")*\\])*\\.?`, "u") },
    // Letters for upper and lower case, behind an operator.
    { kind: "blank", pattern: /^\[[cd]*\]/iu },
    { kind: "symbol", pattern: /^(?:[=!<>]+|&&|\|\||.)/su },
];

/** @param {string} text @returns {Token[]} */
export function tokens(text) {
    /** @type {Token[]} */
    const all = [];
    for (let start = 0; start < text.length;) {
        const rest = text.slice(start);
        const { kind, found } = first(rest);
        if (kind !== "blank") {
            const isOpen = kind === "string" && !isWhole(found);
            all.push({ kind: /** @type {Token["kind"]} */ (kind), text: found, start, isOpen });
        }
        start += found.length;
    }
    return all;
}

/** Whether a string has its end: the letter that it began with, and no backslash before it. @param {string} text */
const isWhole = (text) => text.length > 1 && text.endsWith(text[0]) && /(?:^|[^\\])(?:\\\\)*['"]$/su.test(text);

/** @param {string} rest */
function first(rest) {
    for (const { kind, pattern } of KINDS) {
        const found = pattern.exec(rest)?.[0];
        if (found) return { kind, found };
    }
    return { kind: "blank", found: rest[0] };
}

/**
 * The names of a path. An index belongs to the name before it. The last one may be empty: it is still to be typed.
 *
 * @param {string} path
 */
export function pathNames(path) {
    const names = path.replace(/\[(?:[^\]'"]|'[^']*'|"[^"]*")*\]/gu, "").match(/`[^`]*`?|[^.`]+|\.(?=$|\.)/gu) ?? [];
    return names.map((name) => (name === "." ? "" : bare(name)));
}

/**
 * A name without what marks it as one.
 *
 * @param {string} name
 */
export const bare = (name) => name.replace(/^#|^`|`$/gu, "");
