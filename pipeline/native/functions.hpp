// The functions that Python sees; _native.pyi says what each takes and gives.

#pragma once

#include "bindings.hpp"

namespace skord {

PyObject *split_page_py(PyObject *, PyObject *);
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
PyObject *character_tables_py(PyObject *, PyObject *);
PyObject *line_arrays_py(PyObject *, PyObject *);
PyObject *ways_up_py(PyObject *, PyObject *);
PyObject *sums_of_rows_py(PyObject *, PyObject *);
PyObject *multiplied_py(PyObject *, PyObject *);
PyObject *convolved_py(PyObject *, PyObject *);

}  // namespace skord
