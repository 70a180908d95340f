// What Python calls to find runs of tokens that texts share with one another or with a table.

#include "bindings/functions.hpp"
#include "dedup/passages.hpp"
#include "dedup/word_grams.hpp"

namespace skord {

PyObject *passage_anchors_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOK", &starts, &data, &length)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data);
    Anchors found;
    without_python([&] {
      found = passage_anchors({start_bytes.as<uint64_t>(), text_bytes.view()}, length);
    });
    Owned keys(bytes_of(found.keys)), texts(bytes_of(found.texts)), places(bytes_of(found.places));
    return PyTuple_Pack(3, keys.get(), texts.get(), places.get());
  });
}

PyObject *passage_prints_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *texts, *places;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOKOO", &starts, &data, &length, &texts, &places)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), of_texts(texts), place_bytes(places);
    Prints found;
    without_python([&] {
      found = passage_prints({start_bytes.as<uint64_t>(), text_bytes.view()}, length,
                             of_texts.as<uint32_t>(), place_bytes.as<uint32_t>());
    });
    Owned high(bytes_of(found.high)), low(bytes_of(found.low)), where(bytes_of(found.texts));
    Owned begin(bytes_of(found.places));
    return PyTuple_Pack(4, high.get(), low.get(), where.get(), begin.get());
  });
}

PyObject *word_grams_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOK", &starts, &data, &length)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data);
    std::vector<uint64_t> found;
    std::vector<uint32_t> sizes;
    without_python([&] {
      found = word_grams({start_bytes.as<uint64_t>(), text_bytes.view()}, length, sizes);
    });
    Owned hashes(bytes_of(found)), counts(bytes_of(sizes));
    return PyTuple_Pack(2, hashes.get(), counts.get());
  });
}

PyObject *gram_hits_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *hashes, *numbers;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOKOO", &starts, &data, &length, &hashes, &numbers)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), hash_bytes(hashes), number_bytes(numbers);
    const GramTable table{hash_bytes.as<uint64_t>(), number_bytes.as<uint32_t>()};
    GramHits found;
    without_python([&] {
      found = gram_hits({start_bytes.as<uint64_t>(), text_bytes.view()}, length, table);
    });
    Owned grams(bytes_of(found.grams)), texts(bytes_of(found.texts)), words(bytes_of(found.words));
    Owned first(bytes_of(found.starts)), last(bytes_of(found.ends));
    return PyTuple_Pack(5, grams.get(), texts.get(), words.get(), first.get(), last.get());
  });
}

}  // namespace skord
