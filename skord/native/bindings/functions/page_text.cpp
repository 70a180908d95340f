// What Python calls from verdicts on lines to the text of a page.

#include "bindings/functions.hpp"

#include <cmath>

#include "line_classifier/line_logits.hpp"
#include "markdown/line_words.hpp"
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

// A text, and of each image the character before which it stood, and its address.
PyObject *text_of(const Text &text) {
  Owned images(PyList_New(0));
  size_t done = 0, characters = 0;
  for (const auto &[at, address] : text.images) {
    characters += num_chars(std::string_view(text.text).substr(done, at - done));
    done = at;
    Owned written(markdown_of(address));
    Owned image(Py_BuildValue("nO", Py_ssize_t(characters), written.get()));
    if (PyList_Append(images.get(), image.get()) != 0) return nullptr;
  }
  Owned written(markdown_of(text.text));
  return PyTuple_Pack(2, written.get(), images.get());
}

}  // namespace

PyObject *marked_lines_py(PyObject *, PyObject *markdown) {
  return guarded([&] {
    const Bytes bytes(markdown);
    const Lines lines = lines_of(bytes.view());
    std::vector<size_t> headings, rows;
    for (size_t number = 0; number + 1 < lines.size(); ++number) {
      if (starts_with(lines[number], "#")) headings.push_back(number);
      if (starts_with(lines[number], "|")) rows.push_back(number);
    }
    Owned of_headings(list_of(headings, [&](size_t number) {
      Owned line(markdown_of(lines[number]));
      return Py_BuildValue("nO", Py_ssize_t(number), line.get());
    }));
    Owned of_rows(list_of(rows, PyLong_FromSize_t));
    return PyTuple_Pack(2, of_headings.get(), of_rows.get());
  });
}

PyObject *fenced_blocks_py(PyObject *, PyObject *markdown) {
  return guarded([&] {
    const Bytes bytes(markdown);
    const std::string_view page = bytes.view();
    // Most pages have none, and to cut them into lines costs time.
    const bool may_hold = page.find("```") != page.npos || page.find("~~~") != page.npos;
    return list_of(fenced_blocks(may_hold ? lines_of(page) : Lines()), [](const auto &block) {
      return Py_BuildValue("nn", Py_ssize_t(block.first), Py_ssize_t(block.second));
    });
  });
}

PyObject *line_verdicts_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *chances;
    float threshold;
    if (!PyArg_ParseTuple(arguments, "OOf", &markdown, &chances, &threshold)) return nullptr;
    const Bytes bytes(markdown), of_lines(chances);
    return bytes_of(line_verdicts(lines_of(bytes.view()), of_lines.as<float>(), threshold));
  });
}

PyObject *choose_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *logits, *given;
    double least_f1;
    if (!PyArg_ParseTuple(arguments, "OOOd", &markdown, &logits, &given, &least_f1)) return nullptr;
    const Bytes page(markdown), of_lines(logits);
    std::vector<float> chances = chances_of(of_lines.as<float>());
    std::string stored;
    for (float &chance : chances) {
      const auto byte = uint8_t(std::nearbyint(chance * 255));
      stored.push_back(char(byte));
      chance = float(byte) / 255;
    }
    const Numbers<const float> known{chances.data(), chances.size()};
    double threshold;
    if (given == Py_None) {
      const Cut best = best_cut(page.view(), known);
      threshold = best.expected_f1 >= least_f1 ? best.threshold : 2;
    } else {
      threshold = PyFloat_AsDouble(given);
      if (PyErr_Occurred()) return nullptr;
    }
    Owned bytes(bytes_of(stored)), kept(bytes_of(line_verdicts(lines_of(page.view()), known, float(threshold))));
    return Py_BuildValue("OOd", bytes.get(), kept.get(), threshold);
  });
}

PyObject *joined_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *kept, *heading;
    int escaped = 0;
    if (!PyArg_ParseTuple(arguments, "OOO|p", &markdown, &kept, &heading, &escaped)) return nullptr;
    const Bytes bytes(markdown), verdicts(kept);
    const Rewrite rewrite = [&](std::string_view line) {
      return answer_of(heading, Owned(markdown_of(line)).get());
    };
    return bytes_of(joined_lines(lines_of(bytes.view()), verdicts.view(), rewrite, escaped != 0));
  });
}

PyObject *text_and_images_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *repair;
    if (!PyArg_ParseTuple(arguments, "OO", &markdown, &repair)) return nullptr;
    const Bytes bytes(markdown);
    std::string text(bytes.view());
    const std::vector<size_t> numbers = doubtful_lines(text);
    if (!numbers.empty()) {
      Owned lines(markdown_of(text)), doubtful(list_of(numbers, PyLong_FromSize_t));
      text = answer_of(repair, lines.get(), doubtful.get());
    }
    return text_of(folded(without_images(text)));
  });
}

}  // namespace skord
