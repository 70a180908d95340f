// The module `pipeline.native._native`: its functions by name.

#include "bindings/functions.hpp"
#include "simd.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "model files are little-endian");

using namespace skord;

namespace {

PyObject *vector_width_py(PyObject *, PyObject *) {
  return guarded([] { return str_of(name_of(simd())); });
}

PyMethodDef methods[] = {
    {"split_page", split_page_py, METH_VARARGS, nullptr},
    {"plain_page", plain_page_py, METH_O, nullptr},
    {"wet_record", wet_record_py, METH_O, nullptr},
    {"char_table", char_table_py, METH_VARARGS, nullptr},
    {"written", written_py, METH_VARARGS, nullptr},
    {"line_keys", line_keys_py, METH_VARARGS, nullptr},
    {"sha1_key", sha1_key_py, METH_VARARGS, nullptr},
    {"keep_lines", keep_lines_py, METH_VARARGS, nullptr},
    {"load_pieces", load_pieces_py, METH_O, nullptr},
    {"load_language_model", load_language_model_py, METH_VARARGS, nullptr},
    {"score_lines", score_lines_py, METH_VARARGS, nullptr},
    {"word_scores", word_scores_py, METH_VARARGS, nullptr},
    {"score_words", score_words_py, METH_VARARGS, nullptr},
    {"key_scatter", key_scatter_py, METH_VARARGS, nullptr},
    {"scatter_keys", scatter_keys_py, METH_VARARGS, nullptr},
    {"take_keys", take_keys_py, METH_VARARGS, nullptr},
    {"shared_keys", shared_keys_py, METH_VARARGS, nullptr},
    {"count_rows", count_rows_py, METH_VARARGS, nullptr},
    {"fill_rows", fill_rows_py, METH_VARARGS, nullptr},
    {"gather_signatures", gather_signatures_py, METH_VARARGS, nullptr},
    {"decide_greedily", decide_greedily_py, METH_VARARGS, nullptr},
    {"join_components", join_components_py, METH_VARARGS, nullptr},
    {"settle_components", settle_components_py, METH_VARARGS, nullptr},
    {"sketches", sketches_py, METH_VARARGS, nullptr},
    {"digests", digests_py, METH_VARARGS, nullptr},
    {"published_keys", published_keys_py, METH_VARARGS, nullptr},
    {"chunk_reader", chunk_reader_py, METH_VARARGS, nullptr},
    {"add_word_class", add_word_class_py, METH_VARARGS, nullptr},
    {"count_chunks", count_chunks_py, METH_VARARGS, nullptr},
    {"list_chunks", list_chunks_py, METH_VARARGS, nullptr},
    {"page_reader", page_reader_py, METH_VARARGS, nullptr},
    {"read_page", read_page_py, METH_VARARGS, nullptr},
    {"element_reader", element_reader_py, METH_VARARGS, nullptr},
    {"read_elements", read_elements_py, METH_VARARGS, nullptr},
    {"tree_features", tree_features_py, METH_VARARGS, nullptr},
    {"sums_of_rows", sums_of_rows_py, METH_VARARGS, nullptr},
    {"multiplied", multiplied_py, METH_VARARGS, nullptr},
    {"convolved", convolved_py, METH_VARARGS, nullptr},
    {"parsed_html", parsed_html_py, METH_O, nullptr},
    {"read_html", read_html_py, METH_VARARGS, nullptr},
    {"read_head", read_head_py, METH_O, nullptr},
    {"element_words", element_words_py, METH_O, nullptr},
    {"line_context", line_context_py, METH_VARARGS, nullptr},
    {"vector_width", vector_width_py, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// A wrong SKORD_SIMD is told at once, not by the first function that asks for it.
int check_simd(PyObject *) {
  Py_XDECREF(vector_width_py(nullptr, nullptr));
  return PyErr_Occurred() ? -1 : 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void *>(check_simd)}, {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", nullptr, 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() { return PyModuleDef_Init(&definition); }
