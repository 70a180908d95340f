// The functions that Python sees; _native.pyi says what each takes and gives.

#pragma once

#include "bindings/bindings.hpp"

namespace skord {

PyObject *split_page_py(PyObject *, PyObject *);
PyObject *plain_page_py(PyObject *, PyObject *);
PyObject *wet_record_py(PyObject *, PyObject *);
PyObject *char_table_py(PyObject *, PyObject *);
PyObject *written_py(PyObject *, PyObject *);
PyObject *line_keys_py(PyObject *, PyObject *);
PyObject *sha1_key_py(PyObject *, PyObject *);
PyObject *keep_lines_py(PyObject *, PyObject *);
PyObject *load_pieces_py(PyObject *, PyObject *);
PyObject *load_language_model_py(PyObject *, PyObject *);
PyObject *score_lines_py(PyObject *, PyObject *);
PyObject *word_scores_py(PyObject *, PyObject *);
PyObject *score_words_py(PyObject *, PyObject *);
PyObject *key_scatter_py(PyObject *, PyObject *);
PyObject *scatter_keys_py(PyObject *, PyObject *);
PyObject *take_keys_py(PyObject *, PyObject *);
PyObject *shared_keys_py(PyObject *, PyObject *);
PyObject *count_rows_py(PyObject *, PyObject *);
PyObject *fill_rows_py(PyObject *, PyObject *);
PyObject *gather_signatures_py(PyObject *, PyObject *);
PyObject *decide_greedily_py(PyObject *, PyObject *);
PyObject *join_components_py(PyObject *, PyObject *);
PyObject *settle_components_py(PyObject *, PyObject *);
PyObject *sketches_py(PyObject *, PyObject *);
PyObject *digests_py(PyObject *, PyObject *);
PyObject *published_keys_py(PyObject *, PyObject *);
PyObject *chunk_reader_py(PyObject *, PyObject *);
PyObject *add_word_class_py(PyObject *, PyObject *);
PyObject *count_chunks_py(PyObject *, PyObject *);
PyObject *list_chunks_py(PyObject *, PyObject *);
PyObject *page_reader_py(PyObject *, PyObject *);
PyObject *read_page_py(PyObject *, PyObject *);
PyObject *element_reader_py(PyObject *, PyObject *);
PyObject *read_elements_py(PyObject *, PyObject *);
PyObject *tree_features_py(PyObject *, PyObject *);
PyObject *sums_of_rows_py(PyObject *, PyObject *);
PyObject *multiplied_py(PyObject *, PyObject *);
PyObject *convolved_py(PyObject *, PyObject *);
PyObject *parsed_html_py(PyObject *, PyObject *);
PyObject *read_html_py(PyObject *, PyObject *);
PyObject *read_head_py(PyObject *, PyObject *);
PyObject *element_words_py(PyObject *, PyObject *);
PyObject *line_context_py(PyObject *, PyObject *);

}  // namespace skord
