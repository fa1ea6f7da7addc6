import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { lacks, isNode, notOpen, stateOf, withoutJournal } = await module("nodes");
const { attention } = await module("attention");
const { Metrics } = await module("metrics");

const node = (/** @type {string} */ place, /** @type {any[]} */ databases, change = {}) => ({
    place, program: "0.1.0", generation: 1, isHere: true, isThisOne: false, startedSecondsAgo: 90, seenSecondsAgo: 2,
    databases, ...change,
});

const nodes = [
    node("a:7443", [{ name: "flights", isOpen: true, position: 1_300 }, { name: "notes", isOpen: true, position: 4 }]),
    node("b:7443", [{ name: "flights", isOpen: true, position: 90 }, { name: "notes", isOpen: false }]),
    node("c:7443", [{ name: "flights", isOpen: true, position: 1_300 }], { isHere: false, seenSecondsAgo: 300 }),
];

test("a server is a node when it has a journal to follow", () => {
    assert.equal(isNode(new Metrics('causeway_database_up{database="flights"} 1')), false);
    const metrics = new Metrics(`causeway_journal_answers{database="flights"} 1
causeway_journal_answers{database="notes"} 0`);
    assert.equal(isNode(metrics), true);
    assert.deepEqual(withoutJournal(metrics), ["notes"]);
});

test("what a node lacks is counted against the node that is furthest", () => {
    assert.deepEqual(nodes.map((one) => lacks(one, nodes)), ["nothing", "flights: 1,210", "nothing"]);
    assert.deepEqual(nodes.map(notOpen), [[], ["notes"], []]);
    assert.deepEqual(nodes.map(stateOf), ["here", "here", "gone for 5 min"]);
});

test("a node that is gone, a database that one does not have open, and a journal that is away need attention", () => {
    const titles = attention({
        databases: [], problems: [], nodes, now: 1_800_000_000_000, first: new Metrics(""),
        metrics: new Metrics('causeway_journal_answers{database="notes"} 0'),
    }).map(({ kind, title }) => `${kind}: ${title}`);
    assert.deepEqual(titles, [
        "problem: The journal of notes does not answer", "problem: The node b:7443 does not serve notes",
        "warning: The node c:7443 is gone",
    ]);
});

test("a database that is not open is told with its reason, and not as a journal that is away", () => {
    const items = attention({
        databases: [], problems: [], notOpen: [{ name: "notes", reason: "It is damaged." }], now: 1_800_000_000_000,
        first: new Metrics(""), metrics: new Metrics('causeway_journal_answers{database="notes"} 0'),
    });
    assert.deepEqual(items, [{ kind: "problem", title: "notes is not open", text: "It is damaged." }]);
});
