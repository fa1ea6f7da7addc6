// Computes the contrast of the colours that stand on each other, as WCAG 2 defines it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { files } from "./modules.mjs";

const [{ text }] = files("style/").filter(({ name }) => name === "style/palette.css");
const [bright, dark] = text.split("@media (prefers-color-scheme: dark)").map((block) =>
    Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour])));

const TEXT = 4.5;
/** Of what is no text: borders of fields, lines of charts, the frame around what has the focus. */
const SHAPE = 3;

const surfaces = ["page", "surface", "raised"];
/** @type {[string, string, number][]} */
const pairs = [
    ...["text", "muted", "accent", "problem"].flatMap((one) => surfaces.map((other) => [one, other, TEXT])),
    ["on-accent", "accent", TEXT],
    ...["problem", "warning", "good"].flatMap((one) => [[one, `${one}-surface`, TEXT], ["text", `${one}-surface`, TEXT]]),
    ["accent", "problem-surface", TEXT], ["accent", "warning-surface", TEXT],
    ...surfaces.map((other) => ["edge", other, SHAPE]),
];

/** @param {string} colour */
function luminance(colour) {
    const [red, green, blue] = [1, 3, 5].map((start) => {
        const value = parseInt(colour.slice(start, start + 2), 16) / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {string} one @param {string} other */
function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((first, second) => first - second);
    return (high + 0.05) / (low + 0.05);
}

for (const [scheme, palette] of Object.entries({ light: bright, dark })) {
    test(`the ${scheme} palette can be read`, () => {
        assert.equal(Object.keys(palette).length, 15);
        for (const [one, other, least] of pairs) {
            const found = contrast(palette[one], palette[other]);
            assert.ok(found >= least, `${one} on ${other}: ${found.toFixed(2)}, and ${least} is the least`);
        }
    });
}

test("no other style has a colour of its own", () => {
    for (const { name, text: style } of files("style/")) {
        if (!name.endsWith("palette.css")) assert.ok(!/#[0-9a-f]{3,8}\b/i.test(style), name);
    }
});
