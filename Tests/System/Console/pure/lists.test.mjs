// Lists of a million objects: which rows are seen, and which pages are here.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const viewport = await module("viewport");
const { PAGE_OBJECTS, Pages } = await module("pages");
const { planWords } = await module("plan");
const { ObjectSource } = await module("objectSource");

const view = (/** @type {number} */ rows, height = 640) => ({ rows, height });

test("an element is never higher than browsers allow, and the scrollbar still reaches both ends", () => {
    for (const rows of [0, 1, 20, 1_000, 468_750, 468_751, 1_000_000, 2_000_000_000]) {
        assert.ok(viewport.bodyPixels(rows) <= 15_000_000);
        const scrollMax = Math.max(0, viewport.bodyPixels(rows) - 640);
        assert.equal(viewport.topOf(0, view(rows)), 0);
        assert.ok(Math.abs(viewport.topOf(scrollMax, view(rows)) - viewport.topMax(view(rows))) < 0.001, `${rows}`);
        const top = viewport.topMax(view(rows)) * 0.37;
        assert.ok(Math.abs(viewport.topOf(viewport.scrollOf(top, view(rows)), view(rows)) - top) < 0.001, `${rows}`);
        const { first, last } = viewport.drawn(viewport.topMax(view(rows)), view(rows));
        assert.equal(last, rows - 1);
        assert.ok(last - first < 40);
    }
});

test("a row is revealed by the smallest move", () => {
    const tall = view(100, 10 * viewport.ROW_PIXELS);
    const at = (/** @type {number} */ row, /** @type {number} */ top) =>
        viewport.revealing(row, top * viewport.ROW_PIXELS, tall) / viewport.ROW_PIXELS;
    assert.deepEqual([at(5, 0), at(9, 0), at(10, 0), at(3, 20), at(99, 0), at(0, 50)], [0, 0, 1, 3, 90, 0]);
});

test("each key moves by its step and stays within the table", () => {
    const size = { rows: 50, columns: 4, page: 10 };
    const moved = (/** @type {string} */ key, row = 5, column = 1, ctrlKey = false) => {
        const to = viewport.moved({ row, column }, { key, ctrlKey }, size);
        return to && [to.row, to.column];
    };
    assert.deepEqual(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => moved(key)), [[4, 1], [6, 1], [5, 0], [5, 2]]);
    assert.deepEqual(["PageUp", "PageDown", "Home", "End"].map((key) => moved(key)), [[0, 1], [15, 1], [0, 1], [49, 1]]);
    assert.deepEqual([moved("ArrowRight", 5, 1, true), moved("ArrowLeft", 5, 3, true)], [[5, 3], [5, 0]]);
    assert.deepEqual([moved("ArrowUp", 0), moved("ArrowDown", 49), moved("ArrowRight", 5, 3)], [[0, 1], [49, 1], [5, 3]]);
    assert.deepEqual([moved("a"), moved("Tab"), moved("toString")], [null, null, null]);
    assert.equal(viewport.moved({ row: 0, column: 0 }, { key: "End", ctrlKey: false }, { ...size, rows: 0 }), null);
});

const objects = (/** @type {number} */ from, /** @type {number} */ number) =>
    Array.from({ length: number }, (_, index) => ({ row: from + index }));
const answer = (/** @type {number} */ from, number = PAGE_OBJECTS, more = {}) =>
    ({ version: 1, count: 1_000_000, from, objects: objects(from, number), ...more });

test("only pages that are missing are asked for, also the rest of one that ended early", () => {
    const pages = new Pages(answer(0));
    assert.deepEqual(pages.missing({ first: 90, last: 320 }), [100, 200, 300].map((from) => ({ from, limit: 100 })));
    pages.take(answer(100, 30), { first: 90, last: 150 });
    assert.deepEqual(pages.missing({ first: 90, last: 150 }), [{ from: 130, limit: 70 }]);
    pages.take(answer(130, 70), { first: 90, last: 150 });
    assert.deepEqual(pages.missing({ first: 90, last: 150 }), []);
    assert.deepEqual([pages.object(0), pages.object(199), pages.object(200)], [{ row: 0 }, { row: 199 }, undefined]);
    pages.take(answer(230, 70), { first: 90, last: 150 });
    assert.equal(pages.object(230), undefined, "Its beginning is not here.");
});

test("a page of which the server sends nothing is not asked for without end, and the last one is short", () => {
    const pages = new Pages(answer(0, 3, { count: 3 }));
    assert.deepEqual(pages.missing({ first: 0, last: 50 }), []);
    const strange = new Pages(answer(0, 0, { count: 3 }));
    assert.deepEqual(strange.missing({ first: 0, last: 2 }), []);
});

test("few pages are kept: those that are seen, and the newest", () => {
    const pages = new Pages(answer(0));
    for (let from = 100; from < 10_000; from += 100) pages.take(answer(from), { first: 0, last: 20 });
    assert.equal(pages.pages.size, 12);
    assert.deepEqual([pages.object(0), pages.object(9_999)], [{ row: 0 }, { row: 9_999 }]);
});

test("another version leaves what is not seen, and what is seen stays until it is there anew", () => {
    const pages = new Pages(answer(0));
    for (const from of [100, 200, 300]) pages.take(answer(from), { first: 100, last: 150 });
    pages.take(answer(200, 100, { version: 2, count: 7_000 }), { first: 150, last: 250 });
    assert.deepEqual([...pages.pages.keys()].sort(), [100, 200]);
    assert.equal(pages.count, 7_000);
    pages.renew({ first: 150, last: 180 });
    assert.deepEqual(pages.object(150), { row: 150 });
    assert.deepEqual(pages.missing({ first: 150, last: 180 }), [{ from: 100, limit: 100 }]);
});

/** A source of which each demand is written down, and answered by hand. */
function source() {
    /** @type {{from: number, signal: AbortSignal, answer: (value: any) => void}[]} */
    const asked = [];
    let draws = 0;
    const leave = new AbortController();
    const made = new ObjectSource({
        answer: answer(0), changed: () => { draws += 1; }, signal: leave.signal,
        attempt: async (/** @type {any} */ work) => work().then(() => true),
        load: (/** @type {any} */ { from }, /** @type {AbortSignal} */ signal) =>
            new Promise((resolve) => { asked.push({ from, signal, answer: resolve }); }),
    });
    return { made, asked, leave, draws: () => draws };
}

test("what is fetched anew is waited for", async () => {
    const { made, asked } = source();
    let isOver = false;
    made.renew().then(() => { isOver = true; });
    await new Promise(setImmediate);
    assert.deepEqual([asked.length, isOver], [1, false]);
    asked[0].answer(answer(0));
    await new Promise(setImmediate);
    assert.equal(isOver, true);
});

test("who scrolls fast makes one demand, where they rest; answers for elsewhere are dropped", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { made, asked, draws } = source();
    for (let row = 0; row < 500_000; row += 5_000) {
        made.look(row, row + 20);
        context.mock.timers.tick(20);
    }
    assert.equal(asked.length, 0);
    context.mock.timers.tick(100);
    assert.deepEqual(asked.map(({ from }) => from), [495_000]);
    made.look(800_000, 800_020);
    context.mock.timers.tick(100);
    assert.ok(asked[0].signal.aborted);
    asked[0].answer(answer(495_000));
    asked[1].answer(answer(800_000));
    await new Promise(setImmediate);
    assert.deepEqual([made.object(495_000), made.object(800_000)?.row, draws()], [undefined, 800_000, 1]);
    made.look(800_000, 800_020);
    context.mock.timers.tick(100);
    assert.equal(asked.length, 2, "What is here is not asked for again.");
});

test("a list that was left asks for nothing and takes nothing", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { made, asked, leave, draws } = source();
    made.look(300, 320);
    context.mock.timers.tick(100);
    leave.abort();
    asked[0].answer(answer(300));
    made.look(900, 920);
    context.mock.timers.tick(100);
    await new Promise(setImmediate);
    assert.deepEqual([asked.length, draws(), made.object(300)], [1, 0, undefined]);
});

test("a plan says by what the head of a column sorts", () => {
    assert.equal(planWords("all, then sort", ""), "all, then sort");
    assert.equal(planWords("all, then sort", "price"), "all, then sort by price");
    assert.equal(planWords("scan A.b, then sort, then sort", "-price"), "scan A.b, then sort, then sort by price, descending");
    assert.equal(planWords("all, then keep the first 3", "price"), "all, then keep the first 3");
});
