// The log as it is shown, changes of the schema as they are asked for, and what a verification has found.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { fieldWords, LINES_MAX, LogLines } = await module("logLines");
const { conversion, misfitWords } = await module("schemaWords");
const { hasSection } = await module("configuration");
const { ending, findings, outcome } = await module("verification");

const line = (/** @type {number} */ number, level = "info") => ({ number, time: "2026-11-28T15:00:00Z", level, message: `line ${number}` });

test("a line that comes twice stands once, and they stand in their order", () => {
    const lines = new LogLines();
    assert.equal(lines.add([line(3), line(1), line(2)]), 3);
    assert.equal(lines.add([line(2), line(3), line(5)]), 1);
    assert.deepEqual(lines.all.map(({ number }) => number), [1, 2, 3, 5]);
    assert.equal(lines.last, 5);
});

test("a server that has started anew counts from the beginning, and its lines follow", () => {
    const lines = new LogLines();
    lines.take({ lines: [line(7), line(8)], next: 8 });
    assert.equal(lines.take({ lines: [], next: 8 }), 0);
    assert.equal(lines.take({ lines: [line(1), line(2)], next: 2 }), 2);
    assert.deepEqual(lines.all.map(({ number }) => number), [7, 8, 1, 2]);
    assert.equal(lines.add([line(2), line(3)]), 1);
});

test("a pause shows nothing new and keeps it, up to the bound", () => {
    const lines = new LogLines();
    lines.add([line(1)]);
    lines.pause();
    for (let number = 2; number <= 3 * LINES_MAX; number += 1) lines.add([line(number)]);
    assert.deepEqual([lines.shown.length, lines.waiting?.length], [1, LINES_MAX]);
    lines.resume();
    assert.deepEqual([lines.shown.length, lines.shown[0].number, lines.waiting], [LINES_MAX, 2 * LINES_MAX + 1, null]);
});

test("a level shows itself and those above it, and a level that is unknown", () => {
    const lines = new LogLines();
    lines.add([line(1, "debug"), line(2, "info"), line(3, "warning"), line(4, "critical"), line(5, "strange")]);
    lines.least = "warning";
    assert.deepEqual(lines.shown.map(({ level }) => level), ["warning", "critical", "strange"]);
});

test("the fields of a line are names and values", () => {
    assert.equal(fieldWords({ ...line(1), fields: { database: "a", open: 3, list: [1] } }), "database=a open=3 list=[1]");
    assert.equal(fieldWords(line(1)), "");
});

test("a conversion says only what was chosen", () => {
    assert.deepEqual(conversion("A", "b", "int", "", "refuse", undefined), { class: "A", property: "b", to: "int", misfits: "refuse" });
    assert.deepEqual(conversion("A", "b", "int", "false", "default", null),
        { class: "A", property: "b", to: "int", misfits: "default", optional: false, default: null });
    assert.equal(misfitWords({}), "All values fit.");
    assert.equal(misfitWords({ null: 1, text: 2_000, new: 3 }),
        "1 value does not fit: nil; 2,000 values do not fit: a text that does not read as the type; 3 values do not fit: new.");
});

test("what a verification says stands for each way it can end", () => {
    const last = { time: "2026-11-28T15:00:00Z", milliseconds: 20, isSound: true, objects: 3, problems: [], problemCount: 0 };
    const worn = { ...last, isSound: false, problems: ["Note, row 7"], problemCount: 2 };
    const cut = { ...last, isSound: false, failure: "The disk does not answer." };
    assert.equal(outcome({}), null);
    assert.deepEqual(outcome({ running: { since: last.time, step: "objects", percent: 40 }, last }), ["reads objects, 40 %", "plain"]);
    assert.deepEqual(outcome({ last }), ["sound", "good"]);
    assert.deepEqual(outcome({ last: worn }), ["2 problems", "problem"]);
    assert.deepEqual(outcome({ last: cut }), ["not verified to its end", "problem"]);
    assert.deepEqual(findings({ last }), []);
    assert.deepEqual(findings({ last: worn }), ["Note, row 7", "Not listed: 1 more."]);
    assert.deepEqual(findings({ last: cut }), ["The disk does not answer."]);
    assert.equal(ending("notes", { last }), "notes is sound: 3 objects, with lists and maps inside of mixed values.");
    assert.match(ending("notes", {}), /started anew/);
});

test("a section of the configuration that may be left out is known to be there", () => {
    assert.equal(hasSection({ accounts: "server API keys", backups: "none" }, "accounts"), true);
    assert.equal(hasSection({ accounts: "server API keys", backups: "none" }, "backups"), false);
    assert.equal(hasSection({}, "accounts"), false);
});
