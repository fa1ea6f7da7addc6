// What the server tells by itself: how it is read, how it is waited for, and how often something is done about it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { EventText } = await module("eventText");
const { Live } = await module("live");
const { NoAnswer } = await module("api");
const { Outage } = await module("outage");
const { Pace } = await module("pace");

const settled = () => new Promise(setImmediate);

test("events are read however the stream is cut, and comments are none", () => {
    const all = ': alive\n\nevent: version\ndata: {"database":"a",\ndata: "version":18}\n\r\nevent: log\r\ndata: {"message":"<b>"}\r\n\r\ndata: 7\n\n';
    const expected = [
        { event: "version", data: { database: "a", version: 18 } }, { event: "log", data: { message: "<b>" } }, { event: "message", data: 7 },
    ];
    for (let size = 1; size <= all.length; size += 1) {
        const text = new EventText();
        const found = [];
        for (let start = 0; start < all.length; start += size) found.push(...text.take(all.slice(start, start + size)));
        assert.deepEqual(found, expected, `${size}`);
    }
    assert.deepEqual(new EventText().take("data: {\n\nevent: x\n\n"), [], "What is no JSON, and what has no data.");
});

test("an event without an end is not kept without end", () => {
    const text = new EventText();
    assert.throws(() => { for (let round = 0; round < 30; round += 1) text.take("data: " + "x".repeat(100_000) + (round % 2 ? "\n" : "")); }, /without an end/);
});

/** A server whose streams are handed out by the test. */
function server() {
    /** @type {{signal: AbortSignal, send: (text: string) => void, end: () => void}[]} */
    const streams = [];
    const api = {
        isDown: false,
        async stream(/** @type {string} */ _, /** @type {AbortSignal} */ signal) {
            if (this.isDown) throw new Error("down");
            /** @type {any} */
            let next;
            let wait = new Promise((resolve) => { next = resolve; });
            const give = (/** @type {any} */ value) => {
                const resolve = next;
                wait = new Promise((other) => { next = other; });
                resolve(value);
            };
            streams.push({ signal, send: (text) => give({ done: false, value: text }), end: () => give({ done: true }) });
            return { read: () => wait };
        },
    };
    return { api, streams };
}

test("a stream that ends is begun again, later each time that it fails, and its beginning counts as a change", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const { api, streams } = server();
    const leave = new AbortController();
    const live = new Live(api);
    const told = [];
    live.listen((/** @type {any} */ { event }) => told.push(event), leave.signal);
    live.run(leave.signal);
    await settled();
    streams[0].send('event: version\ndata: {"database":"a"}\n\n');
    await settled();
    assert.deepEqual([told, live.isOn], [["begun", "version"], true]);
    streams[0].end();
    await settled();
    assert.equal(live.isOn, false);
    api.isDown = true;
    for (const milliseconds of [1_000, 2_000, 4_000, 8_000]) {
        context.mock.timers.tick(milliseconds);
        await settled();
    }
    api.isDown = false;
    context.mock.timers.tick(15_999);
    await settled();
    assert.equal(streams.length, 1);
    context.mock.timers.tick(1);
    await settled();
    assert.deepEqual([streams.length, told.at(-1), live.isOn], [2, "begun", true]);
    leave.abort();
    assert.ok(streams[1].signal.aborted);
});

test("a stream without a sign of life is left", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const { api, streams } = server();
    const leave = new AbortController();
    new Live(api).run(leave.signal);
    await settled();
    context.mock.timers.tick(39_000);
    streams[0].send(": alive\n\n");
    await settled();
    context.mock.timers.tick(39_000);
    assert.equal(streams[0].signal.aborted, false);
    context.mock.timers.tick(1_001);
    assert.ok(streams[0].signal.aborted);
    leave.abort();
});

test("only events of the database are followed, once a second, and everything is asked for while there is no stream", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const live = new Live(server().api);
    const leave = new AbortController();
    let done = 0;
    live.isOn = true;
    live.follow({ events: ["version"], database: "a", milliseconds: 1_000 }, async () => { done += 1; }, leave.signal);
    for (let round = 0; round < 50; round += 1) {
        live.tell({ event: "version", data: { database: "a" } });
        live.tell({ event: "version", data: { database: "b" } });
        live.tell({ event: "sessions", data: { database: "a" } });
        await settled();
        context.mock.timers.tick(100);
    }
    assert.ok(done >= 5 && done <= 6, `${done}`);
    // In steps: what is done within one would have taken as long as it.
    for (let round = 0; round < 60; round += 1) {
        context.mock.timers.tick(1_000);
        await settled();
    }
    const before = done;
    live.isOn = false;
    context.mock.timers.tick(10_000);
    await settled();
    assert.equal(done, before + 1);
    leave.abort();
    live.tell({ event: "version", data: { database: "a" } });
    context.mock.timers.tick(60_000);
    await settled();
    assert.equal(done, before + 1);
});

test("one thing is done at a time, and what is wanted meanwhile is done afterwards", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    /** @type {(() => void)[]} */
    const begun = [];
    const pace = new Pace(1_000, () => new Promise((resolve) => { begun.push(() => resolve(undefined)); }), new AbortController().signal);
    pace.want();
    pace.want();
    context.mock.timers.tick(5_000);
    assert.equal(begun.length, 1);
    begun[0]();
    await settled();
    context.mock.timers.tick(1_000);
    assert.equal(begun.length, 2);
});

test("what took long is followed by a longer pause", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
    let begun = 0;
    const work = () => new Promise((resolve) => {
        begun += 1;
        setTimeout(resolve, 2_000);
    });
    const pace = new Pace(1_000, work, new AbortController().signal);
    pace.want();
    context.mock.timers.tick(2_000);
    await settled();
    pace.want();
    context.mock.timers.tick(5_999);
    assert.equal(begun, 1);
    context.mock.timers.tick(1);
    assert.equal(begun, 2);
});

/** An outage that is looked at by the test. @param {any} context */
function outage(context) {
    context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"], now: new Date(2026, 10, 28, 21, 4, 10) });
    const all = { isGone: false, words: "", answers: /** @type {boolean[]} */ ([]), refusals: 0, error: null };
    const watched = new Outage({
        ask: async () => {
            if (all.isGone) throw new NoAnswer("gone");
            if (all.error) throw all.error;
        },
        refused: () => { all.refusals += 1; }, say: (/** @type {string} */ words) => { all.words = words; },
        answered: (/** @type {boolean} */ wasGone) => all.answers.push(wasGone),
    });
    return { all, watched };
}

test("a server that is gone is said so with the time, until it answers and its stream is back", async (context) => {
    const { all, watched } = outage(context);
    all.isGone = true;
    watched.streamEnded();
    await settled();
    assert.equal(all.words, "Not live since 21:04:10. The server does not answer. The page tries again.");
    for (let round = 0; round < 5; round += 1) {
        context.mock.timers.tick(2_000);
        await settled();
    }
    assert.deepEqual(all.answers, []);
    watched.streamEnded();
    all.isGone = false;
    context.mock.timers.tick(2_000);
    await settled();
    assert.equal(all.words, "Not live since 21:04:10. The page tries again.");
    assert.deepEqual(all.answers, [true]);
    watched.streamBegun();
    assert.equal(all.words, "");
});

test("a stream that ends and comes back at once is not worth a word, nor is a call that took too long", async (context) => {
    const { all, watched } = outage(context);
    watched.streamEnded();
    await settled();
    watched.streamBegun();
    watched.look();
    await settled();
    assert.deepEqual([all.words, all.answers], ["", [false, false]]);
    all.error = new Error("401");
    watched.look();
    await settled();
    assert.deepEqual([all.words, all.refusals], ["", 1]);
});

test("a server without a sign of life is found by asking, and who has signed out is told nothing", async (context) => {
    const { all, watched } = outage(context);
    const leave = new AbortController();
    watched.watch({ listen: () => {} }, leave.signal);
    all.isGone = true;
    context.mock.timers.tick(5_000);
    await settled();
    assert.match(all.words, /^Not live since 21:04:15/);
    leave.abort();
    watched.end();
    assert.equal(all.words, "");
    context.mock.timers.tick(10_000);
    await settled();
    assert.equal(all.words, "");
    // The next server is looked at all the same.
    watched.look();
    await settled();
    assert.match(all.words, /^Not live since 21:04:25/);
});

test("an attempt begins at once when the server is known to be back", async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
    const { api, streams } = server();
    const leave = new AbortController();
    const live = new Live(api);
    api.isDown = true;
    live.run(leave.signal);
    for (const milliseconds of [0, 1_000, 2_000, 4_000]) {
        context.mock.timers.tick(milliseconds);
        await settled();
    }
    api.isDown = false;
    live.wake();
    await settled();
    assert.equal(streams.length, 1);
    leave.abort();
});
