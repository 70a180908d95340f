#include <algorithm>
#include <map>
#include <vector>

#include "markdown/backticks.hpp"
#include "markdown/formulas.hpp"
#include "page_text/kept_text.hpp"
#include "text/parts.hpp"
#include "text/unicode.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

constexpr size_t kLongestLine = 10'000;

bool begins_tag(std::string_view text) {
  return !text.empty() && (is_ascii_letter(text[0]) || is_in(std::string_view("/!?"), text[0]));
}

bool begins_blank(std::string_view text) {
  return !text.empty() && is_space(first_character(text).code);
}

bool ends_blank(std::string_view text) {
  return !text.empty() && is_space(last_character(text).code);
}

// How far quotations, and items around them, reach that may stand before a block in its line. Marks
// of items count that are escaped, too.
size_t end_of_holders(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
    } else if (line[at] == '>') {
      at += starts_with(line.substr(at), "> ") ? 2 : 1;
    } else {
      size_t end = at;
      while (end < line.size() && end - at < 9 && is_ascii_digit(line[end])) ++end;
      const std::string_view marks = end > at ? ".)" : "-*+";
      if (end < line.size() && line[end] == '\\') ++end;
      if (end + 1 >= line.size() || !is_in(marks, line[end]) || line[end + 1] != ' ') break;
      at = end + 2;
    }
  }
  return at;
}

std::string without_pictures(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size();) {
    const bool may_begin = line[at] == '!' && (at == 0 || line[at - 1] != '\\');
    const size_t size = may_begin ? picture_size(line.substr(at)) : 0;
    if (size == 0) text.push_back(line[at]);
    at += std::max<size_t>(size, 1);
  }
  return text;
}

// Whether brackets, were they not escaped, would be those of an address, a definition or a box.
bool is_like_link(std::string_view line, size_t start) {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    const bool escapes = line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '[' || line[at + 1] == ']');
    if (!escapes) text.push_back(line[at]);
  }
  if (text.find("](") != text.npos) return true;
  const std::string_view block = std::string_view(text).substr(std::min(start, text.size()));
  const size_t end = block.find(']');
  if (starts_with(block, "[") && end != block.npos && block.substr(end + 1, 1) == ":") return true;
  for (const std::string_view box : {"[ ] ", "[x] ", "[X] "}) {
    if (start > 0 && starts_with(block, box)) return true;
  }
  return false;
}

bool has_tag(std::string_view text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if ((at == 0 || text[at - 1] != '\\') && begins_tag(text.substr(at + 1))) return true;
  }
  return false;
}

// A run of one sign, escaped or not, outside of code and pictures.
struct Run {
  char sign;
  size_t start, end;  // bytes of the line, backslashes included
  size_t size;        // signs
  bool is_escaped;    // one of them at least
  bool opens, closes;
  bool is_needed = false;
  bool is_mixed() const { return is_escaped && end - start < 2 * size; }
};

// Unicode's punctuation and symbols, nearly: neither letter, digit, blank nor accent.
bool is_mark(uint32_t code) {
  return !is_alnum(code) && !is_space(code) && !(code >= 0x300 && code < 0x370);
}

// What may begin and end emphasis (CommonMark 0.31.2, section 6.2); GitHub's strike-out follows stars.
void find_flanks(Run &run, std::string_view line) {
  const std::string_view before = line.substr(0, run.start), after = line.substr(run.end);
  const bool starts = before.empty() || ends_blank(before), ends = after.empty() || begins_blank(after);
  const bool mark_before = !starts && is_mark(last_character(before).code);
  const bool mark_after = !ends && is_mark(first_character(after).code);
  const bool left = !ends && (!mark_after || starts || mark_before);
  const bool right = !starts && (!mark_before || ends || mark_after);
  const bool is_line = run.sign == '_';
  run.opens = left && (!is_line || !right || mark_before);
  run.closes = right && (!is_line || !left || mark_after);
}

constexpr std::string_view kPaired = "*_~`";

// The runs of signs that mark by pairs; those that would mark something are needed.
std::vector<Run> paired_runs(std::string_view line, size_t start, const Backticks &backticks) {
  std::vector<Run> runs;
  std::map<size_t, size_t> code;  // how many runs of backticks of a length there are
  for (size_t at = 0; at < line.size();) {
    const size_t size = backticks.size_of_code(at);
    const size_t whole = size ? size : line[at] == '!' ? picture_size(line.substr(at)) : 0;
    if (whole > 0) {
      if (size > 0) code[line.find_first_not_of('`', at) - at] += 2;
      at += whole;
      continue;
    }
    const bool escapes = line[at] == '\\' && at + 1 < line.size();
    const char sign = line[at + escapes];
    if (kPaired.find(sign) == kPaired.npos) {
      at += escapes ? 1 + first_character(line.substr(at + 1)).size : 1;
      continue;
    }
    Run run{sign, at, at, 0, false, false, false};
    while (run.end < line.size()) {
      const bool is_escape = line[run.end] == '\\';
      if (run.end + is_escape >= line.size() || line[run.end + is_escape] != sign) break;
      run.is_escaped = run.is_escaped || is_escape;
      run.end += 1 + is_escape;
      ++run.size;
    }
    find_flanks(run, line);
    if (sign == '`') ++code[run.size];
    runs.push_back(run);
    at = run.end;
  }
  bool opened[4] = {}, closed[4] = {};  // of * _ ~ ~~
  const auto place = [](const Run &run) {
    return kPaired.find(run.sign) + (run.sign == '~' && run.size == 2);
  };
  const auto is_pair = [](const Run &run) {
    return run.sign != '`' && (run.sign != '~' || run.size <= 2);
  };
  for (Run &run : runs) {
    if (run.sign == '`') {
      run.is_needed = code[run.size] > 1 || (run.start > 0 && line[run.start - 1] == '`');
    } else if (is_pair(run)) {
      run.is_needed = run.closes && opened[place(run)];
      opened[place(run)] = opened[place(run)] || run.opens;
    }
  }
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!is_pair(*run)) continue;
    run->is_needed = run->is_needed || (run->opens && closed[place(*run)]);
    closed[place(*run)] = closed[place(*run)] || run->closes;
  }
  // Nothing but stars or lines is a break; three backticks or tildes begin a block of code. With
  // the first one escaped it is none.
  for (Run &run : runs) {
    const bool is_fence = run.sign == '`' || run.sign == '~';
    if (run.start == start && run.size >= 3 && (is_fence || is_blank(line.substr(run.end)))) {
      run.is_needed = true;
    }
    run.is_needed = run.is_needed || run.is_mixed();
  }
  return runs;
}

// A line as a whole, as far as it decides what an escaped sign would mark.
struct Around {
  Around(std::string_view line, const Backticks &backticks)
      : start(end_of_holders(line)),
        is_heading(starts_with(line.substr(start), "#")),
        is_row(starts_with(line.substr(start), "|")),
        runs(paired_runs(line, start, backticks)) {
    const bool may_hold = line.find("](") != line.npos;
    const std::string without = may_hold ? without_pictures(line) : std::string(line);
    is_linked = is_like_link(without, start);
    has_tag = skord::has_tag(without);
  }
  size_t start;
  bool is_heading, is_row, is_linked, has_tag;
  std::vector<Run> runs;
};

// Whether an ASCII sign would mark something, so that it would not be shown; `before` begins where
// the block does. Bullets and numbers are shown as they are, whether they begin an item or not.
bool is_needed(char sign, std::string_view before, std::string_view after, const Around &around) {
  switch (sign) {
    case '[': case ']':
      return around.is_linked;
    case '#': {
      if (around.is_heading) {
        before.remove_suffix(before.size() - std::min(before.find_last_not_of("#\\") + 1, before.size()));
        return after.find_first_not_of("# ") == after.npos && ends_blank(before);
      }
      size_t more = 0;
      for (; before.empty() && more < 6; ++more) {
        const size_t size = starts_with(after, "#") ? 1 : starts_with(after, "\\#") ? 2 : 0;
        if (size == 0) break;
        after.remove_prefix(size);
      }
      return before.empty() && more < 6 && (after.empty() || begins_blank(after));
    }
    case '-':
      return before.empty() && after.size() > 1 && after.find_first_not_of("- ") == after.npos;
    case '+': case '=': case '.':
      return false;
    case ')':
      return around.is_linked;
    case '>':
      return before.empty() || around.has_tag;
    case '<':
      return begins_tag(after.substr(starts_with(after, "\\!"))) && (before.empty() || after.find('>') != after.npos);
    case '!':
      return around.is_linked && starts_with(after, "[");
    case '|':
      return around.is_row;
    case '\\':
      return after.empty() || is_ascii_punctuation(after[0]);
    default:
      return true;
  }
}

}  // namespace

std::string without_needless_escapes(std::string_view line) {
  // What pictures cost to find grows as the square of a line.
  if (line.size() > kLongestLine && contains(line, "![") && num_chars(line) > kLongestLine) return std::string(line);
  const Backticks backticks(line);
  const Around around(line, backticks);
  auto run = around.runs.begin();
  std::string plain;
  for (size_t at = 0; at < line.size();) {
    if (run != around.runs.end() && at == run->start) {
      // Of a run that marks nothing the signs are left; of one at the start of a block which would
      // be more than emphasis the first is enough to escape.
      const bool is_first =
          run->is_needed && at == around.start && run->size >= 3 && !run->is_mixed();
      if (!run->is_escaped || (run->is_needed && !is_first)) {
        plain.append(line.substr(at, run->end - at));
      } else {
        plain.append(is_first ? "\\" : "").append(run->size, run->sign);
      }
      at = run->end;
      ++run;
      continue;
    }
    const size_t code = backticks.size_of_code(at);
    const size_t picture = line[at] == '!' ? picture_size(line.substr(at)) : 0;
    const size_t whole = code ? code : picture ? picture : size_of_formula(line.substr(at));
    if (whole > 0) {  // code, pictures and formulas stay as they are
      plain.append(line.substr(at, whole));
      at += whole;
      continue;
    }
    if (line[at] != '\\' || at + 1 == line.size()) {
      plain.push_back(line[at++]);
      continue;
    }
    const Character sign = first_character(line.substr(at + 1));
    const size_t end = at + 1 + sign.size;
    const std::string_view before = line.substr(around.start, at - std::min(at, around.start));
    const bool is_kept = sign.code >= 0x80 || is_needed(line[at + 1], before, line.substr(end), around);
    plain.append(line.substr(is_kept ? at : at + 1, end - (is_kept ? at : at + 1)));
    at = end;
  }
  return plain;
}

}  // namespace skord
