// Which vector instructions native code uses: those that the processor has, and of them no more
// than the environment variable SKORD_SIMD (none, avx2, avx512) allows. One build serves all.

#pragma once

namespace skord {

enum class Simd { none, avx2, avx512 };

// Found out once, when it is first asked for. Throws std::invalid_argument for another SKORD_SIMD.
Simd simd();

const char *name_of(Simd simd);

// Whether SHA-1 may be computed by instructions of its own; `none` excludes them too.
bool has_sha_instructions();

#if defined(__x86_64__)
// Functions for one width. What they call inline needs no mark where it is SKORD_INLINE.
#define SKORD_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define SKORD_AVX512 \
  __attribute__((target("avx2,fma,bmi,bmi2,avx512f,avx512bw,avx512dq,avx512vl")))
#endif

#define SKORD_INLINE inline __attribute__((always_inline))
// Loops of so few steps are unrolled only when the compiler is told to, and only then do the sums
// stay in registers.
#define SKORD_UNROLLED _Pragma("GCC unroll 8")

}  // namespace skord
