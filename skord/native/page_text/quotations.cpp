#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "markdown/line_words.hpp"
#include "page_text/line_verdicts.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

constexpr size_t kRunWords = 4;
constexpr double kLeastShare = 0.8;  // of a quotation's runs of words, if it says nothing new
constexpr int64_t kMostNamingWords = 12;

// In the languages of the project, English and German, as they stand in small letters.
constexpr std::string_view kSaid[] = {"said",    "wrote",  "writes", "skrev",     "skriver",
                                      "sagde",   "sade",   "skrifaði", "schrieb"};
constexpr std::string_view kExpand = "click to expand";

bool is_quoted(std::string_view line) { return starts_with(line, ">"); }

// Whether what stands behind the word for "said" is a name and a colon, or less.
bool ends_naming(std::string_view rest) {
  const size_t colon = rest.find(':');
  const bool is_name = starts_with(rest, " ") || starts_with(rest, ":");
  return is_name && colon != rest.npos && has_no_word(rest.substr(colon));
}

// The runs of words that stand one after the other.
std::vector<std::string> runs_of(const std::vector<std::string> &words) {
  std::vector<std::string> runs;
  for (size_t start = 0; start + kRunWords <= words.size(); ++start) {
    std::string &run = runs.emplace_back();
    for (size_t at = start; at < start + kRunWords; ++at) run.append(words[at]).push_back(' ');
  }
  return runs;
}

}  // namespace

bool is_naming(std::string_view line) {
  if (count_words(line) > kMostNamingWords) return false;
  const std::string small = in_small(line);
  const std::string_view text = small;
  for (const std::string_view said : kSaid) {
    for (size_t at = text.find(said); at != text.npos; at = text.find(said, at + 1)) {
      if (ends_naming(text.substr(at + said.size()))) return true;
    }
  }
  const size_t at = text.find(kExpand);
  return at != text.npos && has_no_word(text.substr(0, at)) &&
         has_no_word(text.substr(at + kExpand.size()));
}

std::vector<size_t> repeated_quotations(const Lines &lines, const std::vector<size_t> &kept) {
  const auto last_quoted = std::find_if(kept.rbegin(), kept.rend(), [&](size_t number) {
    return is_quoted(lines[number]);
  });
  std::unordered_set<std::string> met;
  std::vector<std::string> tail;
  std::vector<size_t> dropped;
  const std::string_view *last = nullptr;
  size_t last_number = 0;
  const auto stop = last_quoted.base();
  for (auto start = kept.begin(), end = start; start != stop; start = end) {
    // A quotation is looked at as a whole, other lines one by one.
    const bool is_quotation = is_quoted(lines[*start]);
    for (++end; is_quotation && end != stop && *end == *(end - 1) + 1 && is_quoted(lines[*end]);) ++end;
    std::vector<std::string> words;
    for (auto number = start; number != end; ++number) {
      if (is_naming(lines[*number])) continue;
      std::vector<std::string> more = small_words(lines[*number]);
      words.insert(words.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    }
    if (is_quotation) {
      const std::vector<std::string> runs = runs_of(words);
      const auto is_met = [&](const std::string &run) { return met.count(run) > 0; };
      const auto known = std::count_if(runs.begin(), runs.end(), is_met);
      if (!runs.empty() && double(known) / double(runs.size()) >= kLeastShare) {
        if (last != nullptr && !is_quoted(*last) && is_naming(*last)) dropped.push_back(last_number);
        dropped.insert(dropped.end(), start, end);
        continue;
      }
    }
    if (!words.empty() || is_naming(lines[*(end - 1)])) {
      last_number = *(end - 1);
      last = &lines[last_number];
    }
    tail.insert(tail.end(), std::make_move_iterator(words.begin()),
                std::make_move_iterator(words.end()));
    for (std::string &run : runs_of(tail)) met.insert(std::move(run));
    if (tail.size() >= kRunWords) tail.erase(tail.begin(), tail.end() - (kRunWords - 1));
  }
  return dropped;
}

}  // namespace skord
