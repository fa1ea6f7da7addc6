// What an operator should look at first. Pure.

import { bytes, count, duration, plural } from "./format.js";
import { notOpen, withoutJournal } from "./nodes.js";

/** Warned of so long before a certificate ends. */
const CERTIFICATE_SECONDS = 14 * 86_400;
/** Warned of, and a problem, when so small a part of a file system is free. */
const DISK_PART_WARNING = 0.1;
const DISK_PART_PROBLEM = 0.03;

/**
 * @typedef {object} Item
 * @property {"problem" | "warning"} kind
 * @property {string} title
 * @property {string} text
 * @property {string} [part] where more of it is
 * @property {string} [database]
 */

/**
 * @typedef {object} Seen
 * @property {any[]} databases as the admin API lists them
 * @property {{name: string, reason: string}[]} [notOpen] databases that the server could not open
 * @property {import("./nodes.js").Node[]} [nodes] of a journal; none where the server is the only one
 * @property {string[]} problems why the server is not ready
 * @property {import("./metrics.js").Metrics} metrics
 * @property {import("./metrics.js").Metrics} first of when the page was opened
 * @property {number} now in milliseconds
 */

/** Problems first. @param {Seen} seen @returns {Item[]} */
export function attention(seen) {
    const all = [
        ...readiness(seen), ...outages(seen), ...journals(seen), ...nodes(seen), ...carriers(seen), ...certificates(seen),
        ...disks(seen), ...backups(seen), ...refusals(seen),
    ];
    return [...all.filter((item) => item.kind === "problem"), ...all.filter((item) => item.kind === "warning")];
}

/** @param {Seen} seen @returns {Item[]} */
function readiness({ problems, databases }) {
    const late = databases.filter((one) => !one.answers && !problems.some((line) => line.startsWith(`${one.name}: `)));
    return [
        ...problems.map((line) => ({ kind: /** @type {const} */ ("problem"), title: "The server is not ready", text: line })),
        ...late.map((one) => ({
            kind: /** @type {const} */ ("problem"), title: `${one.name} does not answer`,
            text: `Threads that are late: ${(one.lateThreads ?? []).join(", ") || "unknown"}.`,
        })),
    ];
}

/** @param {Seen} seen @returns {Item[]} */
function outages({ notOpen = [] }) {
    return notOpen.map(({ name, reason }) => ({ kind: "problem", title: `${name} is not open`, text: reason }));
}

/** Of databases that are served. @param {Seen} seen @returns {Item[]} */
function journals({ metrics, notOpen = [] }) {
    return withoutJournal(metrics).filter((name) => !notOpen.some((one) => one.name === name)).map((name) => ({
        kind: "problem", title: `The journal of ${name} does not answer`,
        text: "Devices see what is here, and what they write waits until PostgreSQL is back. Nothing is lost.",
    }));
}

/** What the other nodes of the journal say, or do not say any more. @param {Seen} seen @returns {Item[]} */
function nodes({ nodes = [] }) {
    const gone = nodes.filter((one) => !one.isHere).map((one) => ({
        kind: /** @type {const} */ ("warning"), title: `The node ${one.place} is gone`,
        text: `It spoke last ${duration(one.seenSecondsAgo)} ago. If it was removed, it leaves the list after a day.`,
    }));
    const closed = nodes.filter((one) => one.isHere && !one.isThisOne).flatMap((one) => notOpen(one).map((name) => ({
        kind: /** @type {const} */ ("problem"), title: `The node ${one.place} does not serve ${name}`,
        text: "Its /readyz and its log say why.",
    })));
    return [...closed, ...gone];
}

/** @param {Seen} seen @returns {Item[]} */
function carriers({ databases }) {
    return databases.flatMap((one) => (one.carriers ?? []).filter((/** @type {any} */ carrier) => carrier.failure)
        .map((/** @type {any} */ carrier) => ({
            kind: "problem", title: `${carrier.name} of ${one.name} is held up`,
            text: `${carrier.failure} Waiting: ${count(carrier.waiting)}.`,
        })));
}

/** @param {Seen} seen @returns {Item[]} */
function certificates({ metrics, now }) {
    return metrics.all("causeway_certificate_expiry_timestamp_seconds").flatMap(({ labels, value }) => {
        const left = value - now / 1000;
        if (left > CERTIFICATE_SECONDS) return [];
        return [{
            kind: left <= 0 ? "problem" : "warning",
            title: left <= 0 ? "A certificate has ended" : `A certificate ends in ${duration(left)}`,
            text: `It is shown by the listener “${labels.listener}”. Replace its file; a reload is not needed.`,
            part: "operations",
        }];
    });
}

/** @param {Seen} seen @returns {Item[]} */
function disks({ metrics, databases }) {
    return databases.flatMap(({ name }) => {
        const size = metrics.value("causeway_disk_size_bytes", { database: name });
        const free = metrics.value("causeway_disk_available_bytes", { database: name });
        if (!size || free === undefined || free / size > DISK_PART_WARNING) return [];
        return [{
            kind: free / size > DISK_PART_PROBLEM ? "warning" : "problem", title: `The disk of ${name} is nearly full`,
            text: `${bytes(free)} of ${bytes(size)} are free.`,
        }];
    });
}

/** @param {Seen} seen @returns {Item[]} */
function backups({ metrics, databases }) {
    return databases.flatMap(({ name }) => {
        const failed = metrics.sum("causeway_backup_failures_total", { database: name });
        if (failed === 0) return [];
        return [{
            kind: "warning", title: `Backups of ${name} failed`,
            text: `${plural(failed, "backup has", "backups have")} failed since the server started.`,
            part: "operations", database: name,
        }];
    });
}

/** What has been refused while the page was open. @param {Seen} seen @returns {Item[]} */
function refusals({ metrics, first }) {
    const operations = grown(metrics, first, "causeway_operations_refused_total").map(({ labels, more }) => ({
        kind: /** @type {const} */ ("warning"), title: `Operations in ${labels.database} were refused`,
        text: `${plural(more, "operation", "operations")} with the code ${labels.code}, since this page was opened.`,
        part: "devices", database: labels.database,
    }));
    const limits = grown(metrics, first, "causeway_limit_reached_total").map(({ labels, more }) => ({
        kind: /** @type {const} */ ("warning"), title: `The limit ${labels.limit} was met`,
        text: `${plural(more, "time", "times")}${labels.database ? ` in ${labels.database}` : ""}, since this page was opened.`,
        part: "operations",
    }));
    const tokens = grown(metrics, first, "causeway_admin_refused_total").filter(({ labels }) => labels.reason === "token")
        .map(({ more }) => ({
            kind: /** @type {const} */ ("warning"), title: "Somebody called this listener without the token",
            text: `${plural(more, "time", "times")} since this page was opened. The log has the addresses.`,
        }));
    return [...operations, ...limits, ...tokens];
}

/**
 * @param {import("./metrics.js").Metrics} metrics @param {import("./metrics.js").Metrics} first @param {string} name
 */
function grown(metrics, first, name) {
    return metrics.all(name).map(({ labels, value }) => ({ labels, more: value - (first.value(name, labels) ?? 0) }))
        .filter(({ more }) => more > 0);
}
