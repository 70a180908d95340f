// What Python calls to find runs of tokens that texts share with one another or with a table.

#include "bindings/functions.hpp"
#include "dedup/item_matches.hpp"
#include "dedup/passages.hpp"
#include "dedup/word_grams.hpp"

namespace skord {

namespace {

// Words of a run, and the tables of words and of runs: hashes and numbers of each.
class HeldIndex {
 public:
  explicit HeldIndex(PyObject *parts)
      : length_(PyLong_AsUnsignedLongLong(part(parts, 0))),
        word_hashes_(part(parts, 1)),
        word_numbers_(part(parts, 2)),
        gram_hashes_(part(parts, 3)),
        gram_numbers_(part(parts, 4)) {
    if (PyErr_Occurred()) throw PythonError();
  }
  ItemWords words() const {
    return {length_,
            {word_hashes_.as<uint64_t>(), word_numbers_.as<uint32_t>()},
            {gram_hashes_.as<uint64_t>(), gram_numbers_.as<uint32_t>()}};
  }

 private:
  static PyObject *part(PyObject *parts, Py_ssize_t at) {
    PyObject *part = PyTuple_GetItem(parts, at);
    if (part == nullptr) throw PythonError();
    return part;
  }
  size_t length_;
  Bytes word_hashes_, word_numbers_, gram_hashes_, gram_numbers_;
};

}  // namespace

PyObject *passage_anchors_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOK", &starts, &data, &length)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data);
    Anchors result;
    without_python([&] {
      result = passage_anchors({start_bytes.as<uint64_t>(), text_bytes.view()}, length);
    });
    Owned keys(bytes_of(result.keys)), texts(bytes_of(result.texts));
    Owned places(bytes_of(result.places));
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
    Prints result;
    without_python([&] {
      result = passage_prints({start_bytes.as<uint64_t>(), text_bytes.view()}, length,
                             of_texts.as<uint32_t>(), place_bytes.as<uint32_t>());
    });
    Owned high(bytes_of(result.high)), low(bytes_of(result.low)), where(bytes_of(result.texts));
    Owned begin(bytes_of(result.places));
    return PyTuple_Pack(4, high.get(), low.get(), where.get(), begin.get());
  });
}

PyObject *word_grams_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data;
    unsigned long long length;
    if (!PyArg_ParseTuple(arguments, "OOK", &starts, &data, &length)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data);
    std::vector<uint64_t> result;
    std::vector<uint32_t> sizes;
    without_python([&] {
      result = word_grams({start_bytes.as<uint64_t>(), text_bytes.view()}, length, sizes);
    });
    Owned hashes(bytes_of(result)), counts(bytes_of(sizes));
    return PyTuple_Pack(2, hashes.get(), counts.get());
  });
}

PyObject *item_frequencies_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *index;
    unsigned long long num_words, num_grams;
    if (!PyArg_ParseTuple(arguments, "OOOKK", &starts, &data, &index, &num_words, &num_grams)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data);
    const HeldIndex held(index);
    Frequencies result;
    without_python([&] {
      result = item_frequencies({start_bytes.as<uint64_t>(), text_bytes.view()}, held.words(),
                               num_words, num_grams);
    });
    Owned words(bytes_of(result.words)), grams(bytes_of(result.grams));
    return PyTuple_Pack(2, words.get(), grams.get());
  });
}

PyObject *item_matches_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *index, *first, *items, *places, *seeds, *item_first, *words;
    PyObject *evidence, *weights;
    Least least;
    if (!PyArg_ParseTuple(arguments, "OOO(OOOOOOOO)(ffff)", &starts, &data, &index, &first, &items,
                          &places, &seeds, &item_first, &words, &evidence, &weights,
                          &least.stretch, &least.evidence, &least.missing, &least.score)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), firsts(first), of(items), at(places);
    const Bytes seed_bytes(seeds), item_firsts(item_first), word_bytes(words);
    const Bytes evidence_bytes(evidence), weight_bytes(weights);
    const HeldIndex held(index);
    const Items known{firsts.as<uint32_t>(),       of.as<uint32_t>(),
                      at.as<uint32_t>(),           seed_bytes.as<float>(),
                      item_firsts.as<uint32_t>(),  word_bytes.as<uint32_t>(),
                      evidence_bytes.as<float>(),  weight_bytes.as<float>()};
    ItemMatches result;
    without_python([&] {
      result = item_matches({start_bytes.as<uint64_t>(), text_bytes.view()}, held.words(), known,
                           least);
    });
    Owned texts(bytes_of(result.texts)), which(bytes_of(result.items));
    Owned from(bytes_of(result.starts)), to(bytes_of(result.ends));
    Owned scores(bytes_of(result.scores)), sums(bytes_of(result.evidence));
    return PyTuple_Pack(6, texts.get(), which.get(), from.get(), to.get(), scores.get(),
                        sums.get());
  });
}

}  // namespace skord
