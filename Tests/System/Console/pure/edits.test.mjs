// What is meant by what was typed, what a commit has changed, and the query that finds who links to an object.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { editorOf, json, mayBeNil, meaning, patchOf, templateOf, textOf } = await module("editor");
const { deletionWords } = await module("deletion");
const { Schema } = await module("schema");
const { author, changesOf } = await module("changes");
const { keyLiteral, linkingQuery, quoted } = await module("queryText");

/** @type {[string, unknown][]} a type, and values of it that are written back as they are shown */
const VALUES = [
    ["bool", true], ["bool", false], ["int", 12], ["int", { $numberLong: "-9223372036854775808" }], ["int", { $numberLong: "9223372036854775807" }],
    ["double", 0.1], ["double", 1e300], ["double", { $numberDouble: "NaN" }], ["float", -2.5], ["string", " <b>\n'\\ "], ["string", ""], ["string", "a\r\nb"],
    ["decimal128", { $numberDecimal: "1.50" }], ["decimal128", { $numberDecimal: "-1E+6000" }], ["date", { $date: "2026-11-27T18:59:49.000000001Z" }],
    ["date", { $date: { seconds: { $numberLong: "99999999999999" }, nanoseconds: 0 } }], ["objectId", { $oid: "00112233445566778899aabb" }],
    ["uuid", { $uuid: "6ba7b810-9dad-11d1-80b4-00c04fd430c8" }], ["data", { $binary: { base64: "AAE=", subType: "00" } }],
    ["mixed", [1, { a: null }]], ["mixed", null],
];

test("what is shown in a form is written back unchanged", () => {
    for (const [type, value] of VALUES) {
        const editor = editorOf({ name: "a", type, is: type }, value);
        assert.deepEqual(meaning(editor, textOf(editor, value)), { value }, `${type}: ${JSON.stringify(value)}`);
    }
});

test("collections, links and embedded objects are edited as JSON, and null is typed there", () => {
    for (const more of [{ collection: "list" }, { target: "Dog" }]) {
        const property = { name: "a", type: "int", is: "", optional: true, ...more };
        assert.equal(editorOf(property, null), "json");
        assert.equal(mayBeNil(property, "json"), false);
    }
    assert.equal(mayBeNil({ name: "a", type: "int", is: "", optional: true }, "int"), true);
    assert.equal(mayBeNil({ name: "a", type: "int", is: "" }, "int"), false);
});

test("what is no value of the type has a sentence", () => {
    /** @type {[string, string[]][]} */
    const wrong = [
        ["int", ["", "1.5", "1e3", "9223372036854775808", "-9223372036854775809", "0x1", "1 2", "99999999999999999999"]],
        ["number", ["", "1,5", "0x1", "1e999", "Inf", "one"]], ["decimal", ["", "1..5", "1,5", "abc"]],
        ["date", ["", "2026-11-28", "tomorrow", "2026-13-01T00:00:00Z", "2026-11-28T15", "2026-11-28 15:04 CET", "2026-11-28T15:04:05.1234567890Z"]],
        ["objectId", ["", "00", "g".repeat(24)]], ["uuid", ["", "6ba7b8109dad11d180b400c04fd430c8"]],
        ["json", ["", "{", "{a: 1}", "9007199254740993", '{"a": [1, -9007199254740993]}']],
    ];
    for (const [editor, texts] of wrong) {
        for (const text of texts) assert.ok("problem" in meaning(editor, text), `${editor}: ${text}`);
    }
    assert.deepEqual(meaning("json", '"12345678901234567890"'), { value: "12345678901234567890" });
    assert.deepEqual(meaning("json", '{"$numberLong": "9007199254740993"}'), { value: { $numberLong: "9007199254740993" } });
    assert.deepEqual(meaning("int", " 007 "), { value: 7 });
});

test("a date may leave out seconds and its offset, which is UTC then", () => {
    for (const [text, date] of [
        ["2013-01-01 11:00", "2013-01-01T11:00:00Z"], ["2013-01-01T11:00", "2013-01-01T11:00:00Z"],
        ["2013-01-01 11:00:05.5", "2013-01-01T11:00:05.5Z"], ["2013-01-01 11:00+01:00", "2013-01-01T11:00:00+01:00"],
        [" 2013-01-01T11:00Z ", "2013-01-01T11:00:00Z"],
    ]) assert.deepEqual(meaning("date", text), { value: { $date: date } }, text);
});

test("the sentence says what is wrong where that is known", () => {
    const problem = (/** @type {string} */ editor, /** @type {string} */ text, more = {}) => meaning(editor, text, { type: "int", ...more }).problem;
    for (const text of ["9223372036854775808", "-9223372036854775809", "99999999999999999999"]) {
        assert.equal(problem("int", text), "This number is out of range: an int is from -9223372036854775808 to 9223372036854775807.");
    }
    assert.equal(problem("number", "1,5"), "Write a point, not a comma: 1.5");
    assert.equal(problem("decimal", "-0,50"), "Write a point, not a comma: -0.50");
    assert.match(problem("int", "1,5"), /^This is no value/);
    assert.equal(problem("json", "a, b", { type: "string", collection: "list" }), 'This is not JSON. A list is written as ["a", "b"].');
    assert.equal(problem("json", "1 2", { collection: "set" }), "This is not JSON. A set is written as [1, 2].");
    assert.equal(problem("json", "a: 1", { collection: "map" }), 'This is not JSON. A map is written as {"name": 1, "other": 2}.');
    assert.match(problem("json", "{", { type: "mixed" }), /^This is not JSON\. Texts and names stand in quotation marks/);
    assert.match(json('{\n"a": 1,\n"b" 2\n}').problem, /^This is not JSON, in line 3\. /);
    for (const text of ["a, b", "{", "[1,]", "\n\n["]) assert.doesNotMatch(json(text).problem, /token|Unexpected|Error/);
});

test("a counter is patched by its difference, and everything else by its value", () => {
    const counter = { name: "a", type: "int", is: "", counter: true };
    assert.deepEqual(patchOf(counter, 7, 10), { $increment: 3 });
    assert.deepEqual(patchOf(counter, { $numberLong: "9007199254740993" }, 0), { $increment: { $numberLong: "-9007199254740993" } });
    assert.equal(patchOf(counter, null, 3), 3);
    assert.equal(patchOf({ ...counter, counter: false }, 7, 10), 10);
});

test("a new object begins with its key and what has to have a value", () => {
    const properties = [
        { name: "_id", type: "int", primaryKey: true }, { name: "id", type: "objectId" }, { name: "a", type: "string" },
        { name: "b", type: "string", optional: true }, { name: "c", type: "int", collection: "list" }, { name: "d", type: "object", target: "Dog" },
    ];
    assert.deepEqual(templateOf({ name: "A", kind: "object", properties }), { _id: 0, a: "" });
});

test("a change has the value before and after, and a creation and a deletion have every value", () => {
    const [before, after] = [{ a: 1, b: null }, { a: 2, b: null }];
    assert.deepEqual(changesOf({ kind: "updated", changed: ["a"], before, after }), [{ property: "a", before: 1, after: 2 }]);
    assert.deepEqual(changesOf({ kind: "created", changed: [], after }), [
        { property: "a", before: undefined, after: 2 }, { property: "b", before: undefined, after: null },
    ]);
    assert.deepEqual(changesOf({ kind: "deleted", before: { a: 1 }, after: null }), [{ property: "a", before: 1, after: undefined }]);
    assert.deepEqual(changesOf({ kind: "updated", changed: ["toString"], before, after })[0].after, undefined);
    assert.deepEqual([{}, { user: "ann" }, { client: "2a" }, { user: "ann", client: "ea33f58f07adf194" }].map(author), [
        { who: "the server", client: null }, { who: "ann", client: null }, { who: "an unknown user", client: "42" },
        { who: "ann", client: "16876102223345349012" },
    ]);
});

test("a deletion says what becomes of links, in a file and at a server", () => {
    const schema = new Schema([
        { name: "Author", kind: "object", properties: [{ name: "_id", type: "string", primaryKey: true }] },
        { name: "Note", kind: "object", properties: [
            { name: "in", type: "object", target: "Author" }, { name: "others", type: "object", target: "Author", collection: "list" },
        ] },
    ]);
    const link = (/** @type {string} */ name, /** @type {string} */ property, /** @type {number} */ count) =>
        ({ class: name, property, count, objects: [] });
    const links = [link("Note", "others", 1), link("Note", "in", 2_000), link("", "", 3)];
    const from = "Links to it come from 1 object by Note.others, 2,000 objects by Note.in and 3 values inside of mixed ones.";
    assert.deepEqual(deletionWords("file", "ann", [], schema),
        ["The object with the key ann is deleted from this file.", "No object links to it."]);
    assert.deepEqual(deletionWords("file", "ann", links, schema), [
        "The object with the key ann is deleted from this file.", from,
        "These links become nil. A list or a set loses its links to the object.",
    ]);
    assert.deepEqual(deletionWords("server", "ann", links, schema), [
        "The object with the key ann is deleted here and on every device.", from,
        "These links stay, and name an object that is missing.",
        "A comparison with nil does not find them. In Note, this query does: `in` != nil AND `in`._id == nil",
    ]);
    assert.equal(deletionWords("server", "ann", links.slice(0, 1), schema).length, 3, "Of a list there is no such query.");
});

test("who links to an object is asked for with its key, whatever the key is", () => {
    assert.equal(quoted("it's \\ \n<b>"), "'it\\'s \\\\ \\u000a<b>'");
    assert.deepEqual(
        [7, "a'b", { $oid: "aa" }, { $uuid: "b-b" }, { $numberLong: "9007199254740993" }, null].map(keyLiteral),
        ["7", "'a\\'b'", "oid(aa)", "uuid(b-b)", "9007199254740993", "nil"]);
    assert.equal(linkingQuery({ name: "plane", type: "object" }, "Plane", 7), "plane == link(7)");
    assert.equal(linkingQuery({ name: "in", type: "object", collection: "list" }, "Plane", "x"), "ANY `in` == link('x')");
    assert.equal(linkingQuery({ name: "a b", type: "mixed" }, "Plane", { $oid: "aa" }), "`a b` == link('Plane', oid(aa))");
});
