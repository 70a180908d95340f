// The functions that Python sees; _native.pyi says what each takes and gives.

#pragma once

#include "bindings/bindings.hpp"

// Each has the name that Python sees, and is `name_py` here.
#define SKORD_FUNCTIONS(FUNCTION) \
  FUNCTION(split_page, METH_VARARGS) \
  FUNCTION(plain_page, METH_O) \
  FUNCTION(doubtful_lines, METH_O) \
  FUNCTION(said_lines, METH_VARARGS) \
  FUNCTION(lines_holding, METH_VARARGS) \
  FUNCTION(best_cut, METH_VARARGS) \
  FUNCTION(marked_lines, METH_O) \
  FUNCTION(fenced_blocks, METH_O) \
  FUNCTION(line_verdicts, METH_VARARGS) \
  FUNCTION(choose_lines, METH_VARARGS) \
  FUNCTION(joined_lines, METH_VARARGS) \
  FUNCTION(text_and_images, METH_VARARGS) \
  FUNCTION(dialect_markdown, METH_O) \
  FUNCTION(wet_record, METH_O) \
  FUNCTION(wet_pages, METH_VARARGS) \
  FUNCTION(char_table, METH_O) \
  FUNCTION(written, METH_VARARGS) \
  FUNCTION(line_keys, METH_VARARGS) \
  FUNCTION(member_keys, METH_VARARGS) \
  FUNCTION(keep_lines, METH_VARARGS) \
  FUNCTION(take_texts, METH_VARARGS) \
  FUNCTION(load_pieces, METH_O) \
  FUNCTION(load_language_model, METH_VARARGS) \
  FUNCTION(score_lines, METH_VARARGS) \
  FUNCTION(word_scores, METH_VARARGS) \
  FUNCTION(best_labels, METH_VARARGS) \
  FUNCTION(label_columns, METH_VARARGS) \
  FUNCTION(key_scatter, METH_VARARGS) \
  FUNCTION(scatter_keys, METH_VARARGS) \
  FUNCTION(take_keys, METH_VARARGS) \
  FUNCTION(shared_keys, METH_VARARGS) \
  FUNCTION(find_lines, METH_VARARGS) \
  FUNCTION(count_keys, METH_VARARGS) \
  FUNCTION(count_rows, METH_VARARGS) \
  FUNCTION(fill_rows, METH_VARARGS) \
  FUNCTION(gather_signatures, METH_VARARGS) \
  FUNCTION(decide_greedily, METH_VARARGS) \
  FUNCTION(join_components, METH_VARARGS) \
  FUNCTION(settle_components, METH_VARARGS) \
  FUNCTION(sketches, METH_VARARGS) \
  FUNCTION(digests, METH_VARARGS) \
  FUNCTION(published_keys, METH_VARARGS) \
  FUNCTION(passage_anchors, METH_VARARGS) \
  FUNCTION(passage_prints, METH_VARARGS) \
  FUNCTION(word_grams, METH_VARARGS) \
  FUNCTION(item_frequencies, METH_VARARGS) \
  FUNCTION(item_matches, METH_VARARGS) \
  FUNCTION(chunk_reader, METH_VARARGS) \
  FUNCTION(add_word_class, METH_VARARGS) \
  FUNCTION(count_chunks, METH_VARARGS) \
  FUNCTION(list_chunks, METH_VARARGS) \
  FUNCTION(page_reader, METH_VARARGS) \
  FUNCTION(read_page, METH_VARARGS) \
  FUNCTION(element_reader, METH_VARARGS) \
  FUNCTION(read_elements, METH_VARARGS) \
  FUNCTION(tree_features, METH_VARARGS) \
  FUNCTION(line_network, METH_VARARGS) \
  FUNCTION(judge_lines, METH_VARARGS) \
  FUNCTION(framing_rows, METH_VARARGS) \
  FUNCTION(drawn_to_headings, METH_VARARGS) \
  FUNCTION(chances_of, METH_O) \
  FUNCTION(smoothed_logits, METH_VARARGS) \
  FUNCTION(with_blank_lines, METH_VARARGS) \
  FUNCTION(measure_texts, METH_VARARGS) \
  FUNCTION(word_numbers, METH_VARARGS) \
  FUNCTION(count_linked, METH_VARARGS) \
  FUNCTION(write_letters, METH_VARARGS) \
  FUNCTION(sum_letter_grams, METH_VARARGS) \
  FUNCTION(train_letter_grams, METH_VARARGS) \
  FUNCTION(is_clean_utf8, METH_O) \
  FUNCTION(html_tokens, METH_VARARGS) \
  FUNCTION(html_nodes, METH_O) \
  FUNCTION(read_html, METH_VARARGS) \
  FUNCTION(convert_html, METH_VARARGS) \
  FUNCTION(read_head, METH_O) \
  FUNCTION(line_context, METH_VARARGS) \
  FUNCTION(signal_tags, METH_VARARGS) \
  FUNCTION(vector_width, METH_NOARGS)

namespace skord {

#define SKORD_DECLARED(name, kind) PyObject *name##_py(PyObject *, PyObject *);
SKORD_FUNCTIONS(SKORD_DECLARED)
#undef SKORD_DECLARED

}  // namespace skord
