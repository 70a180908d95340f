// What Python calls on models of languages.

#include "bindings/functions.hpp"

#include <algorithm>
#include <numeric>

#include "language_models/language_model.hpp"
#include "language_models/word_scores.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

struct Pieces {
  explicit Pieces(std::string_view file) : model(std::make_shared<const UnigramModel>(file)) {}
  std::shared_ptr<const UnigramModel> model;
};

struct HeldModel {
  HeldModel(const Pieces &pieces, PyObject *ngrams, uint64_t max_unpacked)
      : file(ngrams), model(pieces.model, file.view(), max_unpacked) {}
  Bytes file;  // the n-grams stay where they lie
  LanguageModel model;
};

std::unique_ptr<HeldModel> load_language_model(const Pieces &pieces, PyObject *ngrams,
                                               uint64_t max_unpacked) {
  return std::make_unique<HeldModel>(pieces, ngrams, max_unpacked);
}

std::vector<LineScore> score_lines(const HeldModel &held,
                                   const std::vector<std::string_view> &lines) {
  std::vector<LineScore> scores;
  LanguageModel::Scratch scratch;
  for (const std::string_view line : lines) scores.push_back(held.model.score(line, scratch));
  return scores;
}

// Where each name would stand if they were sorted.
std::vector<uint32_t> ranks_of(const std::vector<std::string_view> &names) {
  std::vector<uint32_t> order(names.size()), ranks(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return names[a] < names[b]; });
  for (uint32_t at = 0; at < order.size(); ++at) ranks[order[at]] = at;
  return ranks;
}

// Whether a text has more capitals than small letters; then it is asked about in small ones.
bool is_in_capitals(std::string_view text) {
  size_t capitals = 0, small = 0;
  for (const char byte : text) {
    capitals += byte >= 'A' && byte <= 'Z';
    small += byte >= 'a' && byte <= 'z';
  }
  if (small > capitals && small > text.size() / 8) return false;  // as nearly always
  for (; !text.empty(); text.remove_prefix(first_character(text).size)) {
    const uint32_t code = first_character(text).code;
    if (code < 0x80) continue;
    const bool is_capital = lower(code) != code;
    capitals += is_capital;
    small += !is_capital && is_cased(code);
  }
  return capitals > small;
}

struct LabelColumns {
  std::vector<int64_t> counts;
  std::vector<int32_t> labels;
  std::vector<double> probabilities;
  std::vector<int64_t> left;
};

LabelColumns label_columns(WordScores &scores, const ArrowTexts &texts,
                           Numbers<const uint8_t> wanted, bool glued,
                           const std::vector<std::string_view> &names, double least,
                           double minimum, size_t max_chars) {
  must_fit(wanted.size == texts.size());
  const std::vector<uint32_t> ranks = ranks_of(names);
  std::vector<WordScores::Label> best;
  LabelColumns columns;
  std::string line;
  for (size_t at = 0; at < texts.size(); ++at) {
    std::string_view text = wanted[at] ? texts[at] : std::string_view();
    if (glued && text.find('\n') != text.npos) {
      line.assign(text);
      line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
      text = line;
    }
    columns.counts.push_back(0);
    if (stripped(text).empty()) continue;
    const bool is_left = num_chars(text) > max_chars || text.find("</s>") != text.npos ||
                         (!glued && is_in_capitals(text));
    if (is_left || !scores.best(text, least, minimum, ranks, best)) {
      columns.left.push_back(int64_t(at));
    }
    if (is_left) continue;
    columns.counts.back() = int64_t(best.size());
    for (const WordScores::Label &label : best) {
      columns.labels.push_back(int32_t(label.number));
      columns.probabilities.push_back(label.probability);
    }
  }
  return columns;
}

}  // namespace

PyMethodDef model_functions[] = {
    method<made<Pieces, std::string_view>>("load_pieces"),
    method<load_language_model>("load_language_model"),
    method<score_lines, Threads::go_on>("score_lines"),
    method<made<WordScores, WordModel, size_t>>("word_scores"),
    method<label_columns>("label_columns"),
    {}};

}  // namespace skord
