// A small chart of one value over time.

import { element } from "./dom.js";

const WIDTH = 240;
const HEIGHT = 60;
/** Above the highest point, so that its line is seen whole. */
const MARGIN = 4;
/** Room for what comes next: a chart of few points is not stretched over the whole width. */
const SPAN_MILLISECONDS_MIN = 60_000;

/** @typedef {import("./samples.js").Point} Point */
/** @typedef {{x: number, y: number}} Place */

/**
 * The lines through points. A gap separates two of them. Pure.
 *
 * @param {Point[]} points
 * @returns {Place[][]}
 */
export function lines(points) {
    if (points.length === 0) return [];
    const end = points[points.length - 1].time;
    const start = Math.min(points[0].time, end - SPAN_MILLISECONDS_MIN);
    const most = Math.max(...points.map((point) => point.value ?? 0)) || 1;
    /** @type {Place[][]} */
    const all = [[]];
    for (const { time, value } of points) {
        if (value === null) all.push([]);
        else {
            all[all.length - 1].push({
                x: ((time - start) / (end - start)) * WIDTH,
                y: HEIGHT - (value / most) * (HEIGHT - MARGIN),
            });
        }
    }
    return all.filter((line) => line.length > 0);
}

/**
 * @param {string} title
 * @param {Point[]} points
 * @param {(value: number) => string} words how a value is written
 */
export function chart(title, points, words) {
    const values = points.flatMap((point) => (point.value === null ? [] : [point.value]));
    const latest = points.at(-1)?.value ?? null;
    const now = latest === null ? "–" : words(latest);
    const range = rangeOf(values, words);
    return element("figure", { class: "chart" },
        element("figcaption", {}, element("span", {}, title), element("span", { class: "value" }, now)),
        picture(lines(points), `${title}: now ${now}, ${range}`),
        element("div", { class: "range" }, element("span", {}, range)));
}

/** @param {number[]} values @param {(value: number) => string} words */
function rangeOf(values, words) {
    if (values.length === 0) return "No values yet";
    const [least, most] = [words(Math.min(...values)), words(Math.max(...values))];
    return least === most ? `Always ${least}` : `${least} to ${most}`;
}

/** @param {Place[][]} all @param {string} words */
function picture(all, words) {
    const frame = `0 0 ${WIDTH} ${HEIGHT}`;
    const drawn = shape("svg", { viewBox: frame, preserveAspectRatio: "none", role: "img", "aria-label": words });
    drawn.append(shape("line", { class: "base", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }));
    for (const line of all) {
        const path = line.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`);
        const [first, last] = [line[0].x.toFixed(1), line[line.length - 1].x.toFixed(1)];
        drawn.append(
            shape("path", { class: "area", d: `M${first},${HEIGHT}L${path.join("L")}L${last},${HEIGHT}Z` }),
            // A point alone is a line without length, which round ends make visible.
            shape("path", { class: "line", d: `M${path.join("L")}${path.length === 1 ? `L${path[0]}` : ""}` }));
    }
    return drawn;
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function shape(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
}
