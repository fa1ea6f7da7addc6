// Which of very many rows are seen. Pure.
//
// Browsers bound the height of an element: Firefox at 17.8 million pixels, Chromium and Safari at 33.5 million. The rows of a
// long list are higher than that, so the place in the list (`top`) and that of the scrollbar (`scroll`) are two things. They
// are the same number as long as the rows fit, and in proportion where they do not.

export const ROW_PIXELS = 32;
export const BODY_PIXELS_MAX = 15_000_000;
/** Rows above and below what is seen, so that a small step shows no gap. */
const MARGIN_ROWS = 6;

/**
 * @typedef {object} View
 * @property {number} rows
 * @property {number} height of what is seen of the rows, in pixels
 */

/**
 * How high the element is.
 *
 * @param {number} rows
 */
export const bodyPixels = (rows) => Math.min(rows * ROW_PIXELS, BODY_PIXELS_MAX);

/** @param {number} rows */
export const isScaled = (rows) => rows * ROW_PIXELS > BODY_PIXELS_MAX;

/**
 * The furthest place.
 *
 * @param {View} view
 */
export const topMax = ({ rows, height }) => Math.max(0, rows * ROW_PIXELS - height);

/** @param {number} top @param {View} view */
export const bounded = (top, view) => Math.min(Math.max(0, top), topMax(view));

/** @param {number} scroll @param {View} view */
export const topOf = (scroll, view) => bounded(isScaled(view.rows) ? scroll * factor(view) : scroll, view);

/** @param {number} top @param {View} view */
export const scrollOf = (top, view) => (isScaled(view.rows) ? top / factor(view) : top);

/** @param {View} view */
const factor = (view) => topMax(view) / (bodyPixels(view.rows) - view.height);

/**
 * The rows to draw.
 *
 * @param {number} top
 * @param {View} view
 */
export function drawn(top, { rows, height }) {
    const first = Math.max(0, Math.floor(top / ROW_PIXELS) - MARGIN_ROWS);
    return { first, last: Math.min(rows - 1, Math.ceil((top + height) / ROW_PIXELS) + MARGIN_ROWS) };
}

/**
 * How many rows are seen whole.
 *
 * @param {View} view
 */
export const pageRows = ({ height }) => Math.max(1, Math.floor(height / ROW_PIXELS));

/**
 * The place at which a row is seen whole, as near as possible.
 *
 * @param {number} row
 * @param {number} top
 * @param {View} view
 */
export function revealing(row, top, view) {
    const [above, below] = [row * ROW_PIXELS, (row + 1) * ROW_PIXELS - view.height];
    return bounded(Math.max(Math.min(top, above), below), view);
}

/**
 * Where a key moves the place of the keyboard. Null for a key that does not move it.
 *
 * @param {{row: number, column: number}} from
 * @param {{key: string, ctrlKey: boolean}} stroke
 * @param {{rows: number, columns: number, page: number}} size
 */
export function moved(from, { key, ctrlKey }, { rows, columns, page }) {
    /** @type {Record<string, [number, number]>} */
    const places = {
        ArrowUp: [from.row - 1, from.column], ArrowDown: [from.row + 1, from.column],
        ArrowLeft: [from.row, ctrlKey ? 0 : from.column - 1], ArrowRight: [from.row, ctrlKey ? columns - 1 : from.column + 1],
        PageUp: [from.row - page, from.column], PageDown: [from.row + page, from.column],
        Home: [0, from.column], End: [rows - 1, from.column],
    };
    if (!Object.hasOwn(places, key) || rows === 0) return null;
    const within = (/** @type {number} */ value, /** @type {number} */ most) => Math.min(Math.max(0, value), most - 1);
    return { row: within(places[key][0], rows), column: within(places[key][1], columns) };
}
