#ifndef CAUSEWAY_CSCAN_H
#define CAUSEWAY_CSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Loops over a leaf's packed values that answer one bit a slot: sixteen words, the bits at and behind `count` clear.
// `count` is at most 1,000. Nothing outside of the given values is read, whatever offsets inside of them say.

enum { CAUSEWAY_SCAN_WORDS = 16 };

/// How many bits are set.
uint64_t causeway_scan_count(const uint64_t *words);

// Integers

/// Which of the `width`-byte integers (1, 2, 4, 8) have `value - first <= span`, modulo the width.
void causeway_scan_range(
    const void *values, uint32_t width, uint32_t count, uint64_t first, uint64_t span, uint64_t *words);

/// Which of the bytes have an entry in `table` that is not zero.
void causeway_scan_table(const uint8_t *values, uint32_t count, const uint8_t table[256], uint64_t *words);

/// Adds `minimum` to each of the `width`-byte integers, or to `count` zeros when the width is 0: which of the sums name
/// a bit that is set. A sum of `limit` or more names the bit at `limit`.
void causeway_scan_bits(
    const void *values, uint32_t width, uint32_t count, uint64_t minimum, uint64_t limit, const uint8_t *bits,
    uint64_t *words);

/// `minimum` added to each packed integer.
void causeway_scan_expand(const void *values, uint32_t width, uint32_t count, int64_t minimum, int64_t *expanded);

// Floating point

/// Which values are at least `low` and at most `high`. A NaN is neither.
void causeway_scan_doubles(const void *values, uint32_t count, double low, double high, uint64_t *words);
void causeway_scan_floats(const void *values, uint32_t count, float low, float high, uint64_t *words);

// One column against another

void causeway_scan_less_integers(const int64_t *left, const int64_t *right, uint32_t count, uint64_t *words);
void causeway_scan_equal_integers(const int64_t *left, const int64_t *right, uint32_t count, uint64_t *words);
void causeway_scan_less_doubles(const double *left, const double *right, uint32_t count, uint64_t *words);
void causeway_scan_equal_doubles(const double *left, const double *right, uint32_t count, uint64_t *words);

// Values of 12 and 16 bytes

void causeway_scan_equal_bytes(
    const void *values, uint32_t size, uint32_t count, const void *wanted, uint64_t *words);

// Strings

/// `count + 1` offsets of two or four bytes into an arena.
typedef struct {
    const uint8_t *offsets;
    uint32_t width;
    uint32_t count;
    const uint8_t *arena;
    size_t arena_bytes;
} causeway_strings;

/// Bytes to find. Before a byte is compared, the bits of `fold` at its place are set in it.
typedef struct {
    const uint8_t *bytes;
    const uint8_t *fold;
    size_t count;
} causeway_needle;

void causeway_scan_lengths(
    const causeway_strings *strings, uint32_t shortest, uint32_t longest, uint64_t *words);

/// Of the slots in `words`, whose strings must be long enough, keeps those that begin, or end, with the needle.
void causeway_scan_prefix(const causeway_strings *strings, const causeway_needle *needle, uint64_t *words);
void causeway_scan_suffix(const causeway_strings *strings, const causeway_needle *needle, uint64_t *words);

/// Which strings contain the needle, which is not empty.
void causeway_scan_contains(const causeway_strings *strings, const causeway_needle *needle, uint64_t *words);

/// The pieces of a pattern between stars, one behind the other: the first begins a string, the last ends it, and each
/// of the others, none of them empty, stands somewhere behind the one before.
typedef struct {
    const uint8_t *bytes;
    const uint32_t *lengths;
    /// How many pieces there are: at least two, of which the first and the last may be empty.
    uint32_t count;
    /// All lengths together.
    size_t shortest;
} causeway_pieces;

/// Of the slots in `words`, keeps those whose strings match the pattern.
void causeway_scan_pieces(const causeway_strings *strings, const causeway_pieces *pieces, uint64_t *words);

/// Which strings have a byte that is not ASCII.
void causeway_scan_beyond_ascii(const causeway_strings *strings, uint64_t *words);

/// Which strings come before `bytes` in byte order, and which equal it.
void causeway_scan_order(
    const causeway_strings *strings, const uint8_t *bytes, size_t count, uint64_t *before, uint64_t *equal);

/// Which strings may be one of those whose length and first bytes were added to the filter.
void causeway_scan_heads(const causeway_strings *strings, const uint8_t filter[512], uint64_t *words);
void causeway_scan_add_head(const uint8_t *bytes, size_t count, uint8_t filter[512]);

/// Strings of one to eight bytes: each in one of two places that its bytes name, as long as one is free.
enum { CAUSEWAY_SHORT_PLACES = 4096 };
typedef struct {
    uint64_t bytes[2][CAUSEWAY_SHORT_PLACES];
    /// 0 in free places.
    uint8_t lengths[2][CAUSEWAY_SHORT_PLACES];
} causeway_short_strings;

void causeway_scan_forget_short(causeway_short_strings *known);
void causeway_scan_add_short(const void *bytes, size_t count, causeway_short_strings *known);

/// Which strings were added, but for those that found no place.
void causeway_scan_short(const causeway_strings *strings, const causeway_short_strings *known, uint64_t *words);

#endif
