// What Python calls on pages and lines.

#include "bindings/functions.hpp"

#include <string>

#include "html/references.hpp"
#include "text/lines.hpp"
#include "markdown/line_words.hpp"
#include "markdown/mojibake.hpp"
#include "markdown/plain_lines.hpp"
#include "text/wet_record.hpp"

namespace skord {

namespace {

struct CharTableCapsule {
  static constexpr const char *kName = "skord.CharTable";
  CharTable table;
};

// Keys of the lines of one body, and the numbers of those that only Python can tell.
void add_keys(const CharTable &table, std::string_view body, std::string &scratch,
              std::vector<uint64_t> &keys, std::vector<Py_ssize_t> &in_context) {
  for (size_t start = 0; start <= body.size();) {
    const size_t end = std::min(body.find('\n', start), body.size());
    scratch.clear();
    if (!table.write(body.substr(start, end - start), scratch)) {
      in_context.push_back(static_cast<Py_ssize_t>(keys.size()));
    }
    keys.push_back(sha1_key(scratch));
    start = end + 1;
  }
}

// Markdown may hold lone surrogates.
PyObject *markdown_of(std::string_view utf8) {
  return PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogatepass");
}

// A list of what `of` makes of each value.
template <class Values, class Of>
PyObject *list_of(const Values &values, Of of) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(values.size())));
  Py_ssize_t at = 0;
  for (const auto &value : values) {
    if (PyList_SetItem(list.get(), at++, Owned(of(value)).release()) != 0) throw PythonError();
  }
  return list.release();
}

}  // namespace

PyObject *plain_page_py(PyObject *, PyObject *markdown) {
  return guarded([&]() -> PyObject * {
    const Bytes bytes(markdown);
    return list_of(plain_page(bytes.view(), html::unescaped), markdown_of);
  });
}

PyObject *count_line_words_py(PyObject *, PyObject *markdown) {
  return guarded([&] { return bytes_of(count_line_words(Bytes(markdown).view())); });
}

PyObject *lines_perhaps_alike_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown;
    Py_ssize_t least_words;
    if (!PyArg_ParseTuple(arguments, "On", &markdown, &least_words)) return nullptr;
    must_fit(least_words >= 0);
    return bytes_of(lines_perhaps_alike(Bytes(markdown).view(), size_t(least_words)));
  });
}

PyObject *partly_mended_py(PyObject *, PyObject *text) {
  return guarded([&] {
    const Bytes bytes(text);
    const PartlyMended found = partly_mended(bytes.view());
    Owned mended(markdown_of(found.text)), doubtful(list_of(found.doubtful, PyLong_FromSize_t));
    return PyTuple_Pack(2, mended.get(), doubtful.get());
  });
}

PyObject *split_page_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *block;
    int exact;
    if (!PyArg_ParseTuple(arguments, "Sp", &block, &exact)) return nullptr;
    std::string scratch;
    const SplitPage page = split_page(Bytes(block).view(), exact != 0, scratch);
    Owned title(str_of(page.title)), body(bytes_of(page.body));
    return Py_BuildValue("OOnn", title.get(), body.get(), Py_ssize_t(page.num_lines),
                         Py_ssize_t(num_chars(page.body)));
  });
}

PyObject *wet_record_py(PyObject *, PyObject *data) {
  return guarded([&]() -> PyObject * {
    const Bytes bytes(data);
    const std::optional<WetRecord> found = wet_record(bytes.view());
    if (!found) Py_RETURN_NONE;
    const std::string_view values[] = {found->type,      found->url,    found->id,
                                       found->refers_to, found->date,   found->languages,
                                       found->digest};
    Owned tuple(PyTuple_New(8));
    for (Py_ssize_t at = 0; at < 7; ++at) {
      Owned value(str_of(values[at]));
      if (PyTuple_SetItem(tuple.get(), at, value.release()) != 0) return nullptr;
    }
    Owned block(bytes_of(found->block));
    if (PyTuple_SetItem(tuple.get(), 7, block.release()) != 0) return nullptr;
    return tuple.release();
  });
}

PyObject *char_table_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *blocks, *entries;
    if (!PyArg_ParseTuple(arguments, "OO", &blocks, &entries)) return nullptr;
    CharTable table(Bytes(blocks).numbers<int32_t>(), Bytes(entries).numbers<uint64_t>());
    return capsule_of(new CharTableCapsule{std::move(table)});
  });
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
    const CharTable &table = value_of<CharTableCapsule>(capsule).table;
    std::vector<uint64_t> keys;
    std::vector<Py_ssize_t> in_context;
    std::string scratch;
    for (size_t at = 0; at < length_of(bodies); ++at) {
      add_keys(table, Bytes(item_of(bodies, at)).view(), scratch, keys, in_context);
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

PyObject *sha1_key_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *data;
    int plainly;
    if (!PyArg_ParseTuple(arguments, "Sp", &data, &plainly)) return nullptr;
    const Bytes bytes(data);
    const uint64_t key = plainly ? sha1_key_plainly(bytes.view()) : sha1_key(bytes.view());
    return PyLong_FromUnsignedLongLong(key);
  });
}

PyObject *keep_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *body, *mask;
    Py_ssize_t first, count;
    if (!PyArg_ParseTuple(arguments, "SOnn", &body, &mask, &first, &count)) return nullptr;
    const Bytes body_bytes(body), mask_bytes(mask);
    const std::string_view text = body_bytes.view(), kept = mask_bytes.view();
    if (first < 0 || count < 0 || size_t(first) + size_t(count) > kept.size()) {
      throw std::invalid_argument("the mask is shorter than the lines");
    }
    Owned ids(PyList_New(0));
    std::string out;
    out.reserve(text.size());
    size_t start = 0;
    for (Py_ssize_t line = 0; line < count; ++line) {
      if (start > text.size()) throw std::invalid_argument("fewer lines than stated");
      const size_t end = std::min(text.find('\n', start), text.size());
      if (kept[size_t(first + line)]) {
        Owned number(PyLong_FromSsize_t(line));
        if (PyList_Append(ids.get(), number.get()) != 0) return nullptr;
        if (PyList_Size(ids.get()) > 1) out.push_back('\n');
        out.append(text, start, end - start);
      }
      start = end + 1;
    }
    Owned joined(str_of(out));
    return PyTuple_Pack(2, ids.get(), joined.get());
  });
}

}  // namespace skord
