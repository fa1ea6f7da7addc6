// The overview: what needs attention first, how the last hour went, and each database in a row.

import { attention } from "./attention.js";
import { chart } from "./chart.js";
import { element, mark, muted, replace } from "./dom.js";
import { bytes, count, duration, short } from "./format.js";
import { lacks, notOpen, stateOf } from "./nodes.js";
import { notice } from "./notices.js";
import { hashOf } from "./route.js";
import { STEP_MILLISECONDS } from "./samples.js";
import { moment, table } from "./table.js";

/** Drawn not more often, however much happens. */
const DRAW_MILLISECONDS = 2_000;

/** @param {import("./main.js").Place} place */
export async function overview(place) {
    const [noticed, charts, databases] = [element("section"), element("div", { class: "charts" }), element("section")];
    const nodes = element("section");
    const span = element("p", { class: "muted" });
    const draw = async () => {
        await place.watch.look(place.signal);
        replace(noticed, attentionList(place.watch));
        replace(charts, chartsOf(place.watch.samples));
        replace(span, spanOf(place.watch.samples.points("sessions")));
        replace(databases, databaseTable(place.watch));
        replace(nodes, nodeTable(place.watch.seen.nodes));
    };
    await draw();
    place.container.append(
        element("div", { class: "heading" }, element("h1", { tabindex: -1 }, "Overview")),
        noticed, element("h2", {}, "The last hour"), span, charts, element("h2", {}, "Databases"), databases, nodes);
    place.repeat(draw, STEP_MILLISECONDS);
    place.follow({ events: ["version", "sessions", "databases"], milliseconds: DRAW_MILLISECONDS }, draw);
}

/** @param {import("./watch.js").Watch} watch */
function attentionList(watch) {
    const items = attention(watch.seen);
    if (items.length === 0) return notice("good", "Nothing needs attention", "All databases answer, and no operation was refused.");
    return element("ul", { class: "notices", "aria-label": "What needs attention" }, items.map((item) =>
        element("li", { class: `notice ${item.kind}` },
            element("strong", {}, item.kind === "problem" ? "Problem: " : "Warning: ", item.title), item.text, " ",
            item.part && element("a", { href: hashOf(item.part, item.database) }, `Open ${item.part}`))));
}

/** @param {import("./samples.js").Samples} samples */
function chartsOf(samples) {
    const each = (/** @type {number} */ value) => `${short(value)}/s`;
    return [
        chart("Sessions", samples.points("sessions"), count),
        chart("Operations merged", samples.points("merged"), each),
        chart("Operations refused", samples.points("refused"), each),
        chart("Downloads", samples.points("download"), (value) => `${bytes(Math.round(value))}/s`),
        chart("Commit, 95th percentile", samples.points("commit"), duration),
        chart("Commit to told, 95th percentile", samples.points("told"), duration),
    ];
}

/** @param {import("./samples.js").Point[]} points */
function spanOf(points) {
    const step = duration(STEP_MILLISECONDS / 1000);
    if (points.length < 2) return `Sampled by this page every ${step} while it is open. Charts begin with the second sample.`;
    const seconds = (points[points.length - 1].time - points[0].time) / 1000;
    return `Sampled by this page every ${step} while it is open: the last ${duration(seconds)}.`;
}

/** @param {import("./watch.js").Watch} watch */
function databaseTable({ seen, hasMore }) {
    const rows = [...seen.databases, ...(seen.notOpen ?? []).map((one) => ({ ...one, isClosed: true }))];
    return [
        table("Each database as the server reports it now", [
            { title: "Database", isHeading: true, cell: (one) => (one.isClosed ? one.name : devicesLink(one)) },
            { title: "State", cell: stateOfDatabase },
            { title: "Version", isNumber: true, cell: (one) => count(one.version) },
            { title: "File", isNumber: true, cell: (one) => bytes(one.file?.bytes) },
            { title: "Used", isNumber: true, cell: (one) => bytes(one.file?.usedBytes) },
            { title: "History", isNumber: true, cell: (one) => bytes(one.history?.bytes) },
            { title: "Sessions", isNumber: true, cell: (one) => sessionsOf(one) },
            { title: "Behind", cell: (one) => behind(one, seen.metrics) },
            { title: "Last backup", cell: (one) => moment(one.lastBackup) },
        ], rows, "The server has no database."),
        hasMore && muted("The server has more databases than are shown here."),
    ];
}

/** @param {import("./nodes.js").Node[] | undefined} nodes */
function nodeTable(nodes) {
    if (!nodes) return [];
    return [
        element("h2", {}, "Nodes"),
        table("The servers of the journal, as each of them spoke last", [
            { title: "Node", isHeading: true, cell: (one) => (one.isThisOne ? `${one.place} (this one)` : one.place) },
            { title: "State", cell: (one) => mark(stateOf(one), one.isHere ? "good" : "problem") },
            { title: "Lacks", cell: (one) => lacks(one, nodes) },
            { title: "Not open", cell: (one) => notOpen(one).join(", ") || "none" },
            { title: "Runs for", cell: (one) => duration(one.startedSecondsAgo) },
            { title: "Program", cell: (one) => one.program },
        ], nodes, "The journal does not answer, so nobody knows."),
    ];
}

/** @param {any} one */
function stateOfDatabase(one) {
    if (one.isClosed) return mark("not open", "problem");
    return one.answers ? mark("answers", "good") : mark("does not answer", "problem");
}

/** @param {any} one */
const devicesLink = (one) =>
    element("a", { href: hashOf("devices", one.name), "data-key": `database ${one.name}` }, one.name);

/** @param {any} database */
function sessionsOf(database) {
    const states = Object.entries(/** @type {Record<string, number>} */ (database.sessions ?? {}));
    return count(states.reduce((sum, [, number]) => sum + number, 0));
}

/** Whoever carries data on and lacks some. @param {any} database @param {import("./metrics.js").Metrics} metrics */
function behind(database, metrics) {
    const carriers = (database.carriers ?? []).filter((/** @type {any} */ one) => one.waiting > 0)
        .map((/** @type {any} */ one) => `${one.name}: ${count(one.waiting)}`);
    const feed = metrics.value("causeway_feed_lag_versions", { database: database.name }) ?? 0;
    const all = [...carriers, ...(feed > 0 ? [`readers of changes: ${count(feed)}`] : [])];
    return all.length > 0 ? all.join(", ") : "nobody";
}
