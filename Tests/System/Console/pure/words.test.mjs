import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { bytes, count, duration, plural, short, time } = await module("format");
const { hashOf, PARTS, routeOf } = await module("route");
const { settings } = await module("configuration");
const { loginWords, wholeName } = await module("accounts");
const { question } = await module("question");

test("numbers, sizes and durations are short and say their unit", () => {
    assert.deepEqual([0, 999, 1000, 1536, 2_500_000, 1e12].map(bytes), ["0 bytes", "999 bytes", "1 KB", "1.54 KB", "2.5 MB", "1 TB"]);
    assert.deepEqual([0, 0.001, 0.5, 12.345, 1234.5].map(short), ["0", "< 0.01", "0.5", "12.3", "1,235"]);
    assert.deepEqual([0.0042, 3.25, 65.4, 600, 86_400, 864_000].map(duration), ["4.2 ms", "3.25 s", "65 s", "10 min", "24 h", "10 days"]);
    assert.equal(count(undefined), "–");
    assert.equal(bytes(undefined), "–");
    assert.deepEqual([plural(1, "entry", "entries"), plural(1200, "entry", "entries")], ["1 entry", "1,200 entries"]);
});

test("a time is the clock's of the reader, and what is no time stays as it is", () => {
    assert.match(time("2026-01-02T03:04:05.678Z"), /^2026-01-0[123] \d\d:\d\d:05$/);
    assert.equal(time("never"), "never");
});

test("every part, database, class, object and query has an address, and what is unknown is the first part", () => {
    for (const part of PARTS) {
        for (const name of ["flights", "a/b #?%", "<img src=x>"]) {
            for (const parameters of [{}, { where: "a == 'b&c=d' AND x > 5", sort: "-name", at: "17" }]) {
                for (const names of [[], [name], [name, "50%/?#"]]) {
                    assert.deepEqual(routeOf(hashOf(part, name, names, parameters)), { part, database: name, names, parameters });
                }
            }
        }
        assert.deepEqual(routeOf(hashOf(part, null)), { part, database: null, names: [], parameters: {} });
    }
    assert.equal(hashOf("data", "a", ["B"], { where: "", sort: undefined, at: 0 }), "#/data/a/B");
    for (const hash of ["", "#", "#/", "#/nothing", "#/__proto__"]) assert.equal(routeOf(hash).part, "overview");
    assert.equal(routeOf("#/devices/a", ["data"]).part, "data");
    assert.deepEqual(routeOf("#/devices/%E0%A4%A"), { part: "devices", database: null, names: [], parameters: {} });
});

test("the configuration is lines, each with its path, and lists of names in one line", () => {
    const lines = settings({
        listen: { host: "a", port: 1 }, backups: "none",
        databases: [{ name: "flights", sinks: [], tokens: { keys: [{ file: "k" }] } }],
    });
    assert.deepEqual(lines, {
        listen: [["host", "a"], ["port", "1"]], backups: [["value", "none"]],
        databases: [["flights.name", "flights"], ["flights.sinks", "none"], ["flights.tokens.keys.1.file", "k"]],
    });
});

test("a question has one object and one caller, and a sentence stands where something is missing", () => {
    const fields = {
        class: "Flight", object: "key", caller: "claims", key: "7", values: '{"a": 1}', user: "ada", claims: '{"role": "x"}',
        token: " t ", account: "id",
    };
    assert.deepEqual(question(fields), { class: "Flight", key: "7", user: "ada", claims: { role: "x" } });
    assert.deepEqual(question({ ...fields, object: "values", caller: "token" }), { class: "Flight", values: { a: 1 }, token: "t" });
    assert.deepEqual(question({ ...fields, caller: "account" }), { class: "Flight", key: "7", account: "id" });
    assert.deepEqual(question({ ...fields, claims: " " }), { class: "Flight", key: "7", user: "ada", claims: {} });
    for (const [wrong, words] of [
        [{ key: "" }, /primary key/], [{ claims: "{" }, /claims are not JSON/], [{ claims: "[]" }, /claims are not an object/],
        [{ claims: "null" }, /not an object/], [{ object: "values", values: "7" }, /values are not an object/],
        [{ caller: "token", token: " " }, /token/], [{ caller: "account", account: "" }, /id/],
    ]) assert.match(question({ ...fields, ...wrong }), words);
});

test("an account has its address where there is one, and its id where it is asked about", () => {
    const one = { user: "6f1", isDisabled: false, created: "" };
    assert.deepEqual([one, { ...one, email: "a@b.c" }, { ...one, email: "a@b.c", logins: ["x@y.z", "ann"] }, { ...one, logins: [] }].map(loginWords),
        [null, "a@b.c", "x@y.z, ann", null]);
    assert.deepEqual([one, { ...one, name: "Ann" }, { ...one, name: "Ann", logins: ["a@b.c"] }, { ...one, email: "a@b.c" }].map(wholeName),
        ["The user 6f1", "Ann (user 6f1)", "Ann, a@b.c (user 6f1)", "a@b.c (user 6f1)"]);
});
