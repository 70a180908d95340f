#include "line_classifier/page_lines.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace skord {

namespace {

constexpr int64_t kLongWords = 20;  // of a line near which others stand
constexpr std::string_view kMarks = "#-*+>|![`\\";  // first characters that tell a line's kind
constexpr Group kKinds[] = {lower, upper, letter, alone, digit};
constexpr int64_t kMostIndent = 16, kIndentStep = 4;
constexpr int kEndings = 6;
constexpr size_t kOthers = 64;  // no more features are of no group

// Figures of the whole page; those that are divided by are at least 1.
struct Whole {
  int64_t letters = 1;  // of the line with most
  int64_t length = 0, characters = 0, words = 0;
  int64_t most_words = 1;  // of a line
  int64_t long_words = 0;  // in long lines
  bool has_title = false;
};

// What is around a line.
struct Place {
  int64_t gap = 0, after = 0;           // blank lines before and after it
  int64_t in_block = 0, block = 0;      // lines of its block before it, and all of them
  int64_t back = 0, on = 0;             // lines back and on to the nearest long one
  int64_t section = 0, heading = 0;     // number of its section, and the line of its heading
  int64_t section_level = 0, section_words = 0;
  bool is_below_title = false;
  int64_t times = 0;  // that its words stand in the page as a line
};

int64_t letters_of(const int64_t *counts) {
  return counts[lower] + counts[upper] + counts[letter] + counts[alone];
}

Whole whole_of(const PageLines &page, size_t num_groups) {
  Whole whole;
  for (size_t at = 0; at < page.lines.size(); ++at) {
    const Line &line = page.lines[at];
    whole.letters = std::max(whole.letters, letters_of(&page.counts[at * num_groups]));
    whole.length += line.length;
    whole.characters += line.size;
    whole.words += line.words;
    whole.most_words = std::max(whole.most_words, line.words);
    if (line.words >= kLongWords) whole.long_words += line.words;
    whole.has_title |= line.level == 1;
  }
  whole.characters = std::max<int64_t>(whole.characters, 1);
  return whole;
}

class Places {
 public:
  explicit Places(const PageLines &page)
      : lines_(page.lines), size_(int64_t(lines_.size())), places_(lines_.size()) {
    go_on();
    go_back(page.total);
    count_times();
  }
  const Place &operator[](size_t at) const { return places_[at]; }

 private:
  void go_on() {
    // Where no long line has come yet, the distance is more than any within the page.
    int64_t before = -1, long_one = -size_;
    Place last;
    for (int64_t at = 0; at < size_; ++at) {
      const Line &line = lines_[size_t(at)];
      last.gap = line.number - before - 1;
      before = line.number;
      last.in_block = at == 0 || last.gap > 0 ? 0 : last.in_block + 1;
      if (line.words >= kLongWords) long_one = at;
      last.back = at - long_one;
      if (line.level > 0) {
        ++last.section;
        last.heading = at;
        last.section_level = line.level;
      }
      last.is_below_title |= line.level == 1;
      places_[size_t(at)] = last;
    }
  }

  void go_back(int64_t total) {
    int64_t next = total, long_one = 2 * size_;
    bool ends_block = true;
    for (int64_t at = size_ - 1; at >= 0; --at) {
      const Line &line = lines_[size_t(at)];
      Place &place = places_[size_t(at)];
      place.after = next - line.number - 1;
      next = line.number;
      place.block = ends_block ? place.in_block + 1 : places_[size_t(at) + 1].block;
      ends_block = place.gap > 0;
      if (line.words >= kLongWords) long_one = at;
      place.on = long_one - at;
    }
    // No line is long: both distances are the page's length, and not what the two starts gave.
    if (long_one == 2 * size_) {
      for (Place &place : places_) place.back = place.on = size_;
    }
    add_sections();
  }

  void add_sections() {
    std::vector<int64_t> words(lines_.size() + 1);
    for (size_t at = 0; at < places_.size(); ++at) {
      words[size_t(places_[at].section)] += lines_[at].words;
    }
    for (Place &place : places_) place.section_words = words[size_t(place.section)];
  }

  void count_times() {
    std::vector<std::pair<uint64_t, size_t>> keys;
    for (size_t at = 0; at < lines_.size(); ++at) keys.emplace_back(lines_[at].key, at);
    std::sort(keys.begin(), keys.end());
    for (size_t first = 0, end = 0; first < keys.size(); first = end) {
      while (end < keys.size() && keys[end].first == keys[first].first) ++end;
      for (size_t at = first; at < end; ++at) {
        places_[keys[at].second].times = int64_t(end - first);
      }
    }
  }

  const std::vector<Line> &lines_;
  int64_t size_;
  std::vector<Place> places_;
};

// Writes the rows, one feature after the other.
class Writer {
 public:
  Writer(const PageLines &page, const PageReader &reader)
      : page_(page), reader_(reader), whole_(whole_of(page, reader.num_groups)), places_(page),
        size_(int64_t(page.lines.size())) {}

  std::vector<float> written() {
    rows_.resize(page_.lines.size() * (reader_.num_groups + kOthers));
    to_ = rows_.data();
    for (size_t at = 0; at < page_.lines.size(); ++at) {
      const Line &line = page_.lines[at];
      add_shares(line, &page_.counts[at * reader_.num_groups]);
      add_marks(line);
      add_place(line, places_[at], int64_t(at));
      add_section(places_[at], int64_t(at));
      add_words(line);
      // Of the number itself, which is at least 1: what stands once has 0.
      add(std::log(double(places_[at].times)));
      add(places_[at].times > 1);
    }
    rows_.resize(size_t(to_ - rows_.data()));
    return std::move(rows_);
  }

 private:
  void add(double value) { *to_++ = float(value); }
  void add_log(int64_t number) { add(reader_.log1p(number)); }
  void add_share(int64_t part, int64_t of) { add(double(part) / double(of)); }

  void add_shares(const Line &line, const int64_t *counts) {
    const int64_t letters = letters_of(counts);
    add_log(line.length);
    add_log(line.words);
    add(reader_.log1p(letters) / reader_.log1p(whole_.letters));
    add_share(line.length, whole_.length);
    for (size_t group = 1; group < reader_.num_groups; ++group) {
      add_share(counts[group], line.length);
    }
    add_log(counts[ending]);
    add_log(counts[ending + 1]);
    add_share(counts[upper], std::max<int64_t>(letters, 1));
  }

  void add_marks(const Line &line) {
    for (const char mark : kMarks) add(line.first == uint32_t(mark));
    add((line.first == '-' || line.first == '*' || line.first == '+') && line.second == ' ');
    add(double(line.level));
    add_share(std::min(line.indent, kMostIndent), kIndentStep);
    for (const Group kind : kKinds) add(line.first_group == kind);
    for (const Group kind : kKinds) add(line.last_group == kind);
    for (int kind = 0; kind < kEndings; ++kind) add(line.last_group == ending + kind);
    add(line.last == ']' && line.first == '!');
  }

  void add_place(const Line &line, const Place &place, int64_t at) {
    so_far_ += line.size;
    const int64_t some_words = std::max<int64_t>(whole_.words, 1);
    add_share(at, size_);
    add_log(at);
    add_log(size_ - 1 - at);
    add_share(so_far_, whole_.characters);
    add(place.gap > 0);
    add(place.after > 0);
    add_log(place.block);
    add_log(place.in_block);
    add_log(size_);
    add_log(whole_.words);
    add_share(whole_.long_words, some_words);
    add_share(line.words, whole_.most_words);
    add_log(place.on);
    add_log(place.back);
  }

  void add_section(const Place &place, int64_t at) {
    add_log(at - place.heading);
    add(double(place.section_level));
    add_log(place.section_words);
    add_share(place.section_words, std::max<int64_t>(whole_.words, 1));
    add(place.is_below_title);
    add(whole_.has_title);
    add_log(place.section);
  }

  void add_words(const Line &line) {
    const int64_t some = std::max<int64_t>(line.words, 1);
    add_share(line.capitals, some);
    add_share(line.in_small, some);
    add(line.words == 0);
    add(line.words > 0 && line.capitals == line.words);
  }

  const PageLines &page_;
  const PageReader &reader_;
  Whole whole_;
  Places places_;
  int64_t size_, so_far_ = 0;
  std::vector<float> rows_;
  float *to_ = nullptr;
};

}  // namespace

std::vector<float> page_rows(const PageLines &page, const PageReader &reader) {
  return Writer(page, reader).written();
}

}  // namespace skord
