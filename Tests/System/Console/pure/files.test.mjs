// What must hold of the files themselves.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { files, page } from "./modules.mjs";

const modules = files("modules/");
const styles = files("style/");
const [index] = files("").filter(({ name }) => name === "index.html");

/** Names that take a text for markup or for code. */
const FORBIDDEN = [
    "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "createContextualFragment", "parseFromString", "setHTML",
    "srcdoc", "eval(", "new Function", "localStorage", "document.cookie",
];

test("no module takes a text for markup or code, or keeps anything for longer than its tab", () => {
    assert.ok(modules.length > 20);
    for (const { name, text } of modules) {
        for (const word of FORBIDDEN) assert.ok(!text.includes(word), `${name} has ${word}`);
        assert.ok(!/setAttribute\("(style|on\w+)"/.test(text), `${name} sets what the policy forbids`);
    }
});

test("nothing comes from another place", () => {
    for (const { name, text } of [...modules, ...styles, index]) {
        const addresses = [...text.matchAll(/https?:\/\/[^\s"')]+/g)].map(([address]) => address);
        assert.deepEqual(addresses.filter((one) => one !== "http://www.w3.org/2000/svg"), [], name);
        assert.ok(!/@import|url\(/.test(text), name);
    }
    for (const { name, text } of modules) {
        for (const [, wanted] of text.matchAll(/^import .*? from "(.*?)";$/gms)) {
            assert.ok(wanted.startsWith("./") && existsSync(join(page, dirname(name), wanted)), `${name} imports ${wanted}`);
        }
    }
});

test("the page has no script and no style of its own, and names files that there are", () => {
    assert.ok(!/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i.test(index.text));
    const named = [...index.text.matchAll(/(?:href|src)="\/console\/([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(named.filter((name) => !existsSync(join(page, name))), []);
    assert.deepEqual(styles.map(({ name }) => name).filter((name) => !named.includes(name)), []);
});

test("files are small", () => {
    for (const { name, text } of [...modules, ...styles]) assert.ok(text.split("\n").length <= 230, name);
});
