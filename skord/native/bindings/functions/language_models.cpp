// What Python calls on models.

#include "bindings/functions.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "language_models/language_model.hpp"
#include "language_models/word_scores.hpp"
#include "text/arrow_texts.hpp"
#include "text/utf8.hpp"
#include "text/unicode.hpp"

namespace skord {

namespace {

struct PiecesCapsule {
  static constexpr const char *kName = "skord.Pieces";
  std::shared_ptr<const UnigramModel> model;
};

struct ModelCapsule {
  static constexpr const char *kName = "skord.LanguageModel";
  ModelCapsule(std::shared_ptr<const UnigramModel> pieces, PyObject *ngrams, uint64_t max_unpacked)
      : file(ngrams), model(std::move(pieces), file.view(), max_unpacked) {}
  Bytes file;  // the n-grams stay where they lie
  LanguageModel model;
};

struct WordScoresCapsule {
  static constexpr const char *kName = "skord.WordScores";
  WordScores scores;
};

std::vector<std::string> words_of(PyObject *list) {
  std::vector<std::string> words;
  for (size_t at = 0; at < length_of(list); ++at) {
    words.emplace_back(Bytes(item_of(list, at)).view());
  }
  return words;
}

}  // namespace

PyObject *load_pieces_py(PyObject *, PyObject *file) {
  return guarded([&]() -> PyObject * {
    return capsule_of(new PiecesCapsule{std::make_shared<const UnigramModel>(Bytes(file).view())});
  });
}

PyObject *load_language_model_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *pieces, *ngrams;
    unsigned long long max_unpacked;
    if (!PyArg_ParseTuple(arguments, "OOK", &pieces, &ngrams, &max_unpacked)) return nullptr;
    const auto &loaded = value_of<PiecesCapsule>(pieces).model;
    return capsule_of(new ModelCapsule(loaded, ngrams, max_unpacked));
  });
}

PyObject *score_lines_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *lines;
    if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyList_Type, &lines)) return nullptr;
    const LanguageModel &model = value_of<ModelCapsule>(capsule).model;
    const Texts held(lines);
    const std::vector<std::string_view> &texts = held.views();
    std::vector<LineScore> scores(texts.size());
    without_python([&] {
      LanguageModel::Scratch scratch;
      for (size_t at = 0; at < texts.size(); ++at) scores[at] = model.score(texts[at], scratch);
    });
    Owned result(PyList_New(static_cast<Py_ssize_t>(scores.size())));
    for (size_t at = 0; at < scores.size(); ++at) {
      Owned pair(Py_BuildValue("nd", Py_ssize_t(scores[at].num_pieces),
                               double(scores[at].log10_probability)));
      if (PyList_SetItem(result.get(), Py_ssize_t(at), pair.release()) != 0) return nullptr;
    }
    return result.release();
  });
}

PyObject *word_scores_py(PyObject *, PyObject *arguments) {
  constexpr Py_ssize_t kMostWords = 1 << 26;  // room for their sums is asked for at once
  return guarded([&]() -> PyObject * {
    PyObject *words, *buckets, *vectors, *nodes, *lefts, *rights;
    Py_ssize_t width, max_words;
    unsigned shortest, longest;
    if (!PyArg_ParseTuple(arguments, "IInO!OOOOOn", &shortest, &longest, &width, &PyList_Type,
                          &words, &buckets, &vectors, &nodes, &lefts, &rights, &max_words)) {
      return nullptr;
    }
    if (width < 1 || max_words < 1 || max_words > kMostWords) {
      throw std::invalid_argument("width is positive, max_words at most 2**26");
    }
    WordModel model{shortest,
                    longest,
                    size_t(width),
                    words_of(words),
                    Bytes(buckets).numbers<int32_t>(),
                    Bytes(vectors).numbers<float>(),
                    Bytes(nodes).numbers<float>(),
                    Bytes(lefts).numbers<int32_t>(),
                    Bytes(rights).numbers<int32_t>()};
    return capsule_of(new WordScoresCapsule{WordScores(std::move(model), size_t(max_words))});
  });
}

namespace {

// The UTF-8 of a str or of bytes.
std::string_view utf8_of_either(PyObject *text) {
  if (!PyBytes_Check(text)) return utf8_of(text);
  return {PyBytes_AsString(text), static_cast<size_t>(PyBytes_Size(text))};
}

// Where each name would stand if they were sorted.
std::vector<uint32_t> ranks_of(const std::vector<std::string_view> &names) {
  std::vector<uint32_t> order(names.size()), ranks(names.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return names[a] < names[b]; });
  for (uint32_t at = 0; at < order.size(); ++at) ranks[order[at]] = at;
  return ranks;
}

bool is_left_to_fasttext(std::string_view text, size_t max_chars) {
  return stripped(text).empty() || num_chars(text) > max_chars || text.find("</s>") != text.npos;
}

// Whether a text has more capitals than small letters; then it is asked about in small ones.
bool is_in_capitals(std::string_view text) {
  size_t capitals = 0, small = 0;
  for (const char byte : text) {
    capitals += byte >= 'A' && byte <= 'Z';
    small += byte >= 'a' && byte <= 'z';
  }
  if (small > capitals && small > text.size() / 8) return false;  // as nearly always
  for (; !text.empty(); text.remove_prefix(first_character(text).size)) {
    const uint32_t code = first_character(text).code;
    if (code < 0x80) continue;
    const bool is_capital = lower(code) != code;
    capitals += is_capital;
    small += !is_capital && is_cased(code);
  }
  return capitals > small;
}

}  // namespace

PyObject *best_labels_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *texts, *names;
    double least, minimum;
    Py_ssize_t max_chars;
    if (!PyArg_ParseTuple(arguments, "OO!O!ddn", &capsule, &PyList_Type, &texts, &PyList_Type,
                          &names, &least, &minimum, &max_chars)) {
      return nullptr;
    }
    WordScores &scores = value_of<WordScoresCapsule>(capsule).scores;
    const Texts labels(names);
    const std::vector<uint32_t> ranks = ranks_of(labels.views());
    std::vector<WordScores::Label> best;
    Owned result(PyList_New(static_cast<Py_ssize_t>(length_of(texts))));
    for (size_t at = 0; at < length_of(texts); ++at) {
      const std::string_view text = utf8_of_either(item_of(texts, at));
      const bool told = !is_left_to_fasttext(text, size_t(max_chars)) && !is_in_capitals(text) &&
                        scores.best(text, least, minimum, ranks, best);
      if (!told) best.clear();
      Owned listed(told ? PyDict_New() : Py_NewRef(Py_None));
      for (const WordScores::Label &label : best) {
        Owned probability(PyFloat_FromDouble(label.probability));
        if (PyDict_SetItem(listed.get(), item_of(names, label.number), probability.get()) != 0) {
          return nullptr;
        }
      }
      if (PyList_SetItem(result.get(), Py_ssize_t(at), listed.release()) != 0) return nullptr;
    }
    return result.release();
  });
}

PyObject *label_columns_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *capsule, *starts, *data, *wanted, *names;
    int glued;
    double least, minimum;
    Py_ssize_t max_chars;
    if (!PyArg_ParseTuple(arguments, "OOOOpO!ddn", &capsule, &starts, &data, &wanted, &glued,
                          &PyList_Type, &names, &least, &minimum, &max_chars)) {
      return nullptr;
    }
    WordScores &scores = value_of<WordScoresCapsule>(capsule).scores;
    const Bytes start_bytes(starts), text_bytes(data), wanted_bytes(wanted);
    const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
    const std::string_view asked = wanted_bytes.view();
    must_fit(asked.size() == texts.size());
    const std::vector<uint32_t> ranks = ranks_of(Texts(names).views());
    std::vector<WordScores::Label> best;
    std::vector<int64_t> counts, untold;
    std::vector<int32_t> labels;
    std::vector<double> probabilities;
    std::string line;
    for (size_t at = 0; at < texts.size(); ++at) {
      std::string_view text = asked[at] ? texts[at] : std::string_view();
      if (glued && text.find('\n') != text.npos) {
        line.clear();
        for (size_t start = 0; start <= text.size();) {
          const size_t end = std::min(text.find('\n', start), text.size());
          line.append(text, start, end - start);
          start = end + 1;
        }
        text = line;
      }
      counts.push_back(0);
      if (stripped(text).empty()) continue;
      const bool left =
          is_left_to_fasttext(text, size_t(max_chars)) || (!glued && is_in_capitals(text));
      if (left || !scores.best(text, least, minimum, ranks, best)) untold.push_back(int64_t(at));
      if (left) continue;
      counts.back() = int64_t(best.size());
      for (const WordScores::Label &label : best) {
        labels.push_back(int32_t(label.number));
        probabilities.push_back(label.probability);
      }
    }
    Owned sizes(bytes_of(counts)), numbers(bytes_of(labels)), values(bytes_of(probabilities)),
        left(bytes_of(untold));
    return PyTuple_Pack(4, sizes.get(), numbers.get(), values.get(), left.get());
  });
}

}  // namespace skord
