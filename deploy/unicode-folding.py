#!/usr/bin/env python3
"""Prints the tables of Sources/Shared/Query/Evaluator/UnicodeFolding+Tables.swift from the Unicode character database
that Python carries. Run it again for another version of Unicode: a device and a server must hold the same tables."""

import sys
import unicodedata

FIRST = 0x250  # what lies below is in LatinFolding


def scalars():
    return (code for code in range(FIRST, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)


def case_folded(code):
    """Simple case folding. Where the full one has several code points, the simple one is the lower case."""
    text = chr(code)
    folded = text.casefold()
    if len(folded) != 1:
        folded = text.lower() if len(text.lower()) == 1 else text
    return ord(folded)


def base(code):
    """The one code point that is left of the canonical decomposition without its marks; None for others."""
    rest = [mark for mark in unicodedata.normalize("NFD", chr(code)) if not unicodedata.combining(mark)]
    return ord(rest[0]) if len(rest) == 1 else None


def runs(pairs):
    """Neighbours at the same distance with the same difference, as (first, last, distance, difference)."""
    found = []
    for code, other in pairs:
        delta = other - code
        if found:
            first, last, step, difference = found[-1]
            if difference == delta and (first == last or code - last == step) and code - last <= 2:
                found[-1] = (first, code, code - last, delta)
                continue
        found.append((code, code, 1, delta))
    return found


def printed(name, comment, rows):
    print(f"    /// {comment}")
    print(f"    static let {name}: [Int32] = [")
    line = "       "
    for number in (number for row in rows for number in row):
        piece = f" {number},"
        if len(line) + len(piece) > 119:
            print(line)
            line = "       "
        line += piece
    print(line)
    print("    ]")


marks = [code for code in scalars() if all(map(unicodedata.combining, unicodedata.normalize("NFD", chr(code))))]
ranges = []
for code in marks:
    if ranges and ranges[-1][1] == code - 1:
        ranges[-1] = (ranges[-1][0], code)
    else:
        ranges.append((code, code))

print(f"// Made by deploy/unicode-folding.py from Unicode {unicodedata.unidata_version}. Not edited by hand.")
print()
print("extension UnicodeFolding {")
printed(
    "caseRuns", "Simple case folding, as first, last, distance, difference.",
    runs([(code, case_folded(code)) for code in scalars() if case_folded(code) != code]))
print()
printed(
    "baseRuns", "Letters without their marks, as first, last, distance, difference.",
    runs([(code, base(code)) for code in scalars() if base(code) not in (None, code)]))
print()
printed("markRanges", "Marks, as first, last.", ranges)
print("}")
