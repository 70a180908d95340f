// What Python calls to have texts read by a chunk grammar.

#include "grammar/chunks.hpp"
#include "bindings/functions.hpp"

namespace skord {

namespace {

struct ReaderCapsule {
  static constexpr const char *kName = "skord.ChunkReader";
  ChunkReader reader;
};

// A piece of a text to the classes of its tokens, by a function of Python.
ChunkReader::Classify classified_by(PyObject *function) {
  return [function](std::string_view piece) {
    Owned text(PyUnicode_DecodeUTF8(piece.data(), Py_ssize_t(piece.size()), "surrogatepass"));
    Owned classes(PyObject_CallFunctionObjArgs(function, text.get(), nullptr));
    return Bytes(classes.get()).numbers<int32_t>();
  };
}

}  // namespace

PyObject *chunk_reader_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *chunks;
    Py_ssize_t max_remembered;
    if (!PyArg_ParseTuple(arguments, "On", &chunks, &max_remembered)) return nullptr;
    if (max_remembered < 0) throw std::invalid_argument("max_remembered is negative");
    const NumberList rows = Bytes(chunks).numbers<int32_t>();
    return capsule_of(new ReaderCapsule{ChunkReader(rows, size_t(max_remembered))});
  });
}

PyObject *add_word_class_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *tags;
    int known, content, guessed;
    if (!PyArg_ParseTuple(arguments, "OOppp", &capsule, &tags, &known, &content, &guessed)) {
      return nullptr;
    }
    value_of<ReaderCapsule>(capsule).reader.add_class(
        {Bytes(tags).numbers<int32_t>(), known != 0, content != 0, guessed != 0});
    Py_RETURN_NONE;
  });
}

PyObject *count_chunks_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *text, *classify;
    if (!PyArg_ParseTuple(arguments, "OSO", &capsule, &text, &classify)) return nullptr;
    ChunkReader &reader = value_of<ReaderCapsule>(capsule).reader;
    const NumberList numbers = reader.read(Bytes(text).view(), classified_by(classify));
    const ChunkCounts counts = reader.select(numbers, nullptr);
    const auto n = [&](size_t length) { return Py_ssize_t(counts.by_length[length]); };
    return Py_BuildValue("nnn(nnnnnn)n", Py_ssize_t(counts.words), Py_ssize_t(counts.known),
                         Py_ssize_t(counts.known - counts.content), Py_ssize_t(0), n(1), n(2), n(3),
                         n(4), n(5), Py_ssize_t(counts.numbers));
  });
}

PyObject *list_chunks_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *text, *classify;
    if (!PyArg_ParseTuple(arguments, "OSO", &capsule, &text, &classify)) return nullptr;
    ChunkReader &reader = value_of<ReaderCapsule>(capsule).reader;
    std::vector<ChunkSpan> spans;
    reader.select(reader.read(Bytes(text).view(), classified_by(classify)), &spans);
    Owned result(PyList_New(0));
    for (const ChunkSpan &span : spans) {
      Owned pair(Py_BuildValue("nn", Py_ssize_t(span.at), Py_ssize_t(span.length)));
      if (PyList_Append(result.get(), pair.get()) != 0) return nullptr;
    }
    return result.release();
  });
}

}  // namespace skord
