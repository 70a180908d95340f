#include "simd.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace skord {

namespace {

constexpr const char *kNames[] = {"none", "avx2", "avx512"};

Simd of_processor() {
#if defined(__x86_64__)
  const auto bits = [] {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  };
  if (!bits()) return Simd::none;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? Simd::avx512 : Simd::avx2;
#else
  return Simd::none;
#endif
}

Simd allowed() {
  const char *wanted = std::getenv("SKORD_SIMD");
  if (wanted == nullptr || *wanted == '\0') return Simd::avx512;
  for (const Simd simd : {Simd::none, Simd::avx2, Simd::avx512}) {
    if (std::string(wanted) == name_of(simd)) return simd;
  }
  throw std::invalid_argument("SKORD_SIMD is \"" + std::string(wanted) +
                              "\": set it to none, avx2 or avx512, or leave it out");
}

}  // namespace

const char *name_of(Simd simd) { return kNames[static_cast<int>(simd)]; }

Simd simd() {
  static const Simd chosen = [] {
    const Simd most = allowed(), has = of_processor();
    return most < has ? most : has;
  }();
  return chosen;
}

bool has_sha_instructions() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  const bool sse = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
  return simd() != Simd::none && sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
#else
  return false;
#endif
}

}  // namespace skord
