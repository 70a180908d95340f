// What Python calls on the lines of a page's Markdown and the elements around them.

#include "functions.hpp"

#include "element_names.hpp"
#include "line_arrays.hpp"
#include "line_network.hpp"

namespace skord {

namespace {

struct TablesCapsule {
  static constexpr const char *kName = "skord.CharacterTables";
  CharacterTables tables;
};

struct ElementsCapsule {
  static constexpr const char *kName = "skord.ElementReader";
  ElementReader reader;
};

template <class... T>
PyObject *tuple_of(const T &...arrays) {
  Owned tuple(PyTuple_New(sizeof...(arrays)));
  Py_ssize_t at = 0;
  const auto add = [&](PyObject *bytes) {
    if (PyTuple_SetItem(tuple.get(), at++, Owned(bytes).release()) != 0) throw PythonError();
  };
  (add(bytes_of(arrays)), ...);
  return tuple.release();
}

const float *numbers_of(const Bytes &bytes) {
  return reinterpret_cast<const float *>(bytes.view().data());
}

}  // namespace

PyObject *character_tables_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *groups, *small, *kinds;
    if (!PyArg_ParseTuple(arguments, "OOO", &groups, &small, &kinds)) return nullptr;
    return capsule_of(new TablesCapsule{character_tables(Bytes(groups).numbers<uint8_t>(),
                                                         Bytes(small).numbers<uint32_t>(),
                                                         Bytes(kinds).numbers<uint8_t>())});
  });
}

PyObject *line_arrays_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *codes;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &codes)) return nullptr;
    const LineArrays found = line_arrays(Bytes(codes).numbers<uint32_t>(),
                                         value_of<TablesCapsule>(capsule).tables);
    return tuple_of(found.groups, found.lines, found.starts, found.ends, found.first, found.last,
                    found.counts, found.word_at, found.word_line, found.hashes);
  });
}

PyObject *element_reader_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *tags, *families;
    long long buckets;
    if (!PyArg_ParseTuple(arguments, "OOL", &tags, &families, &buckets)) return nullptr;
    const Texts tag_texts(tags), family_texts(families);
    return capsule_of(
        new ElementsCapsule{ElementReader(tag_texts.views(), family_texts.views(), buckets)});
  });
}

PyObject *read_elements_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *elements;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &elements)) return nullptr;
    const Texts texts(elements);
    const ElementNumbers found = value_of<ElementsCapsule>(capsule).reader.read(texts.views());
    return tuple_of(found.flags, found.tokens, found.starts, found.alike, found.unread);
  });
}

PyObject *ways_up_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *parents, *used;
    if (!PyArg_ParseTuple(arguments, "OO", &parents, &used)) return nullptr;
    const Ways found =
        ways_up(Bytes(parents).numbers<int32_t>(), Bytes(used).numbers<int64_t>());
    return tuple_of(found.nodes, found.steps, found.starts);
  });
}

PyObject *sums_of_rows_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *rows, *numbers, *starts, *shares;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "OnOOO", &rows, &width, &numbers, &starts, &shares)) {
      return nullptr;
    }
    if (width <= 0) throw std::invalid_argument("rows have a width");
    const Bytes values(rows);
    const size_t count = values.view().size() / (size_t(width) * sizeof(float));
    const Rows table{numbers_of(values), count, size_t(width)};
    return bytes_of(sums_of_rows(table, Bytes(numbers).numbers<int64_t>(),
                                 Bytes(starts).numbers<int64_t>(),
                                 Bytes(shares).numbers<float>()));
  });
}

PyObject *multiplied_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *left, *right;
    Py_ssize_t count, inner;
    if (!PyArg_ParseTuple(arguments, "OOnn", &left, &right, &count, &inner)) return nullptr;
    const Bytes lefts(left), rights(right);
    if (count <= 0 || inner <= 0) throw std::invalid_argument("matrices have rows and columns");
    const size_t step = size_t(count) * size_t(inner) * sizeof(float);
    const size_t rows = lefts.view().size() / step, columns = rights.view().size() / step;
    if (lefts.view().size() != rows * step || rights.view().size() != columns * step ||
        columns % kLane != 0) {
      throw std::invalid_argument("matrices do not fit one another");
    }
    return bytes_of(multiplied({numbers_of(lefts), size_t(count), rows, size_t(inner)},
                               {numbers_of(rights), size_t(count), size_t(inner), columns}));
  });
}

PyObject *convolved_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *vectors, *weights, *biases;
    Py_ssize_t dilation;
    if (!PyArg_ParseTuple(arguments, "OOOn", &vectors, &weights, &biases, &dilation)) {
      return nullptr;
    }
    constexpr size_t kWidth = Convolution::kWidth, kRow = kWidth * sizeof(float);
    const Bytes lines(vectors), matrices(weights), added(biases);
    const size_t networks = added.view().size() / kRow, rows = lines.view().size() / kRow;
    if (dilation <= 0 || networks == 0 || rows % networks != 0 ||
        lines.view().size() != rows * kRow || added.view().size() != networks * kRow ||
        matrices.view().size() != networks * 3 * kWidth * kRow) {
      throw std::invalid_argument("vectors and weights do not fit one another");
    }
    return bytes_of(convolved({numbers_of(lines), networks, rows / networks, kWidth},
                              {numbers_of(matrices), numbers_of(added), size_t(dilation)}));
  });
}

}  // namespace skord
