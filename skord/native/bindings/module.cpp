// The module `skord.native._native`: its functions by name.

#include "bindings/functions.hpp"
#include "simd.hpp"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "model files are little-endian");

using namespace skord;

PyObject *skord::vector_width_py(PyObject *, PyObject *) {
  return guarded([] { return str_of(name_of(simd())); });
}

namespace {

#define SKORD_METHOD(name, kind) {#name, name##_py, kind, nullptr},
PyMethodDef methods[] = {SKORD_FUNCTIONS(SKORD_METHOD){nullptr, nullptr, 0, nullptr}};
#undef SKORD_METHOD

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
