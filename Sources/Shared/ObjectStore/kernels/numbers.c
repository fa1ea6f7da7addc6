#include "variants.h"

// Integers and floating point: 64 slots at a time, the last ones through a copy so that nothing behind them is read.

#define BLOCKS(size, values, count, words, block)                                         \
    do {                                                                                  \
        const uint8_t *at_ = (values);                                                    \
        uint32_t left_ = (count);                                                         \
        uint32_t word_ = 0;                                                               \
        for (; left_ >= 64; left_ -= 64, at_ += 64 * (size)) {                            \
            const uint8_t *from = at_;                                                    \
            (words)[word_++] = (block);                                                   \
        }                                                                                 \
        if (left_ > 0) {                                                                  \
            uint8_t copy_[64 * (size)] = {0};                                             \
            memcpy(copy_, at_, left_ * (size));                                           \
            const uint8_t *from = copy_;                                                  \
            (words)[word_++] = (block) & first_bits(left_);                               \
        }                                                                                 \
        while (word_ < CAUSEWAY_SCAN_WORDS) (words)[word_++] = 0;                         \
    } while (0)

#define QUARTERS(part) (part(0) | part(1) << 16 | part(2) << 32 | part(3) << 48)

INLINE uint64_t range_of_bytes(const uint8_t *from, uint8_t first, uint8_t span) {
    bytes64 values = LOAD(bytes64, from);
    return BITS64((bytes64)(values - first) <= span);
}

INLINE uint64_t range_of_shorts(const uint8_t *from, uint16_t first, uint16_t span) {
    shorts64 values = LOAD(shorts64, from);
    return BITS64((shorts64)(values - first) <= span);
}

INLINE uint64_t range_of_ints(const uint8_t *from, uint32_t first, uint32_t span) {
#define PART(index) BITS16((ints16)(LOAD(ints16, from + index * 64) - first) <= span)
    return QUARTERS(PART);
#undef PART
}

INLINE uint64_t range_of_longs(const uint8_t *from, uint64_t first, uint64_t span) {
#define PART(index) BITS16((longs16)(LOAD(longs16, from + index * 128) - first) <= span)
    return QUARTERS(PART);
#undef PART
}

INLINE void causeway_scan_range_body(
    const void *values, uint32_t width, uint32_t count, uint64_t first, uint64_t span, uint64_t *words) {
    switch (width) {
    case 1: BLOCKS(1, values, count, words, range_of_bytes(from, (uint8_t)first, (uint8_t)span)); break;
    case 2: BLOCKS(2, values, count, words, range_of_shorts(from, (uint16_t)first, (uint16_t)span)); break;
    case 4: BLOCKS(4, values, count, words, range_of_ints(from, (uint32_t)first, (uint32_t)span)); break;
    case 8: BLOCKS(8, values, count, words, range_of_longs(from, first, span)); break;
    default: BLOCKS(1, values, 0, words, 0 * from[0]); break;
    }
}
KERNEL(
    causeway_scan_range,
    (const void *values, uint32_t width, uint32_t count, uint64_t first, uint64_t span, uint64_t *words),
    (values, width, count, first, span, words))

INLINE uint64_t looked_up(const uint8_t *from, const uint8_t *table) {
    uint8_t answers[64];
    for (int index = 0; index < 64; index++) answers[index] = table[from[index]];
    return BITS64(LOAD(bytes64, answers) != 0);
}

INLINE void causeway_scan_table_body(
    const uint8_t *values, uint32_t count, const uint8_t *table, uint64_t *words) {
    BLOCKS(1, values, count, words, looked_up(from, table));
}
KERNEL(
    causeway_scan_table, (const uint8_t *values, uint32_t count, const uint8_t table[256], uint64_t *words),
    (values, count, table, words))

#define LINKED(name, type)                                                                          \
    INLINE uint64_t name(const uint8_t *from, uint64_t minimum, uint64_t limit, const uint8_t *bits) { \
        uint8_t answers[64];                                                                        \
        for (int index = 0; index < 64; index++) {                                                  \
            uint64_t number = minimum + LOAD(type, from + index * sizeof(type));                    \
            number = number < limit ? number : limit;                                               \
            answers[index] = bits[number >> 3] >> (number & 7) & 1;                                 \
        }                                                                                           \
        return BITS64(LOAD(bytes64, answers) != 0);                                                 \
    }
LINKED(bits_of_bytes, uint8_t)
LINKED(bits_of_shorts, uint16_t)
LINKED(bits_of_ints, uint32_t)
LINKED(bits_of_longs, uint64_t)

INLINE void causeway_scan_bits_body(
    const void *values, uint32_t width, uint32_t count, uint64_t minimum, uint64_t limit, const uint8_t *bits,
    uint64_t *words) {
    switch (width) {
    case 1: BLOCKS(1, values, count, words, bits_of_bytes(from, minimum, limit, bits)); break;
    case 2: BLOCKS(2, values, count, words, bits_of_shorts(from, minimum, limit, bits)); break;
    case 4: BLOCKS(4, values, count, words, bits_of_ints(from, minimum, limit, bits)); break;
    case 8: BLOCKS(8, values, count, words, bits_of_longs(from, minimum, limit, bits)); break;
    default: {
        uint64_t number = minimum < limit ? minimum : limit;
        bool answer = bits[number >> 3] >> (number & 7) & 1;
        for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
            uint32_t start = word * 64;
            words[word] = answer && start < count ? first_bits(count - start) : 0;
        }
    }
    }
}
KERNEL(
    causeway_scan_bits,
    (const void *values, uint32_t width, uint32_t count, uint64_t minimum, uint64_t limit, const uint8_t *bits,
     uint64_t *words),
    (values, width, count, minimum, limit, bits, words))

#define EXPAND(type)                                                                               \
    for (uint32_t slot = 0; slot < count; slot++) {                                                \
        expanded[slot] = (int64_t)((uint64_t)minimum + LOAD(type, (const uint8_t *)values + slot * sizeof(type))); \
    }

INLINE void causeway_scan_expand_body(
    const void *values, uint32_t width, uint32_t count, int64_t minimum, int64_t *expanded) {
    switch (width) {
    case 1: EXPAND(uint8_t) break;
    case 2: EXPAND(uint16_t) break;
    case 4: EXPAND(uint32_t) break;
    case 8: EXPAND(uint64_t) break;
    default: for (uint32_t slot = 0; slot < count; slot++) expanded[slot] = minimum;
    }
}
KERNEL(
    causeway_scan_expand,
    (const void *values, uint32_t width, uint32_t count, int64_t minimum, int64_t *expanded),
    (values, width, count, minimum, expanded))

INLINE uint64_t range_of_doubles(const uint8_t *from, double low, double high) {
#define PART(index)                                              \
    ({                                                           \
        doubles16 values = LOAD(doubles16, from + index * 128);  \
        BITS16((values >= low) & (values <= high));              \
    })
    return QUARTERS(PART);
#undef PART
}

INLINE void causeway_scan_doubles_body(
    const void *values, uint32_t count, double low, double high, uint64_t *words) {
    BLOCKS(8, values, count, words, range_of_doubles(from, low, high));
}
KERNEL(
    causeway_scan_doubles, (const void *values, uint32_t count, double low, double high, uint64_t *words),
    (values, count, low, high, words))

INLINE uint64_t range_of_floats(const uint8_t *from, float low, float high) {
#define PART(index)                                            \
    ({                                                         \
        floats16 values = LOAD(floats16, from + index * 64);   \
        BITS16((values >= low) & (values <= high));            \
    })
    return QUARTERS(PART);
#undef PART
}

INLINE void causeway_scan_floats_body(
    const void *values, uint32_t count, float low, float high, uint64_t *words) {
    BLOCKS(4, values, count, words, range_of_floats(from, low, high));
}
KERNEL(
    causeway_scan_floats, (const void *values, uint32_t count, float low, float high, uint64_t *words),
    (values, count, low, high, words))

// One column against another, both at full width and with room for 1,024 values.

#define PAIRS(name, vector, type, operator)                                                        \
    INLINE void name##_body(const type *left, const type *right, uint32_t count, uint64_t *words) { \
        for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {                              \
            uint64_t found = 0;                                                                    \
            uint32_t start = word * 64;                                                            \
            for (uint32_t part = 0; part < 64 && start < count; part += 16) {                      \
                vector first = LOAD(vector, left + start + part);                                  \
                vector second = LOAD(vector, right + start + part);                                \
                found |= BITS16(first operator second) << part;                                    \
            }                                                                                      \
            words[word] = start < count ? found & first_bits(count - start) : 0;                   \
        }                                                                                          \
    }                                                                                              \
    KERNEL(name, (const type *left, const type *right, uint32_t count, uint64_t *words), (left, right, count, words))

PAIRS(causeway_scan_less_integers, signed16, int64_t, <)
PAIRS(causeway_scan_equal_integers, signed16, int64_t, ==)
PAIRS(causeway_scan_less_doubles, doubles16, double, <)
PAIRS(causeway_scan_equal_doubles, doubles16, double, ==)

// Ids: two words each, the second of twelve-byte ones overlapping the first.

INLINE uint64_t equal_ids(const uint8_t *from, uint32_t size, uint64_t head, uint64_t tail) {
    uint64_t differences[64];
    NO_GATHER
    for (uint32_t index = 0; index < 64; index++) {
        const uint8_t *value = from + index * size;
        differences[index] = (LOAD(uint64_t, value) ^ head) | (LOAD(uint64_t, value + size - 8) ^ tail);
    }
#define PART(index) BITS16(LOAD(longs16, differences + index * 16) == 0)
    return QUARTERS(PART);
#undef PART
}

INLINE void causeway_scan_equal_bytes_body(
    const void *values, uint32_t size, uint32_t count, const void *wanted, uint64_t *words) {
    uint64_t head = LOAD(uint64_t, wanted);
    uint64_t tail = LOAD(uint64_t, (const uint8_t *)wanted + size - 8);
    if (size == 12) {
        BLOCKS(12, values, count, words, equal_ids(from, 12, head, tail));
    } else {
        BLOCKS(16, values, count, words, equal_ids(from, 16, head, tail));
    }
}
KERNEL(
    causeway_scan_equal_bytes,
    (const void *values, uint32_t size, uint32_t count, const void *wanted, uint64_t *words),
    (values, size, count, wanted, words))

INLINE void scan_count_body(const uint64_t *words, uint64_t *count) {
    uint64_t sum = 0;
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) sum += (uint64_t)__builtin_popcountll(words[word]);
    *count = sum;
}
static void scan_count(const uint64_t *words, uint64_t *count);
KERNEL(scan_count, (const uint64_t *words, uint64_t *count), (words, count))

uint64_t causeway_scan_count(const uint64_t *words) {
    uint64_t count;
    scan_count(words, &count);
    return count;
}
