// What Python calls of the line classifier: lines of a page, the elements around them, the network.

#include "bindings/functions.hpp"

#include "line_classifier/element_names.hpp"
#include "line_classifier/element_tree.hpp"
#include "line_classifier/line_network.hpp"
#include "line_classifier/page_lines.hpp"

namespace skord {

namespace {

struct PageCapsule {
  static constexpr const char *kName = "skord.PageReader";
  PageReader reader;
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

[[noreturn]] void throw_no_fit() {
  throw std::invalid_argument("matrices do not fit one another");
}

// The product of sizes that come from outside, which may be more than a number holds.
size_t size_of(const std::vector<size_t> &sizes) {
  size_t total = 1;
  for (const size_t size : sizes) {
    if (__builtin_mul_overflow(total, size, &total)) throw_no_fit();
  }
  return total;
}

// The one axis of an array of floats that is not told, from those that are, which are positive.
struct Shape {
  size_t rest;

  Shape(const Bytes &array, const std::vector<Py_ssize_t> &others) {
    std::vector<size_t> sizes = {sizeof(float)};
    for (const Py_ssize_t other : others) {
      if (other <= 0) throw_no_fit();
      sizes.push_back(size_t(other));
    }
    const size_t step = size_of(sizes);
    rest = array.view().size() / step;
    if (array.view().size() % step != 0) throw_no_fit();
  }
};

// bytes for an array of floats, to be filled.
PyObject *room_for(std::vector<size_t> shape) {
  shape.push_back(sizeof(float));
  const size_t size = size_of(shape);
  if (size > size_t(PY_SSIZE_T_MAX)) throw_no_fit();
  return PyBytes_FromStringAndSize(nullptr, Py_ssize_t(size));
}

float *numbers_in(const Owned &bytes) {
  return reinterpret_cast<float *>(PyBytes_AsString(bytes.get()));
}

}  // namespace

PyObject *page_reader_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *groups, *small;
    Py_ssize_t num_groups;
    long long buckets, most_words;
    if (!PyArg_ParseTuple(arguments, "OOnLL", &groups, &small, &num_groups, &buckets,
                          &most_words)) {
      return nullptr;
    }
    return capsule_of(new PageCapsule{
        PageReader(Bytes(groups).numbers<uint8_t>(), Bytes(small).numbers<uint32_t>(),
                   size_t(num_groups), buckets, most_words)});
  });
}

PyObject *read_page_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *codes;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &codes)) return nullptr;
    const PageReader &reader = value_of<PageCapsule>(capsule).reader;
    const Bytes bytes(codes);
    const PageLines page = page_lines(bytes.as<uint32_t>(), reader);
    std::vector<int64_t> numbers, words;
    for (const Line &line : page.lines) {
      numbers.push_back(line.number);
      words.push_back(line.words);
    }
    return tuple_of(numbers, page_rows(page, reader), page.buckets, page.starts, words);
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
    const ElementNumbers numbers = value_of<ElementsCapsule>(capsule).reader.read(texts.views());
    return tuple_of(numbers.flags, numbers.tokens, numbers.starts, numbers.alike, numbers.unread);
  });
}

PyObject *tree_features_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *parents, *flags, *alike, *visible, *words, *owners, *links, *shares;
    Py_ssize_t num_flags, up, up_flags;
    long long frames, good_words;
    float good_links;
    if (!PyArg_ParseTuple(arguments, "(OOO)(OOOO)(nnnLLfO)", &parents, &flags, &alike, &visible,
                          &words, &owners, &links, &num_flags, &up, &up_flags, &frames,
                          &good_words, &good_links, &shares)) {
      return nullptr;
    }
    const Bytes of_parents(parents), of_flags(flags), of_alike(alike);
    const Bytes of_visible(visible), of_words(words), of_owners(owners), of_links(links);
    const Elements elements{of_parents.as<int32_t>(), of_flags.as<int64_t>(),
                            of_alike.as<int64_t>()};
    const ElementLines lines{of_visible.as<int64_t>(), of_words.as<int64_t>(),
                             of_owners.as<int32_t>(), of_links.as<uint8_t>()};
    const TreeSettings settings{size_t(num_flags), size_t(up),  size_t(up_flags), frames,
                                good_words,        good_links, Bytes(shares).numbers<float>()};
    const Tree tree = tree_of(elements, lines, settings);
    return tuple_of(leaf_rows(tree, elements, settings), line_rows(tree, elements, lines, settings),
                    tree.path, tree.steps, tree.path_starts, tree.leaves, kin_of(tree, elements),
                    framed_lines(tree, elements, frames));
  });
}

PyObject *sums_of_rows_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *rows, *numbers, *starts, *shares;
    Py_ssize_t width;
    if (!PyArg_ParseTuple(arguments, "OnOOO", &rows, &width, &numbers, &starts, &shares)) {
      return nullptr;
    }
    const Bytes values(rows);
    const size_t count = Shape(values, {width}).rest;
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
    const Shape of_left(lefts, {count, inner}), of_right(rights, {count, inner});
    if (of_right.rest % kLane != 0) throw_no_fit();
    Owned product(room_for({size_t(count), of_left.rest, of_right.rest}));
    multiply({numbers_of(lefts), size_t(count), of_left.rest, size_t(inner)},
             {numbers_of(rights), size_t(count), size_t(inner), of_right.rest},
             numbers_in(product));
    return product.release();
  });
}

PyObject *scaled_product_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *first, *second, *means, *scales, *weights;
    Py_ssize_t width, rest;
    float limit;
    if (!PyArg_ParseTuple(arguments, "OnOnOOOf", &first, &width, &second, &rest, &means, &scales,
                          &weights, &limit)) {
      return nullptr;
    }
    if (width <= 0 || rest < 0 || rest > PY_SSIZE_T_MAX - width) throw_no_fit();
    const Bytes firsts(first), seconds(second), mean(means), scale(scales), matrix(weights);
    const size_t rows = Shape(firsts, {width}).rest;
    const bool fits = rest == 0 ? seconds.view().empty() : Shape(seconds, {rest}).rest == rows;
    const size_t columns = Shape(matrix, {width + rest}).rest;
    if (!fits || columns % kLane != 0 || Shape(mean, {width + rest}).rest != 1 ||
        Shape(scale, {width + rest}).rest != 1) {
      throw_no_fit();
    }
    Owned product(room_for({rows, columns}));
    multiply_scaled({numbers_of(firsts), 1, rows, size_t(width)},
                    {numbers_of(seconds), 1, rows, size_t(rest)},
                    {numbers_of(mean), numbers_of(scale), limit},
                    {numbers_of(matrix), 1, size_t(width + rest), columns}, numbers_in(product));
    return product.release();
  });
}

PyObject *convolved_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *vectors, *weights, *biases;
    Py_ssize_t width, dilation;
    if (!PyArg_ParseTuple(arguments, "OOOnn", &vectors, &weights, &biases, &width, &dilation)) {
      return nullptr;
    }
    if (width <= 0 || size_t(width) % kLane != 0 || dilation <= 0) throw_no_fit();
    const Bytes lines(vectors), matrices(weights), added(biases);
    const size_t networks = Shape(added, {width}).rest;
    if (networks == 0) throw_no_fit();
    const Py_ssize_t members = Py_ssize_t(networks);
    const size_t rows = Shape(lines, {members, width}).rest;
    if (Shape(matrices, {members, 3, width, width}).rest != 1) throw_no_fit();
    Owned result(room_for({networks, rows, size_t(width)}));
    convolve({numbers_of(lines), networks, rows, size_t(width)},
             {numbers_of(matrices), numbers_of(added), size_t(dilation)}, numbers_in(result));
    return result.release();
  });
}

}  // namespace skord
