import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { attention } = await module("attention");
const { Metrics } = await module("metrics");

const NOW = 1_800_000_000_000;
const well = { name: "flights", answers: true, carriers: [{ name: "orders", waiting: 3, taken: 1 }] };

const seen = (/** @type {any} */ change = {}) => ({
    databases: [well], problems: [], now: NOW, first: new Metrics(""), ...change,
    metrics: new Metrics(change.metrics ?? ""),
});

/** Kinds and titles. @param {any} change */
const titles = (change) => attention(seen(change)).map(({ kind, title }) => `${kind}: ${title}`);

test("a server that is well needs no attention", () => {
    assert.deepEqual(titles({}), []);
    assert.deepEqual(titles({
        metrics: `causeway_certificate_expiry_timestamp_seconds{listener="devices"} ${NOW / 1000 + 40 * 86_400}
causeway_disk_size_bytes{database="flights"} 100
causeway_disk_available_bytes{database="flights"} 50
causeway_backup_failures_total{database="flights"} 0`,
    }), []);
});

test("each thing that goes wrong is named, problems before warnings", () => {
    assert.deepEqual(titles({
        databases: [
            { ...well, carriers: [{ name: "orders", waiting: 3, taken: 1, failure: "It is gone." }] },
            { name: "notes", answers: false, lateThreads: ["writer"] },
        ],
        problems: ["the server does not take connections"],
        metrics: `causeway_certificate_expiry_timestamp_seconds{listener="devices"} ${NOW / 1000 + 2 * 86_400}
causeway_certificate_expiry_timestamp_seconds{listener="api"} ${NOW / 1000 - 5}
causeway_disk_size_bytes{database="flights"} 100
causeway_disk_available_bytes{database="flights"} 8
causeway_disk_size_bytes{database="notes"} 100
causeway_disk_available_bytes{database="notes"} 1
causeway_backup_failures_total{database="notes"} 2`,
    }), [
        "problem: The server is not ready", "problem: notes does not answer", "problem: orders of flights is held up",
        "problem: A certificate has ended", "problem: The disk of notes is nearly full",
        "warning: A certificate ends in 2 days", "warning: The disk of flights is nearly full", "warning: Backups of notes failed",
    ]);
});

test("a database that is late is told once", () => {
    assert.deepEqual(titles({
        databases: [{ name: "notes", answers: false }], problems: ["notes: the writer is late"],
    }), ["problem: The server is not ready"]);
});

test("refusals count from when the page was opened", () => {
    const before = 'causeway_operations_refused_total{database="a",code="permissionDenied"} 5\n';
    const after = `causeway_operations_refused_total{database="a",code="permissionDenied"} 7
causeway_limit_reached_total{database="",limit="connections"} 1
causeway_admin_refused_total{reason="token"} 3
causeway_admin_refused_total{reason="route"} 3`;
    assert.deepEqual(titles({ first: new Metrics(before), metrics: before }), []);
    const items = attention(seen({ first: new Metrics(before), metrics: after }));
    assert.deepEqual(items.map(({ title }) => title), [
        "Operations in a were refused", "The limit connections was met", "Somebody called this listener without the token",
    ]);
    assert.match(items[0].text, /^2 operations with the code permissionDenied/);
});
