// What the functions for Python share: values in and out of Python, and errors.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bindings/numbers.hpp"
#include "bindings/reading.hpp"

namespace skord {

// A Python error is set; the function has to return nullptr.
struct PythonError {};

// A reference that is let go of at the end of its scope.
class Owned {
 public:
  explicit Owned(PyObject *object) : object_(object) {
    if (object_ == nullptr) throw PythonError();
  }
  Owned(const Owned &) = delete;
  Owned &operator=(const Owned &) = delete;
  ~Owned() { Py_XDECREF(object_); }
  PyObject *get() const { return object_; }
  PyObject *release() {
    PyObject *object = object_;
    object_ = nullptr;
    return object;
  }

 private:
  PyObject *object_;
};

// Whether a buffer's bytes are numbers of a type. One without bytes may lie anywhere: the empty
// bytes of Python 3.13 are at an odd address.
template <class T>
void must_lie_as(const Py_buffer &view) {
  const bool is_aligned = view.len == 0 || uintptr_t(view.buf) % alignof(T) == 0;
  must_fit(size_t(view.len) % sizeof(T) == 0 && is_aligned);
}

// The bytes of an object that has some (bytes, a memory map, an array), held while this lives.
class Bytes {
 public:
  explicit Bytes(PyObject *object) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) != 0) throw PythonError();
  }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  std::string_view view() const {
    return {static_cast<const char *>(view_.buf), static_cast<size_t>(view_.len)};
  }
  // As numbers, where they lie. Throws std::invalid_argument where they are none.
  template <class T>
  Numbers<const T> as() const {
    must_lie_as<T>(view_);
    return {static_cast<const T *>(view_.buf), size_t(view_.len) / sizeof(T)};
  }
  template <class T>
  std::vector<T> numbers() const {
    std::vector<T> values(view().size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), view_.buf, values.size() * sizeof(T));
    return values;
  }

 private:
  Py_buffer view_;
};

// The same of an object whose bytes may be changed.
class Room {
 public:
  explicit Room(PyObject *object) {
    if (PyObject_GetBuffer(object, &view_, PyBUF_WRITABLE) != 0) throw PythonError();
  }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;
  ~Room() { PyBuffer_Release(&view_); }
  template <class T>
  Numbers<T> as() const {
    must_lie_as<T>(view_);
    return {static_cast<T *>(view_.buf), size_t(view_.len) / sizeof(T)};
  }

 private:
  Py_buffer view_;
};

// The UTF-8 of a str, which keeps it as long as it lives. A lone surrogate has none: UnicodeError.
inline std::string_view utf8_of(PyObject *text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) throw PythonError();
  return {data, static_cast<size_t>(size)};
}

inline PyObject *str_of(std::string_view utf8) {
  return PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "strict");
}

// Markdown may hold lone surrogates.
inline PyObject *markdown_of(std::string_view utf8) {
  return PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogatepass");
}

template <class T>
PyObject *bytes_of(const T &values) {  // a string or a vector of numbers
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(values.data()),
                                   static_cast<Py_ssize_t>(values.size() * sizeof values[0]));
}

inline size_t length_of(PyObject *list) {
  const Py_ssize_t size = PyList_Size(list);
  if (size < 0) throw PythonError();
  return static_cast<size_t>(size);
}

// A list of what `of` makes of each value.
template <class Values, class Of>
PyObject *list_of(const Values &values, Of of) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(values.size())));
  Py_ssize_t at = 0;
  for (const auto &value : values) {
    if (PyList_SetItem(list.get(), at++, Owned(of(value)).release()) != 0) throw PythonError();
  }
  return list.release();
}

// Items of a list; borrowed.
inline PyObject *item_of(PyObject *list, size_t at) {
  PyObject *item = PyList_GetItem(list, static_cast<Py_ssize_t>(at));
  if (item == nullptr) throw PythonError();
  return item;
}

// The texts of a list of str, and what keeps them alive while Python does other things.
class Texts {
 public:
  explicit Texts(PyObject *list) : held_(PyList_AsTuple(list)) {
    for (Py_ssize_t at = 0; at < PyTuple_Size(held_.get()); ++at) {
      views_.push_back(utf8_of(PyTuple_GetItem(held_.get(), at)));
    }
  }
  const std::vector<std::string_view> &views() const { return views_; }

 private:
  Owned held_;
  std::vector<std::string_view> views_;
};

// C++ values that Python holds without looking inside.
template <class T>
PyObject *capsule_of(T *value) {
  PyObject *capsule = PyCapsule_New(value, T::kName, [](PyObject *self) {
    delete static_cast<T *>(PyCapsule_GetPointer(self, T::kName));
  });
  if (capsule == nullptr) delete value;
  return capsule;
}

template <class T>
T &value_of(PyObject *capsule) {
  void *value = PyCapsule_GetPointer(capsule, T::kName);
  if (value == nullptr) throw PythonError();
  return *static_cast<T *>(value);
}

// Runs what needs nothing of Python while other threads go on.
template <class Work>
void without_python(Work work) {
  std::exception_ptr error;
  PyThreadState *state = PyEval_SaveThread();
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  PyEval_RestoreThread(state);
  if (error) std::rethrow_exception(error);
}

// Runs the body of a function for Python; its exceptions become Python's.
template <class Body>
PyObject *guarded(Body body) {
  try {
    return body();
  } catch (const PythonError &) {
  } catch (const Unsupported &error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
  return nullptr;
}

}  // namespace skord
