#ifndef CAUSEWAY_SCAN_VARIANTS_H
#define CAUSEWAY_SCAN_VARIANTS_H

// A kernel is written once, over vectors wider than any machine's; the compiler splits them. On x86-64 each is compiled
// for plain machines and for those with AVX2 and AVX-512, and the machine it runs on picks.

#include <string.h>

#include "CScan.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define KERNEL(name, parameters, arguments)                                                          \
    __attribute__((target("arch=x86-64-v4"))) static void name##_512 parameters { name##_body arguments; } \
    __attribute__((target("arch=x86-64-v3"))) static void name##_256 parameters { name##_body arguments; } \
    void name parameters {                                                                           \
        if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")                 \
            && __builtin_cpu_supports("avx512vl")) {                                                 \
            name##_512 arguments;                                                                    \
        } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {               \
            name##_256 arguments;                                                                    \
        } else {                                                                                     \
            name##_body arguments;                                                                   \
        }                                                                                            \
    }
#else
#define KERNEL(name, parameters, arguments) \
    void name parameters { name##_body arguments; }
#endif

typedef bool mask64 __attribute__((ext_vector_type(64)));
typedef bool mask16 __attribute__((ext_vector_type(16)));

typedef uint8_t bytes64 __attribute__((ext_vector_type(64)));
typedef uint16_t shorts64 __attribute__((ext_vector_type(64)));
typedef uint32_t ints16 __attribute__((ext_vector_type(16)));
typedef uint32_t ints64 __attribute__((ext_vector_type(64)));
typedef uint64_t longs16 __attribute__((ext_vector_type(16)));
typedef int64_t signed16 __attribute__((ext_vector_type(16)));
typedef float floats16 __attribute__((ext_vector_type(16)));
typedef double doubles16 __attribute__((ext_vector_type(16)));

/// The bits of a comparison's lanes, the first lane lowest.
#define BITS64(comparison)                                              \
    ({                                                                  \
        mask64 mask_ = __builtin_convertvector((comparison), mask64);   \
        uint64_t bits_;                                                 \
        memcpy(&bits_, &mask_, 8);                                      \
        bits_;                                                          \
    })
#define BITS16(comparison)                                              \
    ({                                                                  \
        mask16 mask_ = __builtin_convertvector((comparison), mask16);   \
        uint16_t bits_;                                                 \
        memcpy(&bits_, &mask_, 2);                                      \
        (uint64_t)bits_;                                                \
    })

#define LOAD(type, from)                      \
    ({                                        \
        type loaded_;                         \
        memcpy(&loaded_, (from), sizeof(type)); \
        loaded_;                              \
    })

/// In front of a loop that loads from scattered places: single loads are faster than gathering instructions.
#define NO_GATHER _Pragma("clang loop vectorize(disable)")

/// The first `count` bits, at most 64.
INLINE uint64_t first_bits(uint32_t count) { return count >= 64 ? ~0ull : (1ull << count) - 1; }

#endif
