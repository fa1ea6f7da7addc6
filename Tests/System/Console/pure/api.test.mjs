import assert from "node:assert/strict";
import { test } from "node:test";
import { module } from "./modules.mjs";

const { API, NoAnswer, path, Refusal } = await module("api");
const { Session } = await module("session");

/** A storage of a tab. */
function storage() {
    const all = new Map();
    return {
        getItem: (/** @type {string} */ key) => all.get(key) ?? null,
        setItem: (/** @type {string} */ key, /** @type {string} */ value) => all.set(key, value),
        removeItem: (/** @type {string} */ key) => all.delete(key),
    };
}

/** An API whose requests are answered here. @param {string | null} token @param {(where: string, how: any) => any} answer */
function api(token, answer) {
    const session = new Session(storage());
    if (token !== null) session.keep(token);
    return new API(session, async (where, how) => answer(where, how));
}

test("the token goes into a header and nowhere else, and an empty one is not sent", async () => {
    let asked;
    const answer = (/** @type {string} */ where, /** @type {any} */ how) => {
        asked = { where, how };
        return new Response('{"ended": 1}');
    };
    assert.deepEqual(await api("secret", answer).call("DELETE", "/x", undefined), { ended: 1 });
    assert.equal(asked.where, "/admin/v1/x");
    assert.deepEqual(asked.how.headers, { authorization: "Bearer secret" });
    assert.equal(asked.how.body, undefined);
    await api("", answer).call("PUT", "/x", { note: "n" });
    assert.deepEqual([asked.how.headers, asked.how.body], [{}, '{"note":"n"}']);
});

test("parts of a path are escaped", () => {
    assert.equal(path`/databases/${"a/b"}/users/${"<x> ?#%"}`, "/databases/a%2Fb/users/%3Cx%3E%20%3F%23%25");
});

test("what the server refuses has its code and its sentence", async () => {
    const refused = api("t", () => new Response('{"code": "conflict", "message": "Wait."}', { status: 409 }));
    await assert.rejects(refused.get("/x"), (error) =>
        error instanceof Refusal && error.code === "conflict" && error.status === 409 && error.message === "Wait.");
    const other = api("t", () => new Response("<html>", { status: 502 }));
    await assert.rejects(other.get("/x"), /The server answered 502\./);
});

test("no answer is told apart from a part that was left", async () => {
    const gone = api("t", () => { throw new TypeError("fetch failed"); });
    await assert.rejects(gone.get("/x"), NoAnswer);
    const left = AbortSignal.abort();
    await assert.rejects(gone.get("/x", left), (error) => !(error instanceof NoAnswer));
});

test("whether somebody is there is asked with the token, and any other outcome is told apart", async () => {
    let asked = "";
    await api("t", (where) => {
        asked = where;
        return new Response("{}");
    }).answers();
    assert.equal(asked, "/admin/v1/about");
    await assert.rejects(api("t", () => { throw new TypeError("gone"); }).answers(), NoAnswer);
    await assert.rejects(api("t", () => new Response("{}", { status: 401 })).answers(), (error) => error instanceof Refusal && error.status === 401);
});

test("a server that is not ready says why, line by line", async () => {
    assert.deepEqual(await api("t", () => new Response("ready\n")).problems(), []);
    const reasons = api("t", () => new Response("not ready\na: late\nb: gone\n", { status: 503 }));
    assert.deepEqual(await reasons.problems(), ["a: late", "b: gone"]);
});

test("a token is forgotten when it is told to be", () => {
    const session = new Session(storage());
    assert.equal(session.token, null);
    session.keep("t");
    assert.equal(session.token, "t");
    session.forget();
    assert.equal(session.token, null);
});
