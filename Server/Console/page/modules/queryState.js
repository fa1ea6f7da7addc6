// What may come next in a query. Pure.

/**
 * @typedef {"operand" | "operator" | "value" | "connective" | "order" | "direction" | "step" | "nothing"} Expected
 */

const BEFORE_OPERAND = ["NOT", "ANY", "SOME", "ALL", "NONE"];
const WHOLE = ["TRUEPREDICATE", "FALSEPREDICATE"];

/**
 * @param {import("./queryTokens.js").Token[]} tokens those before the one that is typed
 * @returns {{expected: Expected, left: string | null}} `left` is the path that an operator or a value is for
 */
export function expectedAfter(tokens) {
    const state = new State();
    for (const token of tokens) {
        if (token.kind === "path") state.path(token.text);
        else if (token.kind === "symbol") state.symbol(token.text);
        else state.constant();
    }
    return { expected: state.expected, left: state.left };
}

class State {
    constructor() {
        /** @type {Expected} */
        this.expected = "operand";
        /** @type {string | null} */
        this.left = null;
        /** @type {("group" | "list" | "call" | "order" | "limit")[]} what is open */
        this.open = [];
        /** The word before, where it may be that of a call or of a step. */
        this.word = "";
    }

    /** @param {string} text */
    path(text) {
        const word = text.toUpperCase();
        this.word = word;
        if (this.expected === "operand" || this.expected === "value") {
            if (BEFORE_OPERAND.includes(word)) return;
            if (this.expected === "operand" && !WHOLE.includes(word)) this.left = text;
            this.expected = this.expected === "operand" && !WHOLE.includes(word) ? "operator" : "connective";
        } else if (this.expected === "operator") this.expected = "value";
        else if (this.expected === "connective" && (word === "AND" || word === "OR")) this.expected = "operand";
        else if (this.expected === "order") this.expected = "direction";
    }

    constant() {
        if (this.expected === "operand") {
            this.left = null;
            this.expected = "operator";
        } else if (this.expected === "value") this.expected = "connective";
    }

    /** @param {string} text */
    symbol(text) {
        const word = this.word;
        this.word = "";
        if (text === "(") return this.openRound(word);
        if (text === "{") this.open.push("list");
        else if (text === ")" || text === "}") this.close();
        else if (text === ",") this.next();
        else if (text === "&&" || text === "||") this.expected = "operand";
        else if ("+-*/".includes(text)) {
            if (this.expected === "operator") this.expected = "operand";
            else if (this.expected === "connective") this.expected = "value";
        } else if (this.expected === "operator" && /^[=!<>]+$/u.test(text)) this.expected = "value";
    }

    /** @param {string} word the one before */
    openRound(word) {
        if (word === "SORT" || word === "DISTINCT") {
            this.open.push("order");
            this.expected = "order";
        } else if (word === "LIMIT") {
            this.open.push("limit");
            this.expected = "nothing";
        } else if (word !== "" && !["AND", "OR", "IN", "BETWEEN", ...BEFORE_OPERAND].includes(word)) {
            // link(…), oid(…) and their like: nothing that the schema knows.
            this.open.push("call");
            this.expected = "nothing";
        } else this.open.push("group");
    }

    close() {
        const ended = this.open.pop();
        // Behind a step comes another one, and no condition.
        this.expected = ended === "order" || ended === "limit" ? "step" : "connective";
    }

    next() {
        const inside = this.open.at(-1);
        if (inside === "order") this.expected = "order";
        if (inside === "list") this.expected = "value";
    }
}
