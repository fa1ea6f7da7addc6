// What the query box offers, at every place of a query.

import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { completed, completion } = await module("completion");
const { Schema } = await module("schema");
const { pathNames, tokens } = await module("queryTokens");
const { problemParts } = await module("queryProblem");
const { written } = await module("queryWords");

const property = (/** @type {string} */ name, /** @type {string} */ type, more = {}) => ({ name, type, is: type, ...more });
const schema = new Schema([
    { name: "Flight", kind: "object", properties: [
        property("row", "int", { primaryKey: true }), property("origin", "string"), property("gate", "string", { optional: true }),
        property("late", "bool"), property("departs", "date"), property("plane", "object", { target: "Plane" }),
        property("crew", "object", { target: "Person", collection: "list" }), property("in", "string"), property("a <b>", "int"),
        property("scores", "int", { collection: "map" }), property("extra", "mixed"),
    ] },
    { name: "Plane", kind: "object", properties: [property("_id", "objectId"), property("seats", "int"), property("owner", "object", { target: "Person" })] },
    { name: "Person", kind: "object", properties: [property("name", "string"), property("age", "int")] },
]);
const flight = schema.class("Flight");
const now = new Date("2026-11-28T12:00:00Z");

/** The texts that are offered where `|` stands. @param {string} text @param {any} [one] */
function offered(text, one = flight) {
    const place = text.lastIndexOf("|");
    return completion(schema, one, text.slice(0, place) + text.slice(place + 1), place, now).items.map((/** @type {any} */ item) => item.text);
}

test("a condition begins with a property or a keyword", () => {
    for (const text of ["|", "(|", "row == 1 AND |", "row == 1 || (|", "NOT |", "ANY |", "gate == nil OR NOT (|"]) {
        const all = offered(text);
        for (const one of ["row", "origin", "plane", "NOT ", "ANY ", "TRUEPREDICATE", "@links"]) assert.ok(all.includes(one), `${text}: ${all}`);
    }
    assert.deepEqual(offered("ori|"), ["origin"]);
    assert.deepEqual(offered("ANY cr|"), ["crew"]);
    assert.deepEqual(offered("origin|"), [], "It stands there already.");
});

test("behind a path come the operators of its type", () => {
    assert.deepEqual(offered("late |"), ["== ", "!= ", "IN {}"]);
    assert.deepEqual(offered("row B|"), ["BETWEEN {}"]);
    assert.ok(offered("origin |").includes("BEGINSWITH ") && offered("origin |").includes("TEXT "));
    assert.ok(!offered("row |").includes("LIKE ") && offered("extra |").includes("LIKE "));
    assert.deepEqual(offered("row =|"), ["== "]);
    assert.deepEqual(offered("row <|"), ["< ", "<= "]);
    assert.deepEqual(offered("crew.@count >|"), ["> ", ">= "]);
    assert.ok(offered("ANY crew.name |").includes("CONTAINS "));
});

test("behind an operator come values of the type", () => {
    assert.deepEqual(offered("late == |"), ["true", "false"]);
    assert.deepEqual(offered("gate == |"), ["''", "nil"]);
    assert.deepEqual(offered("departs > |"), ["2026-11-28@00:00:00"]);
    assert.deepEqual(offered("plane == |"), ["link('')", "link()", "nil"]);
    assert.deepEqual(offered("plane._id == |"), ["oid()"]);
    assert.deepEqual(offered("late IN {true, f|"), ["false"]);
    assert.deepEqual(offered("row == |"), []);
    assert.deepEqual(offered("row == crew.|").slice(0, 3), ["name", "age", "@count"]);
});

test("behind a comparison it goes on, or is ordered", () => {
    for (const text of ["row == 1 |", "origin == 'JFK' |", "late == true |", "row IN {1, 2} |", "plane == link('x') |", "(row == 1) |", "TRUEPREDICATE |", "a == 1 + 2 |"]) {
        assert.deepEqual(offered(text), ["AND ", "OR ", "SORT()", "DISTINCT()", "LIMIT()"], text);
    }
    assert.deepEqual(offered("row == 1 a|"), ["AND "]);
    assert.ok(offered("row == 1 SORT(|").includes("departs"));
    assert.ok(!offered("row == 1 SORT(|").includes("NOT "));
    assert.deepEqual(offered("row == 1 SORT(departs |"), ["ASC", "DESC"]);
    assert.deepEqual(offered("row == 1 SORT(departs DESC, ori|"), ["origin"]);
    assert.deepEqual(offered("row == 1 LIMIT(|"), []);
    for (const text of ["row == 1 SORT(row) |", "row == 1 LIMIT(3) |", "row == 1 DISTINCT(row) LIMIT(3) |", "(row == 1) SORT(row) |"]) {
        assert.deepEqual(offered(text), ["SORT()", "DISTINCT()", "LIMIT()"], text);
    }
    assert.deepEqual(offered("row == 1 SORT(row) L|"), ["LIMIT()"]);
});

test("names that begin with the typed letters come before those that have them inside", () => {
    const names = ["carrier", "arr_time", "dep_delay", "Arr_delay", "array"];
    const one = { name: "Delay", kind: "object", properties: names.map((name) => property(name, "int")) };
    assert.deepEqual(offered("arr|", one), ["arr_time", "Arr_delay", "array", "carrier"]);
    assert.deepEqual(offered("a|", one).slice(0, 3), ["arr_time", "Arr_delay", "array"]);
    assert.deepEqual(offered("arr_time == 1 SORT(de|", one), ["dep_delay", "Arr_delay"]);
});

test("nothing is offered by itself where nothing is begun", () => {
    const isBegun = (/** @type {string} */ text) => completion(schema, flight, text, text.length, now).isBegun;
    for (const text of ["", " ", "row == 1", "row == 1 ", "late == true ", "row == 1 SORT(row) ", "TRUEPREDICATE ", "origin == 'a' "]) {
        assert.equal(isBegun(text), false, text);
    }
    for (const text of ["r", "row ", "row =", "late == ", "row == 1 A", "row == 1 AND ", "row == 1 SORT(", "row == 1 SORT(row ", "plane."]) {
        assert.equal(isBegun(text), true, text);
    }
});

test("a message about a query has its words, and the query with a mark that stands below the place", () => {
    assert.deepEqual(problemParts("It cannot be answered: found '==' at position 15\nthings.aText ==== 'x'\n               ^"),
        { words: "It cannot be answered: found '==' at position 15", block: "things.aText ==== 'x'\n               ^" });
    assert.deepEqual(problemParts("Bad.\na b\n  ^\nDid you mean 'c'?"), { words: "Bad.\nDid you mean 'c'?", block: "a b\n  ^" });
    for (const text of ["", "No such property.\nDid you mean 'name'?", "^"]) assert.deepEqual(problemParts(text), { words: text, block: "" });
});

test("a path goes on through links, lists and against links", () => {
    assert.deepEqual(offered("plane.|"), ["_id", "seats", "owner"]);
    assert.deepEqual(offered("plane.owner.na|"), ["name"]);
    assert.deepEqual(offered("crew.|"), ["name", "age", "@count", "@min.", "@max.", "@sum.", "@avg."]);
    assert.deepEqual(offered("crew.@max.|").slice(0, 2), ["name", "age"]);
    assert.deepEqual(offered("crew[0].n|"), ["name"]);
    assert.deepEqual(offered("scores.@k|"), ["@keys"]);
    assert.deepEqual(offered("extra.|"), ["@type"]);
    assert.deepEqual(offered("@links.|", schema.class("Person")), ["Flight.", "Plane."]);
    assert.deepEqual(offered("@links.Flight.|", schema.class("Person")), ["crew"]);
    assert.deepEqual(offered("@links.Flight.crew.ori|", schema.class("Person")), ["origin"]);
    assert.deepEqual(offered("nothing.at.all.|"), []);
});

test("names that are keywords or no words stand in backticks", () => {
    assert.deepEqual(["row", "in", "Text", "a b", "größe", "_id", "1a"].map(written), ["row", "`in`", "`Text`", "`a b`", "größe", "_id", "`1a`"]);
    assert.deepEqual(offered("`a|"), ["`a <b>`"]);
    assert.deepEqual(offered("`a <b>` |").slice(0, 2), ["== ", "!= "]);
});

test("nothing is offered inside of a text, and a string with a quotation mark is one", () => {
    for (const text of ["origin == '|", "origin == 'a b|", "origin == 'it\\'s |", "origin == \"x' |"]) assert.deepEqual(offered(text), [], text);
    assert.ok(offered("origin == 'it\\'s' |").includes("AND "));
    assert.ok(offered("origin == 'back\\\\' |").includes("AND "));
});

test("what is chosen stands where it was typed, and the cursor where one goes on", () => {
    const text = "row == 1 AND ori";
    const found = completion(schema, flight, text, text.length, now);
    assert.deepEqual(completed(text, found, found.items[0]), { text: "row == 1 AND origin", place: 19 });
    const path = "plane.ow == nil";
    const inside = completion(schema, flight, path, 8, now);
    assert.deepEqual(completed(path, inside, inside.items[0]), { text: "plane.owner == nil", place: 11 });
    const list = completion(schema, flight, "row I", 5, now);
    assert.deepEqual(completed("row I", list, list.items[0]), { text: "row IN {}", place: 8 });
});

test("no text makes it fail, and a very long one takes no time", () => {
    const letters = "row.@`'\"(){}[]<>=!&|,+-*/ #$\\aA1ß\u0000😀\n";
    let seed = 7;
    const random = (/** @type {number} */ most) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
    for (let round = 0; round < 5_000; round += 1) {
        const text = Array.from({ length: random(30) }, () => letters[random(letters.length)]).join("");
        const found = completion(schema, flight, text, random(text.length + 1), now);
        assert.ok(found.from <= found.to, text);
        assert.equal(tokens(text).every(({ text: part, start }) => text.slice(start, start + part.length) === part), true);
    }
    const began = performance.now();
    for (const one of ["(", "`", "a.", "'\\", "[", "a["]) completion(schema, flight, one.repeat(3_999 / one.length), 3_999, now);
    assert.ok(performance.now() - began < 2_000, `${performance.now() - began} ms`);
    assert.deepEqual(offered(`${"a".repeat(5_000)}|`), []);
    assert.deepEqual(pathNames("a.`b.c`.d[0]."), ["a", "b.c", "d", ""]);
});
