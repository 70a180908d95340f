// The module `skord.native._native`: its functions by name.

#include "bindings/functions.hpp"
#include "simd.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "model files are little-endian");

using namespace skord;

namespace {

Str vector_width() { return {name_of(simd())}; }

PyMethodDef own_functions[] = {method<vector_width>("vector_width"), {}};

int add_functions(PyObject *module) {
  // A wrong SKORD_SIMD is an error at once, and not in the first function that asks for it.
  PyObject *width = guarded([] { return python_of(vector_width()); });
  if (width == nullptr) return -1;
  Py_DECREF(width);
  for (PyMethodDef *functions :
       {own_functions, chunk_functions, dedup_functions, html_functions, model_functions,
        line_classifier_functions, line_functions, page_text_functions, quality_functions}) {
    if (PyModule_AddFunctions(module, functions) != 0) return -1;
  }
  return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void *>(add_functions)}, {0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", nullptr, 0, nullptr, slots, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__native() { return PyModuleDef_Init(&definition); }
