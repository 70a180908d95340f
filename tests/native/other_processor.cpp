// Prints what compiled code makes of made-up bytes: built for another processor it must print the
// same (test_other_processor.py).

#include <cstdio>
#include <string>

#include "dedup/sketches.hpp"
#include "line_classifier/products.hpp"
#include "quality/text_counts.hpp"
#include "simd.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

using namespace skord;

namespace {

uint64_t state = 1;
uint64_t drawn() { return split_mixed(state += 0x9E3779B97F4A7C15); }

template <class T>
std::vector<T> drawn_numbers(size_t size, uint64_t below) {
  std::vector<T> numbers(size);
  for (T &number : numbers) number = T(drawn() % below);
  return numbers;
}

std::vector<float> drawn_floats(size_t size) {
  std::vector<float> numbers(size);
  for (float &number : numbers) number = float(int64_t(drawn() % 2001) - 1000) / 1000;
  return numbers;
}

template <class T>
Numbers<T> all(std::vector<T> &values) {
  return {values.data(), values.size()};
}
template <class T>
Numbers<const T> all_const(const std::vector<T> &values) {
  return {values.data(), values.size()};
}

template <class T>
void tell(const char *name, const std::vector<T> &values) {
  const auto *bytes = reinterpret_cast<const char *>(values.data());
  std::printf("%s %016llx\n", name,
              static_cast<unsigned long long>(xxh64({bytes, values.size() * sizeof(T)})));
}

}  // namespace

int main() {
  std::string bytes;
  std::vector<uint64_t> starts = {0};
  for (const size_t size : {0, 5, 16, 700, 4000}) {
    for (size_t at = 0; at < size; ++at) bytes += char(drawn() % 7 ? 'a' + drawn() % 26 : ' ');
    bytes += "\n";
    starts.push_back(bytes.size());
  }
  const ArrowTexts texts(all_const(starts), bytes);
  const auto table = drawn_numbers<uint32_t>(kCodePoints, 0xFFFFFFFF);
  std::vector<uint8_t> rows(5 * 112), valid(5), made(5), odd(5);
  sketches(texts, all_const(table), 16, 112, all(rows), all(valid));
  tell("sketches", rows);

  constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
  const auto a = drawn_numbers<uint64_t>(28, kPrime), b = drawn_numbers<uint64_t>(28, kPrime);
  const auto c = drawn_numbers<uint64_t>(28, kPrime);
  std::vector<uint64_t> keys(5 * 14);
  published_keys(texts, all_const(table), {all_const(a), all_const(b), all_const(c), kPrime - 1}, 14,
                 all(keys), all(made), all(odd));
  tell("published keys", keys);

  Sha1Keys hashed;
  for (size_t text = 0; text < texts.size(); ++text) {
    hashed.add([&](std::string &blocks) { blocks += texts[text]; });
  }
  std::vector<uint64_t> digests;
  hashed.take(digests);
  tell("sha1", digests);

  constexpr const char *kPieces[] = {"a", "\xc3\xa5", "\xe6\xbc\xa2", "\xf0\x9f\x99\x82",
                                     "\xed\xa0\x80", "\xc0\x80", "\x80"};
  std::vector<uint64_t> of_utf8;
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (uint64_t left = drawn() % 30; left > 0; --left) text += kPieces[drawn() % (4 + round % 4)];
    of_utf8.insert(of_utf8.end(), {is_utf8(text), num_chars(text)});
  }
  tell("utf8", of_utf8);

  std::vector<uint32_t> classes(kPlanesEnd, kAlnum | kAlpha | kLower);
  classes['\n'] = classes[' '] = kSpace;
  const auto factors = drawn_numbers<uint64_t>(kPlanesEnd, ~uint64_t(0));
  const std::vector<uint8_t> letters(kPlanesEnd), by_script(5);
  const std::vector<int32_t> moves(1), list_of(5);
  const std::vector<uint64_t> list(16);
  std::vector<int64_t> counts(5 * kNumCounts);
  std::vector<double> entropies(5);
  const WordLists words{all_const(list), 16, all_const(list_of)};
  measure_texts(texts, {all_const(classes), all_const(factors), all_const(factors)},
                {all_const(letters), all_const(moves)}, all_const(by_script), {30, 10}, words, words,
                all(counts), all(entropies));
  tell("counts", counts);

  const auto lines = drawn_floats(2 * 13 * 80), weights = drawn_floats(2 * 80 * 80);
  std::vector<float> out(lines.size());
  multiply({lines.data(), 2, 13, 80}, {weights.data(), 2, 80, 80}, out.data());
  double sum = 0;
  for (const float value : out) sum += double(value);
  std::printf("products %.2f\nwidth %s\n", sum, name_of(simd()));
}
