// What Python calls from verdicts on lines to the text of a page.

#include "bindings/functions.hpp"

#include "markdown/mojibake.hpp"
#include "page_text/kept_text.hpp"
#include "page_text/line_verdicts.hpp"
#include "text/parts.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

// Python's answer to a text, both in UTF-8, surrogates perhaps.
std::string answer_of(PyObject *function, PyObject *argument, PyObject *more = nullptr) {
  Owned answer(PyObject_CallFunctionObjArgs(function, argument, more, nullptr));
  Owned utf8(PyUnicode_AsEncodedString(answer.get(), "utf-8", "surrogatepass"));
  return std::string(Bytes(utf8.get()).view());
}

PyObject *marked_lines(std::string_view markdown) {
  const Lines lines = lines_of(markdown);
  std::vector<std::tuple<size_t, Str>> headings;
  std::vector<size_t> rows;
  for (size_t number = 0; number + 1 < lines.size(); ++number) {
    if (starts_with(lines[number], "#")) headings.emplace_back(number, Str{lines[number]});
    if (starts_with(lines[number], "|")) rows.push_back(number);
  }
  return tuple_of(headings, list_of(rows));
}

std::vector<std::pair<size_t, size_t>> blocks_between_fences(std::string_view page) {
  // Most pages have none, and to cut them into lines costs time.
  const bool may_hold = page.find("```") != page.npos || page.find("~~~") != page.npos;
  return fenced_blocks(may_hold ? lines_of(page) : Lines());
}

std::string verdicts(std::string_view markdown, Numbers<const float> chances, float threshold) {
  return line_verdicts(lines_of(markdown), chances, threshold);
}

std::string kept_lines(std::string_view markdown, std::string_view kept, PyObject *heading,
                       bool escaped) {
  const Rewrite rewrite = [&](std::string_view line) {
    return answer_of(heading, Owned(str_of(line)).get());
  };
  return joined_lines(lines_of(markdown), kept, rewrite, escaped);
}

PyObject *text_and_images(std::string_view kept, PyObject *repair) {
  std::string lines(kept);
  const std::vector<size_t> numbers = doubtful_lines(lines);
  if (!numbers.empty()) {
    Owned doubted(str_of(lines)), doubtful(list_of(numbers));
    lines = answer_of(repair, doubted.get(), doubtful.get());
  }
  const Text text = folded(without_images(lines));
  std::vector<std::tuple<size_t, Str>> images;  // characters of the text before each, and its address
  size_t done = 0, characters = 0;
  for (const auto &[at, address] : text.images) {
    characters += num_chars(std::string_view(text.text).substr(done, at - done));
    done = at;
    images.emplace_back(characters, Str{address});
  }
  return tuple_of(Str{text.text}, images);
}

}  // namespace

PyMethodDef page_text_functions[] = {
    method<marked_lines>("marked_lines"),
    method<blocks_between_fences>("fenced_blocks"),
    method<verdicts>("line_verdicts"),
    method<kept_lines>("joined_lines"),
    method<text_and_images>("text_and_images"),
    {}};

}  // namespace skord
