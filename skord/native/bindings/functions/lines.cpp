// What Python calls on the lines of pages: plain forms, records of WET files, keys.

#include "bindings/functions.hpp"

#include <string>

#include "text/arrow_texts.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "markdown/line_words.hpp"
#include "markdown/mojibake.hpp"
#include "markdown/plain_lines.hpp"
#include "text/wet_record.hpp"

namespace skord {

namespace {

struct CharTableCapsule {
  static constexpr const char *kName = "skord.CharTable";
  explicit CharTableCapsule(PyObject *asked)
      : entries_of(Py_NewRef(asked)), table([this](uint32_t block) {
          Owned entries(PyObject_CallFunction(entries_of.get(), "I", unsigned(block)));
          return Bytes(entries.get()).numbers<uint64_t>();
        }) {}
  Owned entries_of;
  CharTable table;
};

constexpr int64_t kUntold = -1, kTooShort = -2;  // in place of how many lines a member's page has

bool is_page(const WetRecord &record) { return record.type == "conversion" && !record.url.empty(); }

PyObject *column_of(const WrittenTexts &texts) {
  Owned starts(bytes_of(texts.starts)), bytes(bytes_of(texts.bytes));
  return PyTuple_Pack(2, starts.get(), bytes.get());
}

// Keys of the lines of one body, and the numbers of those that only Python can tell.
void add_keys(CharTable &table, std::string_view body, Sha1Keys &hashed,
              std::vector<uint64_t> &keys, std::vector<Py_ssize_t> &in_context) {
  size_t place = keys.size();
  for (size_t start = 0; start <= body.size(); ++place) {
    const size_t end = std::min(body.find('\n', start), body.size());
    hashed.add([&](std::string &written) {
      if (!table.write(body.substr(start, end - start), written)) {
        in_context.push_back(static_cast<Py_ssize_t>(place));
      }
    });
    start = end + 1;
  }
  hashed.take(keys);
}

}  // namespace

PyObject *plain_page_py(PyObject *, PyObject *markdown) {
  return guarded([&]() -> PyObject * {
    const Bytes bytes(markdown);
    std::string page;
    for (const std::string &line : plain_page(bytes.view())) {
      page += line;
      page += '\n';
    }
    if (!page.empty()) page.pop_back();
    return bytes_of(page);
  });
}

PyObject *said_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *numbers;
    Py_ssize_t most_letters, most_words;
    if (!PyArg_ParseTuple(arguments, "OOnn", &markdown, &numbers, &most_letters, &most_words)) {
      return nullptr;
    }
    must_fit(most_letters >= 0 && most_letters <= 1 << 20 && most_words >= 0);
    const Bytes bytes(markdown), of_lines(numbers);
    return markdown_of(said_lines(bytes.view(), of_lines.as<int64_t>(), size_t(most_letters),
                                  size_t(most_words)));
  });
}

PyObject *lines_holding_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *numbers, *parts;
    Py_ssize_t most_letters;
    if (!PyArg_ParseTuple(arguments, "OOnO", &markdown, &numbers, &most_letters, &parts)) {
      return nullptr;
    }
    must_fit(most_letters >= 0 && most_letters <= 1 << 20);
    const Bytes bytes(markdown), of_lines(numbers);
    return list_of(lines_holding(bytes.view(), of_lines.as<int64_t>(), size_t(most_letters),
                                 Texts(parts).views()),
                   PyLong_FromLongLong);
  });
}

PyObject *best_cut_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *chances;
    if (!PyArg_ParseTuple(arguments, "OO", &markdown, &chances)) return nullptr;
    const Bytes of_lines(chances);
    const Cut cut = best_cut(Bytes(markdown).view(), of_lines.as<float>());
    return Py_BuildValue("dd", cut.threshold, cut.expected_f1);
  });
}

PyObject *doubtful_lines_py(PyObject *, PyObject *text) {
  return guarded([&] {
    return list_of(doubtful_lines(Bytes(text).view()), PyLong_FromSize_t);
  });
}

PyObject *split_page_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *block;
    int exact;
    if (!PyArg_ParseTuple(arguments, "Sp", &block, &exact)) return nullptr;
    std::string lines, scratch;
    const SplitPage page = split_page(Bytes(block).view(), exact != 0, lines, scratch);
    Owned title(str_of(page.title)), body(bytes_of(lines));
    return Py_BuildValue("OOnn", title.get(), body.get(), Py_ssize_t(page.num_lines),
                         Py_ssize_t(num_chars(lines)));
  });
}

PyObject *wet_record_py(PyObject *, PyObject *data) {
  return guarded([&]() -> PyObject * {
    const Bytes bytes(data);
    const std::optional<WetRecord> record = wet_record(bytes.view());
    if (!record) Py_RETURN_NONE;
    const std::string_view values[] = {record->type,      record->url,    record->id,
                                       record->refers_to, record->date,   record->languages,
                                       record->digest};
    Owned tuple(PyTuple_New(8));
    for (Py_ssize_t at = 0; at < 7; ++at) {
      Owned value(str_of(values[at]));
      if (PyTuple_SetItem(tuple.get(), at, value.release()) != 0) return nullptr;
    }
    Owned block(bytes_of(record->block));
    if (PyTuple_SetItem(tuple.get(), 7, block.release()) != 0) return nullptr;
    return tuple.release();
  });
}

PyObject *wet_pages_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *members;
    int exact;
    if (!PyArg_ParseTuple(arguments, "O!p", &PyList_Type, &members, &exact)) return nullptr;
    WrittenTexts ids, urls, dates, titles, bodies, digests;
    std::vector<int64_t> numbers;
    std::string told, scratch;
    for (size_t at = 0; at < length_of(members); ++at) {
      const Bytes bytes(item_of(members, at));
      const std::optional<WetRecord> record = wet_record(bytes.view());
      told.push_back(record && is_page(*record));
      if (!told.back()) continue;
      std::string_view address = record->url;
      if (address.front() == '<' && address.back() == '>') {  // as wget wrote them
        address = address.substr(1, std::max<size_t>(address.size(), 2) - 2);
      }
      const SplitPage page = split_page(record->block, exact != 0, bodies.bytes, scratch);
      bodies.end();
      ids.add(record->refers_to);
      urls.add(address);
      dates.add(record->date);
      titles.add(page.title);
      digests.add(record->digest);
      const size_t chars = num_chars(bodies.last());
      for (const size_t number : {page.num_lines, chars, record->block.size()}) {
        numbers.push_back(int64_t(number));
      }
    }
    Owned flags(bytes_of(told)), counts(bytes_of(numbers)), columns(PyTuple_New(6));
    Py_ssize_t at = 0;
    for (const WrittenTexts *texts : {&ids, &urls, &dates, &titles, &bodies, &digests}) {
      if (PyTuple_SetItem(columns.get(), at++, Owned(column_of(*texts)).release()) != 0) {
        return nullptr;
      }
    }
    return PyTuple_Pack(3, flags.get(), columns.get(), counts.get());
  });
}

PyObject *char_table_py(PyObject *, PyObject *entries_of) {
  return guarded([&] { return capsule_of(new CharTableCapsule(entries_of)); });
}

PyObject *written_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *text;
    if (!PyArg_ParseTuple(arguments, "OU", &capsule, &text)) return nullptr;
    std::string out;
    if (!value_of<CharTableCapsule>(capsule).table.write(utf8_of(text), out)) Py_RETURN_NONE;
    return str_of(out);
  });
}

PyObject *line_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *bodies;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &bodies)) return nullptr;
    CharTable &table = value_of<CharTableCapsule>(capsule).table;
    std::vector<uint64_t> keys;
    std::vector<Py_ssize_t> in_context;
    Sha1Keys hashed;
    for (size_t at = 0; at < length_of(bodies); ++at) {
      add_keys(table, Bytes(item_of(bodies, at)).view(), hashed, keys, in_context);
    }
    Owned positions(PyList_New(0));
    for (const Py_ssize_t position : in_context) {
      Owned number(PyLong_FromSsize_t(position));
      if (PyList_Append(positions.get(), number.get()) != 0) return nullptr;
    }
    Owned all_keys(bytes_of(keys));
    return PyTuple_Pack(2, all_keys.get(), positions.get());
  });
}

PyObject *member_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *members;
    int exact;
    Py_ssize_t min_chars;
    if (!PyArg_ParseTuple(arguments, "OO!pn", &capsule, &PyList_Type, &members, &exact,
                          &min_chars)) {
      return nullptr;
    }
    CharTable &table = value_of<CharTableCapsule>(capsule).table;
    std::vector<uint64_t> keys;
    std::vector<int64_t> lengths;
    std::vector<Py_ssize_t> in_context;
    std::string body, scratch;
    Sha1Keys hashed;
    for (size_t at = 0; at < length_of(members); ++at) {
      const Bytes bytes(item_of(members, at));
      const std::optional<WetRecord> record = wet_record(bytes.view());
      lengths.push_back(kUntold);
      if (!record || !is_page(*record)) continue;
      body.clear();
      const SplitPage page = split_page(record->block, exact != 0, body, scratch);
      const bool is_short = Py_ssize_t(num_chars(body)) < min_chars;
      const size_t before = keys.size();
      if (!is_short && page.num_lines) add_keys(table, body, hashed, keys, in_context);
      if (in_context.empty()) {
        lengths.back() = is_short ? kTooShort : int64_t(page.num_lines);
      } else {
        keys.resize(before);
        in_context.clear();
      }
    }
    Owned all_keys(bytes_of(keys)), all_lengths(bytes_of(lengths));
    return PyTuple_Pack(2, all_keys.get(), all_lengths.get());
  });
}

PyObject *keep_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *bodies, *lengths, *mask;
    if (!PyArg_ParseTuple(arguments, "OOOO", &starts, &bodies, &lengths, &mask)) return nullptr;
    const Bytes start_bytes(starts), body_bytes(bodies), length_bytes(lengths), mask_bytes(mask);
    const ArrowTexts texts(start_bytes.as<uint64_t>(), body_bytes.view());
    const auto lines = length_bytes.as<int64_t>();
    std::string_view kept = mask_bytes.view();
    must_fit(lines.size == texts.size());
    WrittenTexts result;
    std::vector<int64_t> chars;
    for (size_t at = 0; at < lines.size; ++at) {
      must_fit(lines[at] >= 0 && size_t(lines[at]) <= kept.size());
      keep_lines(texts[at], kept.substr(0, size_t(lines[at])), result.bytes);
      result.end();
      chars.push_back(int64_t(num_chars(result.last())));
      kept.remove_prefix(size_t(lines[at]));
    }
    Owned column(column_of(result)), counts(bytes_of(chars));
    return PyTuple_Pack(2, column.get(), counts.get());
  });
}

PyObject *take_texts_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *rows;
    if (!PyArg_ParseTuple(arguments, "OOO", &starts, &data, &rows)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data), row_bytes(rows);
    const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
    std::vector<int32_t> ends{0};
    std::string taken;
    for (const int64_t row : row_bytes.as<int64_t>()) {
      must_fit(row >= 0 && size_t(row) < texts.size());
      taken += texts[size_t(row)];
      must_fit(taken.size() <= size_t(INT32_MAX));
      ends.push_back(int32_t(taken.size()));
    }
    Owned places(bytes_of(ends)), bytes(bytes_of(taken));
    return PyTuple_Pack(2, places.get(), bytes.get());
  });
}

}  // namespace skord
