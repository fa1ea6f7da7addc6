// The servers of one journal: who is there, and how far each of them is. Pure.

import { count, duration } from "./format.js";

/**
 * @typedef {object} Node as the admin API lists it
 * @property {string} place
 * @property {string} program
 * @property {number} generation
 * @property {boolean} isHere
 * @property {boolean} isThisOne
 * @property {number} startedSecondsAgo
 * @property {number} seenSecondsAgo
 * @property {{name: string, isOpen: boolean, position?: number}[]} databases
 */

/** Whether the server that these metrics are of is one of several. @param {import("./metrics.js").Metrics} metrics */
export const isNode = (metrics) => metrics.all("causeway_journal_answers").length > 0;

/** The databases that the journal does not answer. @param {import("./metrics.js").Metrics} metrics */
export const withoutJournal = (metrics) =>
    metrics.all("causeway_journal_answers").filter(({ value }) => value === 0).map(({ labels }) => labels.database);

/** @param {Node} node */
export const stateOf = (node) => (node.isHere ? "here" : `gone for ${duration(node.seenSecondsAgo)}`);

/** The databases that are not open on a node. @param {Node} node */
export const notOpen = (node) => node.databases.filter((one) => !one.isOpen).map((one) => one.name);

/**
 * How many entries of each database a node lacks that another one has. Nodes speak at different times, so one that is level may
 * seem to lack a few.
 *
 * @param {Node} node @param {Node[]} nodes
 */
export function lacks(node, nodes) {
    const lacking = node.databases.flatMap(({ name, position }) => {
        const furthest = Math.max(...nodes.map((one) => positionOf(one, name)));
        const entries = furthest - (position ?? furthest);
        return entries > 0 ? [`${name}: ${count(entries)}`] : [];
    });
    return lacking.length > 0 ? lacking.join(", ") : "nothing";
}

/** @param {Node} node @param {string} name */
const positionOf = (node, name) => node.databases.find((one) => one.name === name)?.position ?? 0;
