// What Python calls on many texts at once, as Arrow holds them.

#include "bindings/functions.hpp"
#include "dedup/sketches.hpp"

namespace skord {

PyObject *sketches_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *table, *out, *valid;
    unsigned long long shingle_chars, bins;
    if (!PyArg_ParseTuple(arguments, "OOOKKOO", &starts, &data, &table, &shingle_chars, &bins,
                          &out, &valid)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), table_bytes(table);
    const Room out_room(out), valid_room(valid);
    const auto points = table_bytes.as<uint32_t>();
    must_fit(points.size == kCodePoints);
    without_python([&] {
      const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
      sketch(texts, points.data, shingle_chars, bins, out_room.as<uint8_t>(),
             valid_room.as<uint8_t>());
    });
    Py_RETURN_NONE;
  });
}

PyObject *digests_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *out;
    if (!PyArg_ParseTuple(arguments, "OOO", &starts, &data, &out)) return nullptr;
    const Bytes start_bytes(starts), text_bytes(data);
    const Room out_room(out);
    const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
    const auto digests = out_room.as<uint64_t>();
    must_fit(digests.size == texts.size());
    for (size_t text = 0; text < texts.size(); ++text) digests[text] = xxh64(texts[text]);
    Py_RETURN_NONE;
  });
}

PyObject *published_keys_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *table, *a, *b, *c, *out, *made, *odd;
    unsigned long long z, bands;
    if (!PyArg_ParseTuple(arguments, "OOOOOOKKOOO", &starts, &data, &table, &a, &b, &c, &z,
                          &bands, &out, &made, &odd)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), table_bytes(table);
    const Bytes a_bytes(a), b_bytes(b), c_bytes(c);
    const Room out_room(out), made_room(made), odd_room(odd);
    const auto points = table_bytes.as<uint32_t>();
    must_fit(points.size == kCodePoints);
    without_python([&] {
      const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
      const PublishedNumbers numbers{a_bytes.as<uint64_t>(), b_bytes.as<uint64_t>(),
                                     c_bytes.as<uint64_t>(), z};
      published_keys(texts, points.data, numbers, bands, out_room.as<uint64_t>(),
                     made_room.as<uint8_t>(), odd_room.as<uint8_t>());
    });
    Py_RETURN_NONE;
  });
}

}  // namespace skord
