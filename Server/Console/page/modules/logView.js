// The server's log as it is written.

import { element, field, mark, muted, replace } from "./dom.js";
import { plural } from "./format.js";
import { Live } from "./live.js";
import { fieldWords, LEVELS, LINES_MAX, LogLines } from "./logLines.js";
import { moment } from "./table.js";

/** So many to begin with. */
const FIRST_LINES = 200;
/** Drawn not more often, however much is logged. */
const DRAW_MILLISECONDS = 500;

/** @type {Record<string, "problem" | "warning">} */
const KINDS = { warning: "warning", error: "problem", critical: "problem" };

/** @param {import("./main.js").Place} place */
export async function logView(place) {
    const lines = new LogLines();
    const list = element("ol", {
        class: "log", role: "log", "aria-live": "off", "aria-label": "Log", tabindex: 0, onscroll: () => { isAtEnd = atEnd(list); },
    });
    // Whoever has scrolled up reads on undisturbed.
    let isAtEnd = true;
    const settle = () => { if (isAtEnd) list.scrollTop = list.scrollHeight; };
    new ResizeObserver(settle).observe(list);
    const level = /** @type {HTMLSelectElement} */ (element("select", {
        onchange: () => {
            lines.least = level.value;
            draw(true);
        },
    }, LEVELS.map((name) => element("option", { value: name, selected: name === "info" }, name))));
    lines.least = "info";
    const pause = element("button", { type: "button", onclick: () => {
        if (lines.waiting) lines.resume();
        else lines.pause();
        draw();
    } });
    /** @param {boolean} [isOther] whether other lines are wanted: then they are drawn while paused, too */
    const draw = (isOther = false) => {
        const waiting = lines.waiting?.length ?? 0;
        replace(pause, lines.waiting ? `Go on${waiting > 0 ? `, ${plural(waiting, "new line", "new lines")}` : ""}` : "Pause");
        if (lines.waiting && list.firstChild && !isOther) return;
        const shown = lines.shown.map(line);
        list.replaceChildren(...(shown.length > 0 ? shown : [element("li", {}, "No line of this level is kept.")]));
        settle();
    };
    const read = async () => {
        const query = new URLSearchParams(lines.last < 0 ? { limit: String(FIRST_LINES) } : { after: String(lines.last) });
        if (lines.take(await place.api.get(`/log?${query}`, place.signal)) > 0 || !list.firstChild) draw();
    };
    await read();
    follow(place, lines, draw, read);
    return element("div", {},
        element("div", { class: "row" }, element("div", { class: "beside" }, field("At least", level)), pause), list,
        muted(`The newest lines that the server keeps in memory; here at most ${LINES_MAX}. `
            + "All of them are where it writes its log."));
}

/** @param {HTMLElement} list */
const atEnd = (list) => list.scrollHeight - list.scrollTop - list.clientHeight < 8;

/** @param {import("./main.js").Place} place @param {LogLines} lines @param {() => void} draw @param {() => Promise<void>} read */
function follow(place, lines, draw, read) {
    const live = new Live(place.api, "?log=true");
    let isDrawn = true;
    live.listen(({ event, data }) => {
        if (event !== "log" || lines.add([data]) === 0 || !isDrawn) return;
        isDrawn = false;
        setTimeout(() => {
            isDrawn = true;
            if (!place.signal.aborted) draw();
        }, DRAW_MILLISECONDS);
    }, place.signal);
    // What was logged while there was no stream.
    live.follow({ events: [], milliseconds: DRAW_MILLISECONDS }, () => place.byItself(read), place.signal);
    live.run(place.signal);
    place.recover(async () => live.wake());
}

/** @param {import("./logLines.js").LogLine} one */
function line(one) {
    return element("li", {}, moment(one.time), " ", mark(one.level, KINDS[one.level] ?? "plain"), " ", one.message,
        " ", element("span", { class: "code muted" }, fieldWords(one)));
}
