// Values in their JSON forms, keys, and the schema that says what they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { bytesOf, CELL_LETTERS_MAX, exact, keyWords, kindOf, summary } = await module("values");
const { keyOf, keyText, ordered, primaryKey, ROW, Schema } = await module("schema");
const { Addresses, columnsOf, nextOrder } = await module("objectCells");
const { partsOf, placeName, tokenIn } = await module("about");

test("every JSON form has its kind and reads in few words", () => {
    /** @type {[unknown, string, string | RegExp][]} */
    const forms = [
        [null, "nil", "nil"], [undefined, "nil", "nil"], [true, "bool", "true"], [12, "number", "12"], [0.1, "number", "0.1"],
        [{ $numberLong: "9007199254740993" }, "number", "9007199254740993"], [{ $numberDouble: "NaN" }, "number", "NaN"],
        [{ $numberDecimal: "1.50" }, "number", "1.50"], [{ $numberFloat: "1.5" }, "number", "1.5"], ["a\nb", "string", "a b"],
        [{ $binary: { base64: "AAE=", subType: "00" } }, "data", "2 bytes"], [{ $date: "2026-11-27T18:59:49.000000001Z" }, "date", /^2026-11-2/],
        [{ $date: { seconds: { $numberLong: "999999999999" }, nanoseconds: 0 } }, "date", "999999999999 s since 1970"],
        [{ $oid: "00112233445566778899aabb" }, "id", "00112233445566778899aabb"],
        [{ $uuid: "6ba7b810-9dad-11d1-80b4-00c04fd430c8" }, "id", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
        [{ $ref: "Bed", $id: { $oid: "aa" } }, "link", "Bed aa"], [{ $ref: "Bed", $id: null }, "link", "Bed nil"],
        [{ $ref: "Bed", $row: 17 }, "link", "Bed 17"],
        [[1, 2, 3], "list", "3 values"], [[1], "list", "1 value"],
        [{ size: 3, name: "Rex", tags: [1], at: null }, "map", "size: 3, name: Rex, tags: 1 value, at: nil"], [{}, "map", "empty"],
        [{ $map: { $a: 1 } }, "map", "$a: 1"],
    ];
    for (const [form, kind, words] of forms) {
        assert.equal(kindOf(form), kind, JSON.stringify(form));
        if (typeof words === "string") assert.equal(summary(form), words);
        else assert.match(summary(form), words);
    }
    assert.equal(summary({ a: 1, b: 2 }, { collection: "map" }), "2 entries");
    assert.equal(exact({ $date: "2026-11-27T18:59:49.000000001Z" }), "2026-11-27T18:59:49.000000001Z");
});

test("a cell never has more than its letters, however long the value is", () => {
    for (const form of ["x".repeat(5_000_000), { a: "x".repeat(1_000_000) }, Object.fromEntries(objects(10_000)), { a: { a: { a: "x".repeat(999) } } }]) {
        assert.ok(summary(form).length <= CELL_LETTERS_MAX + 1);
    }
});

const objects = (/** @type {number} */ number) => Array.from({ length: number }, (_, index) => [`name${index}`, index]);

test("bytes are counted without being decoded", () => {
    for (let length = 0; length < 20; length += 1) {
        assert.equal(bytesOf({ $binary: { base64: Buffer.alloc(length).toString("base64") } }), length);
    }
});

test("a key has the text of its path, and none where browsers would take it for something else", () => {
    assert.deepEqual(
        ["a/b", 7, 0, { $numberLong: "9007199254740993" }, { $oid: "aa" }, { $uuid: "b-b" }, HOSTILE].map(keyText),
        ["a/b", "7", "0", "9007199254740993", "aa", "b-b", HOSTILE]);
    for (const nameless of ["", ".", "..", null, undefined, {}]) assert.equal(keyText(nameless), null);
    assert.deepEqual([keyWords(""), keyWords(null), keyWords({ $oid: "aa" })], ["“”", "nil", "aa"]);
});

const HOSTILE = "<img src=x onerror=alert(1)>";

test("a schema knows what is listed, what a link is, and how an object is named", () => {
    const schema = new Schema([
        { name: "Dog", kind: "object", properties: [{ name: "home", target: "Home" }, { name: "_id", primaryKey: true }, { name: "owner", target: "Person" }] },
        { name: "Home", kind: "embedded", properties: [] }, { name: "Trace", kind: "asymmetric", properties: [] },
        { name: "Row", kind: "object", properties: [{ name: "a" }] },
    ]);
    const [dog, row] = [schema.class("Dog"), schema.class("Row")];
    assert.deepEqual(schema.tops.map(({ name }) => name), ["Dog", "Row"]);
    assert.deepEqual(dog.properties.map((property) => schema.isLink(property)), [false, false, true]);
    assert.deepEqual(ordered(dog).map(({ name }) => name), ["_id", "home", "owner"]);
    assert.deepEqual(ordered(row).map(({ name }) => name), [ROW, "a"]);
    assert.deepEqual([keyOf(dog, { _id: 5 }), keyOf(row, { $row: 17, a: 1 }), primaryKey(row)], [5, 17, undefined]);
    assert.equal(schema.class("toString"), undefined);
});

test("a table of objects has a column for each property, the key first, and no more than a browser can bear", () => {
    const one = { name: "A", kind: "object", properties: [
        { name: "tags", type: "string", collection: "list" }, { name: "age", type: "int" }, { name: "home", type: "object", target: "Home" },
        { name: "_id", type: "string", primaryKey: true },
    ] };
    const columns = columnsOf(one, "-age");
    assert.deepEqual(columns.map(({ name, sort, isNumber }) => [name, sort, isNumber]), [
        ["_id", "none", false], ["tags", null, false], ["age", "descending", true], ["home", null, false],
    ]);
    assert.deepEqual([columns[0], { ...columns[0], sort: "ascending" }, columns[2]].map(nextOrder), ["_id", "-_id", ""]);
    const wide = { ...one, properties: Array.from({ length: 500 }, (_, index) => ({ name: `p${index}`, type: "int" })) };
    assert.equal(columnsOf(wide, "").length, 40);
    assert.deepEqual([columnsOf(wide, "")[0].name, columnsOf(wide, "")[0].sort], ["Row", null]);
});

test("only an object that a path can name has an address", () => {
    const schema = new Schema([{ name: "A", kind: "object", properties: [] }, { name: "Part", kind: "embedded", properties: [] }]);
    const addresses = new Addresses("notes", schema);
    assert.equal(addresses.ofLink({ $ref: "A", $id: "a/b" }), "#/data/notes/A/a%2Fb");
    assert.equal(addresses.ofLink({ $ref: "A", $row: 0 }), "#/data/notes/A/0");
    assert.equal(addresses.ofKey("A", 0), "#/data/notes/A/0");
    for (const link of [{ $ref: "Part", $id: 1 }, { $ref: "None", $id: 1 }, { $ref: "A", $id: null }, { $ref: "A", $id: "" }]) {
        assert.equal(addresses.ofLink(link), null);
    }
});

test("a file has the data alone, its name, and a token in the address that is meant as one", () => {
    assert.deepEqual(partsOf({ kind: "file" }), ["data"]);
    assert.equal(partsOf(null).length, 5);
    assert.equal(placeName({ kind: "file", name: "a.causeway" }), "a.causeway");
    assert.equal(placeName(null), "Causeway console");
    assert.deepEqual(["#token=a%2Bb", "#token=", "#/data?token=a", "", "#x&token=a"].map(tokenIn), ["a+b", null, null, null, null]);
});
