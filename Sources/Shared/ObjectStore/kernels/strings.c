#include "variants.h"

// Strings of a leaf as one piece of memory: lengths by the offsets, eight bytes of each string as one word, and
// searches over the whole arena with hits mapped back to slots.

INLINE size_t offset_at(const causeway_strings *strings, uint32_t width, uint32_t slot) {
    return width == 2 ? LOAD(uint16_t, strings->offsets + slot * 2) : LOAD(uint32_t, strings->offsets + slot * 4);
}

// Lengths

INLINE uint64_t lengths_of_shorts(const uint8_t *from, uint16_t shortest, uint16_t span) {
    shorts64 lengths = LOAD(shorts64, from + 2) - LOAD(shorts64, from);
    return BITS64((shorts64)(lengths - shortest) <= span);
}

INLINE uint64_t lengths_of_ints(const uint8_t *from, uint32_t shortest, uint32_t span) {
    uint64_t found = 0;
    for (uint32_t part = 0; part < 4; part++) {
        ints16 lengths = LOAD(ints16, from + part * 64 + 4) - LOAD(ints16, from + part * 64);
        found |= BITS16((ints16)(lengths - shortest) <= span) << part * 16;
    }
    return found;
}

INLINE void causeway_scan_lengths_body(
    const causeway_strings *strings, uint32_t shortest, uint32_t longest, uint64_t *words) {
    uint32_t width = strings->width;
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        uint32_t start = word * 64;
        words[word] = 0;
        if (start >= strings->count || (width == 2 && shortest > 0xFFFF)) continue;
        const uint8_t *from = strings->offsets + start * width;
        uint8_t copy[65 * 4] = {0};
        uint32_t slots = strings->count - start;
        if (slots < 64) {
            memcpy(copy, from, (slots + 1) * width);
            from = copy;
        }
        uint64_t found = 0;
        if (width == 2) {
            uint32_t most = longest < 0xFFFF ? longest : 0xFFFF;
            found = lengths_of_shorts(from, (uint16_t)shortest, (uint16_t)(most - shortest));
        } else {
            found = lengths_of_ints(from, shortest, longest - shortest);
        }
        words[word] = found & first_bits(slots);
    }
}
KERNEL(
    causeway_scan_lengths,
    (const causeway_strings *strings, uint32_t shortest, uint32_t longest, uint64_t *words),
    (strings, shortest, longest, words))

// Beginnings and ends

INLINE bool holds_at(const uint8_t *at, const causeway_needle *needle) {
    size_t position = 0;
    for (; position + 8 <= needle->count; position += 8) {
        uint64_t value = LOAD(uint64_t, at + position) | LOAD(uint64_t, needle->fold + position);
        if (value != LOAD(uint64_t, needle->bytes + position)) return false;
    }
    for (; position < needle->count; position++) {
        if ((at[position] | needle->fold[position]) != needle->bytes[position]) return false;
    }
    return true;
}

/// Eight bytes from a position that may lie partly outside of the arena, where zeros stand.
INLINE uint64_t careful_word(const causeway_strings *strings, int64_t position) {
    int64_t limit = (int64_t)strings->arena_bytes;
    if (position >= 0 && position + 8 <= limit) return LOAD(uint64_t, strings->arena + position);
    uint8_t bytes[8] = {0};
    for (int index = 0; index < 8; index++) {
        if (position + index >= 0 && position + index < limit) bytes[index] = strings->arena[position + index];
    }
    return LOAD(uint64_t, bytes);
}

/// Eight bytes of each of 64 strings, from its beginning or up to its end. False where some would be read from outside
/// of the arena.
INLINE bool gather(
    const causeway_strings *strings, uint32_t width, uint32_t start, bool from_end, uint64_t *gathered) {
    const uint8_t *offsets = strings->offsets + (start + from_end) * width;
    size_t least, most;
    if (width == 2) {
        shorts64 all = LOAD(shorts64, offsets);
        least = __builtin_reduce_min(all);
        most = __builtin_reduce_max(all);
    } else {
        ints64 all = LOAD(ints64, offsets);
        least = __builtin_reduce_min(all);
        most = __builtin_reduce_max(all);
    }
    if (from_end ? least < 8 || most > strings->arena_bytes : most + 8 > strings->arena_bytes) return false;
    const uint8_t *arena = strings->arena - (from_end ? 8 : 0);
    NO_GATHER
    for (uint32_t index = 0; index < 64; index++) {
        size_t offset = width == 2 ? LOAD(uint16_t, offsets + index * 2) : LOAD(uint32_t, offsets + index * 4);
        gathered[index] = LOAD(uint64_t, arena + offset);
    }
    return true;
}

/// Below this many candidates of 64, each string is compared singly.
enum { FEW = 12 };

INLINE void affix(
    const causeway_strings *strings, uint32_t width, const causeway_needle *needle, bool from_end, uint64_t *words) {
    size_t compared = needle->count < 8 ? needle->count : 8;
    uint8_t bytes[8] = {0}, folds[8] = {0}, keeps[8] = {0};
    size_t to = from_end ? 8 - compared : 0;
    size_t from = from_end ? needle->count - compared : 0;
    memcpy(bytes + to, needle->bytes + from, compared);
    memcpy(folds + to, needle->fold + from, compared);
    memset(keeps + to, 0xFF, compared);
    uint64_t wanted = LOAD(uint64_t, bytes), fold = LOAD(uint64_t, folds), keep = LOAD(uint64_t, keeps);

    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        uint64_t open = words[word];
        if (open == 0) continue;
        uint32_t start = word * 64;
        uint64_t found = 0;
        uint64_t gathered[64];
        if (__builtin_popcountll(open) > FEW && start + 64 <= strings->count
            && gather(strings, width, start, from_end, gathered)) {
            for (uint32_t part = 0; part < 4; part++) {
                longs16 values = LOAD(longs16, gathered + part * 16);
                found |= BITS16(((values | fold) & keep) == wanted) << part * 16;
            }
            found &= open;
        } else {
            for (; open != 0; open &= open - 1) {
                uint32_t slot = start + (uint32_t)__builtin_ctzll(open);
                int64_t position = (int64_t)offset_at(strings, width, slot + from_end) - (from_end ? 8 : 0);
                if (((careful_word(strings, position) | fold) & keep) == wanted) found |= open & -open;
            }
        }
        if (needle->count > 8) {
            for (uint64_t left = found; left != 0; left &= left - 1) {
                uint32_t slot = start + (uint32_t)__builtin_ctzll(left);
                int64_t position = (int64_t)offset_at(strings, width, slot + from_end);
                if (from_end) position -= (int64_t)needle->count;
                if (position < 0 || position + (int64_t)needle->count > (int64_t)strings->arena_bytes
                    || !holds_at(strings->arena + position, needle)) {
                    found &= ~(left & -left);
                }
            }
        }
        words[word] = found;
    }
}

INLINE void causeway_scan_prefix_body(
    const causeway_strings *strings, const causeway_needle *needle, uint64_t *words) {
    if (strings->width == 2) {
        affix(strings, 2, needle, false, words);
    } else {
        affix(strings, 4, needle, false, words);
    }
}
KERNEL(
    causeway_scan_prefix, (const causeway_strings *strings, const causeway_needle *needle, uint64_t *words),
    (strings, needle, words))

INLINE void causeway_scan_suffix_body(
    const causeway_strings *strings, const causeway_needle *needle, uint64_t *words) {
    if (strings->width == 2) {
        affix(strings, 2, needle, true, words);
    } else {
        affix(strings, 4, needle, true, words);
    }
}
KERNEL(
    causeway_scan_suffix, (const causeway_strings *strings, const causeway_needle *needle, uint64_t *words),
    (strings, needle, words))

// Searching

/// The slot from `slot` on that has this byte of the arena.
INLINE uint32_t slot_of(const causeway_strings *strings, uint32_t width, uint32_t slot, size_t position) {
    for (uint32_t tries = 0; tries < 3; tries++, slot++) {
        if (slot >= strings->count || offset_at(strings, width, slot + 1) > position) return slot;
    }
    // Counting the ends at or before the position costs less than a branch for each of them.
    for (; slot + 64 <= strings->count; slot += 64) {
        const uint8_t *ends = strings->offsets + (slot + 1) * width;
        uint64_t before;
        if (width == 2) {
            before = BITS64(LOAD(shorts64, ends) <= (uint16_t)position);
        } else {
            before = 0;
            for (uint32_t part = 0; part < 4; part++) {
                before |= BITS16(LOAD(ints16, ends + part * 64) <= (uint32_t)position) << part * 16;
            }
        }
        if (before != ~0ull) return slot + (uint32_t)__builtin_popcountll(before);
    }
    uint32_t above = strings->count;
    while (slot < above) {
        uint32_t middle = (slot + above) / 2;
        if (offset_at(strings, width, middle + 1) > position) {
            above = middle;
        } else {
            slot = middle + 1;
        }
    }
    return slot;
}

/// Where both the first and the last byte of the needle stand, for 64 positions from `base`.
INLINE uint64_t places(const uint8_t *first, const uint8_t *last, const causeway_needle *needle) {
    size_t end = needle->count - 1;
    bytes64 firsts = LOAD(bytes64, first) | needle->fold[0];
    bytes64 lasts = LOAD(bytes64, last) | needle->fold[end];
    return BITS64((firsts == needle->bytes[0]) & (lasts == needle->bytes[end]));
}

INLINE void search(
    const causeway_strings *strings, uint32_t width, const causeway_needle *needle, uint64_t *words) {
    size_t end = needle->count - 1;
    size_t limit = offset_at(strings, width, strings->count);
    if (limit > strings->arena_bytes) limit = strings->arena_bytes;
    causeway_needle middle = {needle->bytes + 1, needle->fold + 1, end > 0 ? end - 1 : 0};
    uint32_t slot = 0;
    size_t base = 0;
    while (base + end < limit) {
        const uint8_t *first = strings->arena + base;
        uint64_t mask;
        if (base + end + 64 <= limit) {
            mask = places(first, first + end, needle);
        } else {
            uint8_t firsts[64] = {0}, lasts[64] = {0};
            size_t count = limit - end - base;
            memcpy(firsts, first, count);
            memcpy(lasts, first + end, count);
            mask = places(firsts, lasts, needle) & first_bits((uint32_t)count);
        }
        size_t next = base + 64;
        while (mask != 0) {
            size_t position = base + (size_t)__builtin_ctzll(mask);
            mask &= mask - 1;
            if (!holds_at(strings->arena + position + 1, &middle)) continue;
            slot = slot_of(strings, width, slot, position);
            if (slot >= strings->count) return;
            size_t behind = offset_at(strings, width, slot + 1);
            // A hit that crosses into the next string is none, and neither is a later one in this string.
            if (position + needle->count <= behind) words[slot >> 6] |= 1ull << (slot & 63);
            if (behind >= next) {
                next = behind;
                break;
            }
            if (behind > base) mask &= ~0ull << (behind - base);
        }
        base = next;
    }
}

INLINE void causeway_scan_contains_body(
    const causeway_strings *strings, const causeway_needle *needle, uint64_t *words) {
    memset(words, 0, CAUSEWAY_SCAN_WORDS * 8);
    if (needle->count == 0 || strings->count == 0) return;
    if (strings->width == 2) {
        search(strings, 2, needle, words);
    } else {
        search(strings, 4, needle, words);
    }
}
KERNEL(
    causeway_scan_contains, (const causeway_strings *strings, const causeway_needle *needle, uint64_t *words),
    (strings, needle, words))

// Pieces between stars

/// Whether each piece stands behind the one before. The first place of a piece leaves the most room for the rest.
INLINE bool has_pieces(const uint8_t *text, size_t count, const causeway_pieces *pieces) {
    uint32_t last = pieces->count - 1;
    size_t suffix = pieces->lengths[last];
    size_t place = pieces->lengths[0];
    if (count < pieces->shortest) return false;
    if (place > 0 && memcmp(text, pieces->bytes, place) != 0) return false;
    if (suffix > 0 && memcmp(text + count - suffix, pieces->bytes + pieces->shortest - suffix, suffix) != 0) {
        return false;
    }
    size_t end = count - suffix;
    const uint8_t *piece = pieces->bytes + place;
    for (uint32_t index = 1; index < last; index++) {
        size_t length = pieces->lengths[index];
        while (true) {
            if (place + length > end) return false;
            if (text[place] == piece[0] && (length == 1 || memcmp(text + place, piece, length) == 0)) break;
            place++;
        }
        place += length;
        piece += length;
    }
    return true;
}

/// The same for a string of at most 64 bytes and pieces of one byte each, without a branch: none could be foreseen.
INLINE bool has_letters(const uint8_t *text, size_t count, const causeway_pieces *pieces) {
    bytes64 all = LOAD(bytes64, text);
    uint64_t open = first_bits((uint32_t)count);
    bool found = true;
    for (size_t index = 0; index < pieces->shortest; index++) {
        uint64_t hits = BITS64(all == pieces->bytes[index]) & open;
        found &= hits != 0;
        // The next one stands behind the first hit.
        open &= ~(hits ^ (hits - 1));
    }
    return found;
}

/// Whether nothing but single bytes between stars is asked for.
INLINE bool are_letters(const causeway_pieces *pieces) {
    uint32_t last = pieces->count - 1;
    if (pieces->lengths[0] != 0 || pieces->lengths[last] != 0) return false;
    return pieces->shortest == last - 1;
}

INLINE void causeway_scan_pieces_body(
    const causeway_strings *strings, const causeway_pieces *pieces, uint64_t *words) {
    uint32_t width = strings->width;
    bool letters = are_letters(pieces);
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        uint64_t found = 0;
        for (uint64_t open = words[word]; open != 0; open &= open - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(open);
            if (slot >= strings->count) break;
            size_t from = offset_at(strings, width, slot), to = offset_at(strings, width, slot + 1);
            if (from > to || to > strings->arena_bytes) continue;
            const uint8_t *text = strings->arena + from;
            bool has = letters && to - from <= 64 && from + 64 <= strings->arena_bytes
                ? has_letters(text, to - from, pieces) : has_pieces(text, to - from, pieces);
            if (has) found |= open & -open;
        }
        words[word] = found;
    }
}
KERNEL(
    causeway_scan_pieces, (const causeway_strings *strings, const causeway_pieces *pieces, uint64_t *words),
    (strings, pieces, words))

/// Whether all bytes are ASCII. In most leaves they are, and this test takes no mask for each piece.
INLINE bool is_ascii(const uint8_t *bytes, size_t count) {
    bytes64 seen = {0};
    size_t position = 0;
    for (; position + 64 <= count; position += 64) seen |= LOAD(bytes64, bytes + position);
    if (position < count) {
        uint8_t rest[64] = {0};
        memcpy(rest, bytes + position, count - position);
        seen |= LOAD(bytes64, rest);
    }
    return BITS64(seen >= 0x80) == 0;
}

/// Strings with bytes of 0x80 and up.
INLINE void beyond_ascii(const causeway_strings *strings, uint32_t width, uint64_t *words) {
    size_t limit = offset_at(strings, width, strings->count);
    if (limit > strings->arena_bytes) limit = strings->arena_bytes;
    if (is_ascii(strings->arena, limit)) return;
    uint32_t slot = 0;
    size_t base = 0;
    while (base < limit) {
        uint64_t mask;
        if (base + 64 <= limit) {
            mask = BITS64(LOAD(bytes64, strings->arena + base) >= 0x80);
        } else {
            uint8_t rest[64] = {0};
            memcpy(rest, strings->arena + base, limit - base);
            mask = BITS64(LOAD(bytes64, rest) >= 0x80);
        }
        size_t next = base + 64;
        while (mask != 0) {
            size_t position = base + (size_t)__builtin_ctzll(mask);
            mask &= mask - 1;
            slot = slot_of(strings, width, slot, position);
            if (slot >= strings->count) return;
            words[slot >> 6] |= 1ull << (slot & 63);
            size_t behind = offset_at(strings, width, slot + 1);
            if (behind >= next) {
                next = behind;
                break;
            }
            if (behind > base) mask &= ~0ull << (behind - base);
        }
        base = next;
    }
}

INLINE void causeway_scan_beyond_ascii_body(const causeway_strings *strings, uint64_t *words) {
    memset(words, 0, CAUSEWAY_SCAN_WORDS * 8);
    if (strings->count == 0) return;
    if (strings->width == 2) {
        beyond_ascii(strings, 2, words);
    } else {
        beyond_ascii(strings, 4, words);
    }
}
KERNEL(causeway_scan_beyond_ascii, (const causeway_strings *strings, uint64_t *words), (strings, words))

// Order

INLINE void order(
    const causeway_strings *strings, uint32_t width, const uint8_t *bytes, size_t count, uint64_t *before,
    uint64_t *equal) {
    uint8_t heads[8] = {0};
    memcpy(heads, bytes, count < 8 ? count : 8);
    uint64_t head = __builtin_bswap64(LOAD(uint64_t, heads));
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        before[word] = 0;
        equal[word] = 0;
        uint32_t start = word * 64;
        if (start >= strings->count) continue;
        uint32_t slots = strings->count - start < 64 ? strings->count - start : 64;
        uint64_t gathered[64] = {0};
        bool isWhole = slots == 64 && gather(strings, width, start, false, gathered);
        for (uint32_t index = 0; index < slots; index++) {
            size_t from = offset_at(strings, width, start + index);
            size_t to = offset_at(strings, width, start + index + 1);
            size_t length = to > from ? to - from : 0;
            if (!isWhole) gathered[index] = careful_word(strings, (int64_t)from);
            // Bytes behind the string's end count as zeros.
            uint64_t keep = length >= 8 ? ~0ull : ~(~0ull >> (length * 8));
            gathered[index] = __builtin_bswap64(gathered[index]) & keep;
        }
        uint64_t less = 0, tied = 0;
        for (uint32_t part = 0; part < 4; part++) {
            longs16 values = LOAD(longs16, gathered + part * 16);
            less |= BITS16(values < head) << part * 16;
            tied |= BITS16(values == head) << part * 16;
        }
        for (tied &= first_bits(slots); tied != 0; tied &= tied - 1) {
            uint32_t slot = start + (uint32_t)__builtin_ctzll(tied);
            size_t from = offset_at(strings, width, slot);
            size_t to = offset_at(strings, width, slot + 1);
            if (to > strings->arena_bytes || from > to) from = to = 0;
            size_t length = to - from;
            size_t common = length < count ? length : count;
            int difference = common > 0 ? memcmp(strings->arena + from, bytes, common) : 0;
            if (difference < 0 || (difference == 0 && length < count)) less |= tied & -tied;
            if (difference == 0 && length == count) equal[word] |= tied & -tied;
        }
        before[word] = less & first_bits(slots);
    }
}

INLINE void causeway_scan_order_body(
    const causeway_strings *strings, const uint8_t *bytes, size_t count, uint64_t *before, uint64_t *equal) {
    if (strings->width == 2) {
        order(strings, 2, bytes, count, before, equal);
    } else {
        order(strings, 4, bytes, count, before, equal);
    }
}
KERNEL(
    causeway_scan_order,
    (const causeway_strings *strings, const uint8_t *bytes, size_t count, uint64_t *before, uint64_t *equal),
    (strings, bytes, count, before, equal))

// One of many

INLINE uint32_t head_hash(uint64_t head, size_t count) {
    return (uint32_t)(((head ^ count * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull) >> 52);
}

/// The first eight bytes, fewer where the string is shorter.
INLINE uint64_t head_of(uint64_t word, size_t count) { return count >= 8 ? word : word & ~(~0ull << (count * 8)); }

void causeway_scan_add_head(const uint8_t *bytes, size_t count, uint8_t *filter) {
    uint8_t heads[8] = {0};
    memcpy(heads, bytes, count < 8 ? count : 8);
    uint32_t hash = head_hash(head_of(LOAD(uint64_t, heads), count), count);
    filter[hash >> 3] |= (uint8_t)(1 << (hash & 7));
}

INLINE void heads(const causeway_strings *strings, uint32_t width, const uint8_t *filter, uint64_t *words) {
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        words[word] = 0;
        uint32_t start = word * 64;
        if (start >= strings->count) continue;
        uint32_t slots = strings->count - start < 64 ? strings->count - start : 64;
        uint64_t gathered[64] = {0};
        uint8_t answers[64] = {0};
        bool isWhole = slots == 64 && gather(strings, width, start, false, gathered);
        NO_GATHER
        for (uint32_t index = 0; index < slots; index++) {
            size_t from = offset_at(strings, width, start + index);
            size_t to = offset_at(strings, width, start + index + 1);
            size_t length = to > from ? to - from : 0;
            if (!isWhole) gathered[index] = careful_word(strings, (int64_t)from);
            uint32_t hash = head_hash(head_of(gathered[index], length), length);
            answers[index] = filter[hash >> 3] >> (hash & 7) & 1;
        }
        words[word] = BITS64(LOAD(bytes64, answers) != 0);
    }
}

INLINE void causeway_scan_heads_body(const causeway_strings *strings, const uint8_t *filter, uint64_t *words) {
    if (strings->width == 2) {
        heads(strings, 2, filter, words);
    } else {
        heads(strings, 4, filter, words);
    }
}
KERNEL(
    causeway_scan_heads, (const causeway_strings *strings, const uint8_t filter[512], uint64_t *words),
    (strings, filter, words))

// Strings met before

INLINE uint64_t short_hash(uint64_t head, size_t count) {
    return (head ^ count * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull;
}
INLINE uint32_t first_place(uint64_t hash) { return (uint32_t)(hash >> 52); }
INLINE uint32_t second_place(uint64_t hash) { return (uint32_t)(hash >> 40) & (CAUSEWAY_SHORT_PLACES - 1); }

void causeway_scan_forget_short(causeway_short_strings *known) { memset(known, 0, sizeof(*known)); }

void causeway_scan_add_short(const void *bytes, size_t count, causeway_short_strings *known) {
    if (count == 0 || count > 8) return;
    uint8_t heads[8] = {0};
    memcpy(heads, bytes, count);
    uint64_t head = LOAD(uint64_t, heads);
    uint64_t hash = short_hash(head, count);
    uint32_t places[2] = {first_place(hash), second_place(hash)};
    for (uint32_t way = 0; way < 2; way++) {
        uint8_t length = known->lengths[way][places[way]];
        if (length == count && known->bytes[way][places[way]] == head) return;
        if (length != 0) continue;
        known->bytes[way][places[way]] = head;
        known->lengths[way][places[way]] = (uint8_t)count;
        return;
    }
}

INLINE void short_ones(
    const causeway_strings *strings, uint32_t width, const causeway_short_strings *known, uint64_t *words) {
    for (uint32_t word = 0; word < CAUSEWAY_SCAN_WORDS; word++) {
        words[word] = 0;
        uint32_t start = word * 64;
        if (start >= strings->count) continue;
        uint32_t slots = strings->count - start < 64 ? strings->count - start : 64;
        uint64_t gathered[64] = {0};
        uint8_t answers[64] = {0};
        bool isWhole = slots == 64 && gather(strings, width, start, false, gathered);
        NO_GATHER
        for (uint32_t index = 0; index < slots; index++) {
            size_t from = offset_at(strings, width, start + index);
            size_t to = offset_at(strings, width, start + index + 1);
            size_t length = to > from && to <= strings->arena_bytes ? to - from : 0;
            if (!isWhole) gathered[index] = careful_word(strings, (int64_t)from);
            uint64_t head = head_of(gathered[index], length);
            uint64_t hash = short_hash(head, length);
            uint32_t first = first_place(hash), second = second_place(hash);
            answers[index] = (length != 0)
                & (((known->bytes[0][first] == head) & (known->lengths[0][first] == length))
                    | ((known->bytes[1][second] == head) & (known->lengths[1][second] == length)));
        }
        words[word] = BITS64(LOAD(bytes64, answers) != 0);
    }
}

INLINE void causeway_scan_short_body(
    const causeway_strings *strings, const causeway_short_strings *known, uint64_t *words) {
    if (strings->width == 2) {
        short_ones(strings, 2, known, words);
    } else {
        short_ones(strings, 4, known, words);
    }
}
KERNEL(
    causeway_scan_short,
    (const causeway_strings *strings, const causeway_short_strings *known, uint64_t *words),
    (strings, known, words))
