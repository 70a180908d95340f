// What Python calls to measure the quality of texts, and to classify them by their letters.

#include "bindings/functions.hpp"
#include "language_models/letter_grams.hpp"
#include "quality/link_counts.hpp"
#include "quality/text_counts.hpp"

namespace skord {

namespace {

TextTables tables_of(const Bytes &classes, const Bytes &factors, const Bytes &terms) {
  const TextTables tables{classes.as<uint32_t>(), factors.as<uint64_t>(), terms.as<uint64_t>()};
  must_fit(tables.classes.size == kPlanesEnd && tables.factors.size == kPlanesEnd);
  must_fit(tables.terms.size == kPlanesEnd);
  return tables;
}

}  // namespace

PyObject *measure_texts_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *classes, *factors, *terms, *letters, *moves, *by_script;
    PyObject *stop_lists, *stop_list_of, *listed, *listed_list_of, *counts, *entropies;
    long long short_chars, short_wide_chars;
    unsigned long long stop_slots, listed_slots;
    if (!PyArg_ParseTuple(arguments, "OO(OOO)(OO)O(LL)(OKO)(OKO)OO", &starts, &data, &classes,
                          &factors, &terms, &letters, &moves, &by_script, &short_chars,
                          &short_wide_chars, &stop_lists, &stop_slots, &stop_list_of, &listed,
                          &listed_slots, &listed_list_of, &counts, &entropies)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), class_bytes(classes);
    const Bytes factor_bytes(factors), term_bytes(terms), letter_bytes(letters);
    const Bytes move_bytes(moves), script_bytes(by_script), stop_bytes(stop_lists);
    const Bytes stop_of_bytes(stop_list_of), listed_bytes(listed), listed_of_bytes(listed_list_of);
    const Room count_room(counts), entropy_room(entropies);
    without_python([&] {
      const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
      const Measuring measuring{
          tables_of(class_bytes, factor_bytes, term_bytes),
          {letter_bytes.as<uint8_t>(), move_bytes.as<int32_t>()},
          {short_chars, short_wide_chars},
          {stop_bytes.as<uint64_t>(), size_t(stop_slots), stop_of_bytes.as<int32_t>()},
          {listed_bytes.as<uint64_t>(), size_t(listed_slots), listed_of_bytes.as<int32_t>()},
          script_bytes.as<uint8_t>()};
      measure_texts(texts, measuring, count_room.as<int64_t>(), entropy_room.as<double>());
    });
    Py_RETURN_NONE;
  });
}

PyObject *word_numbers_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *text, *classes, *factors, *terms;
    if (!PyArg_ParseTuple(arguments, "O(OOO)", &text, &classes, &factors, &terms)) return nullptr;
    const Bytes class_bytes(classes), factor_bytes(factors), term_bytes(terms);
    const TextTables tables = tables_of(class_bytes, factor_bytes, term_bytes);
    CodePoints points;
    Words words;
    points.read(utf8_of(text), tables);
    plain_words(points, tables, false, words);
    return bytes_of(words.numbers);
  });
}

PyObject *count_linked_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *kept, *first_lines, *first_links, *link_starts, *link_ends, *linked;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOO", &starts, &data, &kept, &first_lines,
                          &first_links, &link_starts, &link_ends, &linked)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), page_bytes(data), kept_bytes(kept), line_bytes(first_lines);
    const Bytes link_bytes(first_links), link_start_bytes(link_starts), link_end_bytes(link_ends);
    const Room linked_room(linked);
    without_python([&] {
      count_linked(ArrowTexts(start_bytes.as<uint64_t>(), page_bytes.view()),
                   {kept_bytes.as<uint8_t>(), line_bytes.as<int64_t>()},
                   {link_bytes.as<int64_t>(), link_start_bytes.as<int32_t>(),
                    link_end_bytes.as<int32_t>()},
                   linked_room.as<int64_t>());
    });
    Py_RETURN_NONE;
  });
}

PyObject *write_letters_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *starts, *data, *table, *out, *out_starts;
    unsigned long long most;
    if (!PyArg_ParseTuple(arguments, "OOOKOO", &starts, &data, &table, &most, &out,
                          &out_starts)) {
      return nullptr;
    }
    const Bytes start_bytes(starts), text_bytes(data), table_bytes(table);
    const Room out_room(out), start_room(out_starts);
    const ArrowTexts texts(start_bytes.as<uint64_t>(), text_bytes.view());
    return PyLong_FromSize_t(write_letters(texts, table_bytes.as<uint8_t>(), size_t(most),
                                           out_room.as<uint8_t>(), start_room.as<int64_t>()));
  });
}

PyObject *sum_letter_grams_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *letters, *starts, *weights, *sums, *counts;
    unsigned long long longest;
    if (!PyArg_ParseTuple(arguments, "OOKOOO", &letters, &starts, &longest, &weights, &sums,
                          &counts)) {
      return nullptr;
    }
    const Bytes letter_bytes(letters), start_bytes(starts), weight_bytes(weights);
    const Room sum_room(sums), count_room(counts);
    without_python([&] {
      sum_letter_grams({letter_bytes.as<uint8_t>(), start_bytes.as<int64_t>()}, size_t(longest),
                       weight_bytes.as<int8_t>(), sum_room.as<int32_t>(),
                       count_room.as<int64_t>());
    });
    Py_RETURN_NONE;
  });
}

PyObject *train_letter_grams_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *letters, *starts, *order, *answers, *weights;
    unsigned long long longest, labels;
    double rate, next_rate;
    if (!PyArg_ParseTuple(arguments, "OOOOKKddO", &letters, &starts, &order, &answers, &longest,
                          &labels, &rate, &next_rate, &weights)) {
      return nullptr;
    }
    const Bytes letter_bytes(letters), start_bytes(starts), order_bytes(order);
    const Bytes answer_bytes(answers);
    const Room weight_room(weights);
    const LetterTraining training{order_bytes.as<int64_t>(), answer_bytes.as<int64_t>(),
                                  size_t(longest), size_t(labels), rate, next_rate};
    double loss = 0;
    without_python([&] {
      loss = train_letter_grams({letter_bytes.as<uint8_t>(), start_bytes.as<int64_t>()}, training,
                                weight_room.as<float>());
    });
    return PyFloat_FromDouble(loss);
  });
}

}  // namespace skord
