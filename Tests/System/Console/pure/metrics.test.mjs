import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { Metrics, quantile } = await module("metrics");
const { READINGS, Samples, SPAN_MILLISECONDS, STEP_MILLISECONDS } = await module("samples");
const { lines } = await module("chart");

const text = (/** @type {number} */ merged, sessions = 3) => `# TYPE causeway_sessions gauge
causeway_database_up{database="a"} 1
causeway_database_up{database="b"} 1
causeway_sessions{database="a",state="live"} ${sessions}
causeway_sessions{database="b",state="live"} 1
causeway_operations_merged_total{database="a"} ${merged}
`;

test("names, labels and values are read, escapes and all", () => {
    const metrics = new Metrics('a{x="1",y="q\\"\\\\\\n}"} 2.5e3\na{x="2",y=""} +Inf\nb 7 1700000000\n# a 9\nbroken{ 1\n\n');
    assert.deepEqual(metrics.all("a").map(({ labels, value }) => [{ ...labels }, value]), [
        [{ x: "1", y: 'q"\\\n}' }, 2500], [{ x: "2", y: "" }, Infinity],
    ]);
    assert.equal(metrics.value("b"), 7);
    assert.equal(metrics.value("a", { x: "3" }), undefined);
    assert.equal(metrics.value("broken"), undefined);
    assert.equal(metrics.sum("nothing"), 0);
    assert.equal(new Metrics('a{__proto__="x"} 1').all("a", { toString: "x" }).length, 0);
});

test("a percentile is of what came between two scrapes, within its bucket", () => {
    const buckets = (/** @type {number[]} */ ...counts) => new Map([[0.1, counts[0]], [1, counts[1]], [Infinity, counts[2]]]);
    assert.equal(quantile(buckets(0, 0, 0), buckets(0, 10, 10), 0.5), 0.1 + 0.9 * 0.5);
    assert.equal(quantile(buckets(5, 5, 5), buckets(15, 15, 15), 0.95), 0.1 * 0.95);
    assert.equal(quantile(buckets(0, 0, 0), buckets(0, 0, 4), 0.95), 1);
    assert.equal(quantile(buckets(1, 1, 1), buckets(1, 1, 1), 0.95), null);
    assert.equal(quantile(buckets(9, 9, 9), buckets(1, 1, 1), 0.95), null);
    assert.equal(quantile(new Map(), new Map(), 0.95), null);
});

test("samples have rates each second, and a gap where the server began anew or a database was not read", () => {
    const samples = new Samples();
    samples.add(0, new Metrics(text(100)));
    assert.deepEqual(samples.points("merged"), []);
    samples.add(10_000, new Metrics(text(150)));
    samples.add(20_000, new Metrics(text(7)));
    samples.add(30_000, new Metrics(text(7).replace(/causeway_sessions\{database="b".*\n/, "")));
    assert.deepEqual(samples.points("merged").map(({ value }) => value), [5, null, 0]);
    assert.deepEqual(samples.points("sessions").map(({ value }) => value), [4, 4, null]);
    samples.add(30_001, new Metrics(text(10_000)));
    assert.equal(samples.points("merged").length, 3, "One that comes at once is left out.");
});

test("samples keep the last hour and no more", () => {
    const samples = new Samples();
    const all = (2 * SPAN_MILLISECONDS) / STEP_MILLISECONDS;
    for (let index = 0; index <= all; index += 1) samples.add(index * STEP_MILLISECONDS, new Metrics(text(index)));
    for (const name of Object.keys(READINGS)) {
        assert.equal(samples.points(name).length, SPAN_MILLISECONDS / STEP_MILLISECONDS + 1);
    }
    assert.deepEqual(samples.points("nothing"), []);
});

test("a chart stays within its frame, is broken at gaps, and takes anything", () => {
    const points = (/** @type {(number | null)[]} */ ...values) => values.map((value, index) => ({ time: index * 10_000, value }));
    assert.deepEqual(lines([]), []);
    assert.deepEqual(lines(points(null, null)), []);
    assert.equal(lines(points(1, null, 2, 3)).length, 2);
    for (const values of [[0], [0, 0], [1e15, 0], [0.001, 5, null, 2]]) {
        for (const { x, y } of lines(points(...values)).flat()) {
            assert.ok(x >= 0 && x <= 240 && y >= 0 && y <= 60, `${values}: ${x}, ${y}`);
        }
    }
});
