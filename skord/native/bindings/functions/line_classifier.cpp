// What Python calls of the line classifier: lines of a page, the elements around them, the network.

#include "bindings/functions.hpp"

#include "line_classifier/element_names.hpp"
#include "line_classifier/element_tree.hpp"
#include "line_classifier/frame_rows.hpp"
#include "line_classifier/line_logits.hpp"
#include "line_classifier/line_network.hpp"
#include "line_classifier/page_lines.hpp"
#include "markdown/images.hpp"

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

struct NetworkCapsule {
  static constexpr const char *kName = "skord.LineNetwork";
  LineNetwork network;
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

// Arrays of numbers where they lie, and what keeps them there.
class Arrays {
 public:
  explicit Arrays(PyObject *list) {
    for (size_t at = 0; at < length_of(list); ++at) {
      held_.push_back(std::make_unique<Bytes>(item_of(list, at)));
      views_.push_back(held_.back()->as<float>());
    }
  }
  const std::vector<Numbers<const float>> &views() const { return views_; }

 private:
  std::vector<std::unique_ptr<Bytes>> held_;
  std::vector<Numbers<const float>> views_;
};

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
    PyObject *capsule, *markdown;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &markdown)) return nullptr;
    const PageReader &reader = value_of<PageCapsule>(capsule).reader;
    const Bytes bytes(markdown);
    const std::vector<uint32_t> codes = characters_without_images(bytes.view());
    const PageLines page = page_lines({codes.data(), codes.size()}, reader);
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
    return tuple_of(numbers.flags, numbers.tokens, numbers.starts, numbers.alike, numbers.unread,
                    numbers.kinds);
  });
}

PyObject *tree_features_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *parents, *flags, *alike, *starts, *kinds, *visible, *words, *owners, *links, *shares;
    Py_ssize_t num_flags, up, up_flags, menu_steps;
    long long frames, menus, menu_links, good_words;
    float good_links;
    if (!PyArg_ParseTuple(arguments, "(OOOOO)(OOOO)(nnn(LLnL)LfO)", &parents, &flags, &alike, &starts,
                          &kinds, &visible, &words, &owners, &links, &num_flags, &up, &up_flags, &frames, &menus,
                          &menu_steps, &menu_links, &good_words, &good_links, &shares)) {
      return nullptr;
    }
    const Bytes of_parents(parents), of_flags(flags), of_alike(alike), of_starts(starts);
    const Bytes of_kinds(kinds);
    const Bytes of_visible(visible), of_words(words), of_owners(owners), of_links(links);
    const Elements elements{of_parents.as<int32_t>(), of_flags.as<int64_t>(),
                            of_alike.as<int64_t>(), of_starts.as<int64_t>(),
                            of_kinds.as<uint8_t>()};
    const ElementLines lines{of_visible.as<int64_t>(), of_words.as<int64_t>(),
                             of_owners.as<int32_t>(), of_links.as<uint8_t>()};
    const TreeSettings settings{size_t(num_flags), size_t(up), size_t(up_flags), frames, menus,
                                size_t(menu_steps), menu_links, good_words, good_links,
                                Bytes(shares).numbers<float>()};
    const Tree tree = tree_of(elements, lines, settings);
    return tuple_of(leaf_rows(tree, elements, settings), line_rows(tree, elements, lines, settings),
                    tree.path, tree.steps, tree.path_starts, tree.leaves, kin_of(tree, elements),
                    framed_lines(tree, elements, lines, settings), kinds_of_lines(elements, lines));
  });
}

PyObject *line_network_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *arrays, *dilations;
    Py_ssize_t width, word_width, element_width, heads, types;
    float nearer, limit;
    if (!PyArg_ParseTuple(arguments, "O!(nnnnn)Off", &PyList_Type, &arrays, &width, &word_width,
                          &element_width, &heads, &types, &dilations, &nearer, &limit)) {
      return nullptr;
    }
    const Bytes steps(dilations);
    const auto steps_apart = steps.as<int64_t>();
    const NetworkSizes sizes{size_t(width), size_t(word_width), size_t(element_width),
                             size_t(heads), size_t(types),
                             {steps_apart.begin(), steps_apart.end()}, nearer, limit};
    return capsule_of(new NetworkCapsule{LineNetwork(Arrays(arrays).views(), sizes)});
  });
}

PyObject *judge_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *dense, *buckets, *starts, *context;
    if (!PyArg_ParseTuple(arguments, "O(OOO)O", &capsule, &dense, &buckets, &starts, &context)) {
      return nullptr;
    }
    const LineNetwork &network = value_of<NetworkCapsule>(capsule).network;
    const Bytes of_lines(dense), of_words(buckets), where(starts);
    const NetworkLines lines{of_lines.as<float>(), of_words.as<int64_t>(), where.as<int64_t>()};
    if (context == Py_None) {
      const Judgement judgement = network.judge(lines, nullptr);
      return tuple_of(judgement.logits, judgement.types);
    }
    if (!PyTuple_Check(context)) must_fit(false);
    PyObject *leaf, *line, *tokens, *token_starts, *path, *steps, *path_starts, *leaves;
    long long page_element;
    if (!PyArg_ParseTuple(context, "OOOOOOOOL", &leaf, &line, &tokens, &token_starts, &path,
                          &steps, &path_starts, &leaves, &page_element)) {
      return nullptr;
    }
    const Bytes by_leaf(leaf), by_line(line), names(tokens), name_starts(token_starts);
    const Bytes above(path), how_far(steps), paths(path_starts), of_leaves(leaves);
    const NetworkContext html{by_leaf.as<float>(),      by_line.as<float>(),
                              names.as<int64_t>(),      name_starts.as<int64_t>(),
                              above.as<int64_t>(),      how_far.as<int64_t>(),
                              paths.as<int64_t>(),      of_leaves.as<int64_t>(),
                              page_element};
    const Judgement judgement = network.judge(lines, &html);
    return tuple_of(judgement.logits, judgement.types);
  });
}

PyObject *framing_rows_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *visible, *words, *links, *controls, *framed;
    int leads_away;
    RowLimits of;
    long long longest, signs, words_a_sentence;
    if (!PyArg_ParseTuple(arguments, "O(OOOOO)p(LffLffLf)", &markdown, &visible, &words, &links, &controls,
                          &framed, &leads_away, &longest, &of.controlled, &of.linked, &signs, &of.trail,
                          &of.options, &words_a_sentence, &of.leading_away)) {
      return nullptr;
    }
    of.longest_controls = longest;
    of.signs = signs;
    of.words_a_sentence = words_a_sentence;
    const Bytes page(markdown), numbers(visible), counts(words), linked(links), pressed(controls), menus(framed);
    const RowLines rows{numbers.as<int64_t>(), counts.as<int64_t>(), linked.as<float>(), pressed.as<float>(),
                        menus.as<uint8_t>()};
    return bytes_of(framing_rows(lines_of(page.view()), rows, leads_away != 0, of));
  });
}

PyObject *drawn_to_headings_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *markdown, *visible, *logits, *links;
    Drawing drawing;
    if (!PyArg_ParseTuple(arguments, "OOOO(fffff)", &markdown, &visible, &logits, &links, &drawing.share,
                          &drawing.least, &drawing.farthest, &drawing.most_linked, &drawing.step)) {
      return nullptr;
    }
    const Bytes page(markdown), numbers(visible), of_lines(logits), linked(links);
    return bytes_of(drawn_to_headings(page.view(), numbers.as<int64_t>(), of_lines.as<float>(),
                                      linked.as<float>(), drawing));
  });
}

PyObject *chances_of_py(PyObject *, PyObject *logits) {
  return guarded([&] { return bytes_of(chances_of(Bytes(logits).as<float>())); });
}

PyObject *smoothed_logits_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *logits, *words, *groups, *shares;
    double rest, surest;
    float step;
    if (!PyArg_ParseTuple(arguments, "OOOOddf", &logits, &words, &groups, &shares, &rest, &surest,
                          &step)) {
      return nullptr;
    }
    const Bytes of_lines(logits), counts(words), kin(groups), parts(shares);
    return bytes_of(smoothed(of_lines.as<float>(), counts.as<int64_t>(), kin.as<int64_t>(),
                             {parts.as<double>(), rest, surest, step}));
  });
}

PyObject *with_blank_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *lines, *logits;
    Py_ssize_t line_count;
    float blank;
    if (!PyArg_ParseTuple(arguments, "OOnf", &lines, &logits, &line_count, &blank)) return nullptr;
    const Bytes numbers(lines), of_lines(logits);
    must_fit(line_count >= 0);
    return bytes_of(with_blank_lines(numbers.as<int64_t>(), of_lines.as<float>(),
                                     size_t(line_count), blank));
  });
}

}  // namespace skord
