// Why a query is not answered: the server's words, and the query with a mark below the place. Pure.

/** A line that points at a place of the line before. */
const MARK = /^\s*\^+\s*$/u;

/**
 * The block has to stand as it is: its mark counts letters.
 *
 * @param {string} message
 * @returns {{words: string, block: string}} each may be empty
 */
export function problemParts(message) {
    const lines = message.split("\n");
    const mark = lines.findIndex((line, index) => index > 0 && MARK.test(line));
    if (mark < 0) return { words: message, block: "" };
    const words = [...lines.slice(0, mark - 1), ...lines.slice(mark + 1)].filter((line) => line !== "").join("\n");
    return { words, block: lines.slice(mark - 1, mark + 1).join("\n") };
}
