// Functions of C++ as functions for Python, by the types of what they take and return.
//
// Parameters: numbers; `std::string_view` for a str or what has bytes; `Numbers` for an array, where
// it lies; `std::vector` for an array of numbers, or a list of anything else; `ArrowTexts` for two
// arguments, where each text begins and their bytes; a struct without constructors for a tuple of its
// fields, and a pointer to one for None, too; a reference to any other class for a capsule of it.
// Results: the same the other way around. `std::string` is bytes, `Str` a str, a
// `std::unique_ptr` a capsule, nothing None.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "bindings/fields.hpp"
#include "bindings/numbers.hpp"
#include "bindings/reading.hpp"
#include "text/arrow_texts.hpp"

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
  PyObject *release() { return std::exchange(object_, nullptr); }

 private:
  PyObject *object_;
};

// The bytes of an object that has some (bytes, a memory map, an array), held while this lives.
class Bytes {
 public:
  explicit Bytes(PyObject *object, int flags = PyBUF_SIMPLE) {
    if (PyObject_GetBuffer(object, &view_, flags) != 0) throw PythonError();
  }
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;
  ~Bytes() { PyBuffer_Release(&view_); }
  std::string_view view() const {
    return {static_cast<const char *>(view_.buf), static_cast<size_t>(view_.len)};
  }
  // As numbers, where they lie. Throws std::invalid_argument where they are none. Without bytes
  // they may lie anywhere: the empty bytes of Python 3.13 are at an odd address.
  template <class T>
  Numbers<T> as() const {
    const bool is_aligned = view_.len == 0 || uintptr_t(view_.buf) % alignof(T) == 0;
    must_fit(size_t(view_.len) % sizeof(T) == 0 && is_aligned);
    return {static_cast<T *>(view_.buf), size_t(view_.len) / sizeof(T)};
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

// The UTF-8 of a str, which keeps it as long as it lives. A lone surrogate has none: UnicodeError.
inline std::string_view utf8_of(PyObject *text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) throw PythonError();
  return {data, static_cast<size_t>(size)};
}

template <class T>
T &value_of(PyObject *capsule) {
  void *value = PyCapsule_GetPointer(capsule, typeid(T).name());
  if (value == nullptr) throw PythonError();
  return *static_cast<T *>(value);
}

// What one parameter is made of: `kObjects` objects, held while this lives. Here a capsule.
template <class T, class = void>
struct Argument {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) : value(value_of<T>(*objects)) {}
  T &get() { return value; }
  T &value;
};

// Several parameters, from objects that stand side by side.
template <class... Types>
class Arguments {
 public:
  static constexpr size_t kObjects = (Argument<std::decay_t<Types>>::kObjects + ... + 0);
  explicit Arguments(PyObject *const *objects)
      : Arguments(objects, std::index_sequence_for<Types...>()) {}
  template <class Use>
  decltype(auto) given_to(const Use &use) {
    return std::apply([&](auto &...each) -> decltype(auto) { return use(each.get()...); }, each_);
  }

 private:
  static constexpr size_t first_of(size_t parameter) {
    const size_t sizes[] = {Argument<std::decay_t<Types>>::kObjects..., 0};
    size_t first = 0;
    for (size_t before = 0; before < parameter; ++before) first += sizes[before];
    return first;
  }
  template <size_t... at>
  Arguments(PyObject *const *objects, std::index_sequence<at...>)
      : each_(objects + first_of(at)...) {}

  std::tuple<Argument<std::decay_t<Types>>...> each_;
};

template <>
struct Argument<PyObject *> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) : object(*objects) {}
  PyObject *get() { return object; }
  PyObject *object;
};

template <class T>
struct Argument<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) {
    if constexpr (std::is_same_v<T, bool>) {
      value = PyObject_IsTrue(*objects) > 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = T(PyFloat_AsDouble(*objects));
    } else {
      Owned number(PyNumber_Index(*objects));
      const auto whole = as_whole(number.get());
      if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        must_fit(false);
      }
      value = T(whole);
      must_fit(value == whole);
    }
    if (PyErr_Occurred()) throw PythonError();
  }
  T get() { return value; }
  T value;

 private:
  static auto as_whole(PyObject *number) {
    if constexpr (std::is_signed_v<T>) {
      return PyLong_AsLongLong(number);
    } else {
      return PyLong_AsUnsignedLongLong(number);
    }
  }
};

template <class T>
constexpr bool kAreNumbers = false;
template <class T>
constexpr bool kAreNumbers<Numbers<T>> = true;

template <class T>
struct Argument<Numbers<T>> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects)
      : bytes(*objects, std::is_const_v<T> ? PyBUF_SIMPLE : PyBUF_WRITABLE) {}
  Numbers<T> get() { return bytes.as<T>(); }
  Bytes bytes;
};

template <>
struct Argument<std::string_view> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) {
    if (!PyUnicode_Check(*objects)) bytes.emplace(*objects);
    view = bytes ? bytes->view() : utf8_of(*objects);
  }
  std::string_view get() { return view; }
  std::optional<Bytes> bytes;
  std::string_view view;
};

template <>
struct Argument<ArrowTexts> {
  static constexpr size_t kObjects = 2;
  explicit Argument(PyObject *const *objects) : starts(objects[0]), bytes(objects[1]) {}
  ArrowTexts get() { return {starts.as<const uint64_t>(), bytes.view()}; }
  Bytes starts, bytes;
};

// An array of numbers, copied; of texts a list, each str or bytes; of anything else a list.
template <class T>
struct Argument<std::vector<T>> {
  static constexpr bool kAreTexts = std::is_constructible_v<T, std::string_view>;
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) {
    if constexpr (std::is_arithmetic_v<T>) {
      values = Bytes(*objects).numbers<T>();
    } else {
      list.emplace(PyList_AsTuple(*objects));  // other threads may change the list
      for (Py_ssize_t at = 0; at < PyTuple_Size(list->get()); ++at) {
        PyObject *item = PyTuple_GetItem(list->get(), at);
        if constexpr (kAreTexts) {
          values.emplace_back(utf8_of_either(item));
        } else {
          values.push_back(held.emplace_back(&item).get());
        }
      }
    }
  }
  std::vector<T> &&get() { return std::move(values); }
  std::optional<Owned> list;
  std::deque<Argument<std::conditional_t<kAreTexts, PyObject *, T>>> held;
  std::vector<T> values;

 private:
  static std::string_view utf8_of_either(PyObject *text) {
    if (!PyBytes_Check(text)) return utf8_of(text);
    return {PyBytes_AsString(text), static_cast<size_t>(PyBytes_Size(text))};
  }
};

// A tuple of the fields of a struct.
template <class T>
struct Argument<T, std::enable_if_t<std::is_aggregate_v<T> && !kAreNumbers<T>>> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) : items(*objects), fields(items.each) {}
  T get() {
    return fields.given_to([](auto &&...each) { return T{std::forward<decltype(each)>(each)...}; });
  }

  template <class... Fields>
  static Arguments<Fields...> arguments_of(std::tuple<Fields &...>);
  using Parts = decltype(arguments_of(fields_of(std::declval<T &>())));
  struct Items {
    explicit Items(PyObject *tuple) {
      if (!PyTuple_Check(tuple) || size_t(PyTuple_Size(tuple)) != Parts::kObjects) {
        PyErr_SetString(PyExc_TypeError, "no tuple of that size");
        throw PythonError();
      }
      for (size_t at = 0; at < Parts::kObjects; ++at) {
        each[at] = PyTuple_GetItem(tuple, Py_ssize_t(at));
      }
    }
    PyObject *each[Parts::kObjects];
  } items;
  Parts fields;
};

template <class T>
struct Argument<const T *> {
  static constexpr size_t kObjects = 1;
  explicit Argument(PyObject *const *objects) {
    if (*objects != Py_None) value.emplace(held.emplace(objects).get());
  }
  const T *get() { return value ? &*value : nullptr; }
  std::optional<Argument<T>> held;
  std::optional<T> value;
};

// A text that becomes a str; it may hold lone surrogates.
struct Str {
  std::string_view utf8;
};

inline PyObject *str_of(std::string_view utf8, const char *errors = "surrogatepass") {
  return PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), errors);
}

template <class T>
PyObject *bytes_of(const T &values) {  // a string or a vector of numbers
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(values.data()),
                                   static_cast<Py_ssize_t>(values.size() * sizeof values[0]));
}

template <class T>
PyObject *python_of(T &&value);

// A list of what `of` makes of each value.
template <class Values, class Of>
PyObject *list_of(const Values &values, Of of) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(values.size())));
  Py_ssize_t at = 0;
  for (const auto &value : values) {
    if (PyList_SetItem(list.get(), at++, Owned(python_of(of(value))).release()) != 0) {
      throw PythonError();
    }
  }
  return list.release();
}
template <class T>
PyObject *list_of(const std::vector<T> &values) {
  return list_of(values, [](const T &value) -> const T & { return value; });
}

template <class... Values>
PyObject *tuple_of(const Values &...values) {
  Owned tuple(PyTuple_New(sizeof...(values)));
  Py_ssize_t at = 0;
  const auto add = [&](PyObject *value) {
    if (PyTuple_SetItem(tuple.get(), at++, Owned(value).release()) != 0) throw PythonError();
  };
  (add(python_of(values)), ...);
  return tuple.release();
}

// C++ values that Python holds without looking inside.
template <class T>
PyObject *capsule_of(std::unique_ptr<T> value) {
  Owned capsule(PyCapsule_New(value.get(), typeid(T).name(), [](PyObject *self) {
    delete static_cast<T *>(PyCapsule_GetPointer(self, typeid(T).name()));
  }));
  value.release();
  return capsule.release();
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsUnique : std::false_type {};
template <class T>
struct IsUnique<std::unique_ptr<T>> : std::true_type {};

template <class Given>
PyObject *python_of(Given &&value) {
  using T = std::decay_t<Given>;
  if constexpr (std::is_same_v<T, PyObject *>) {
    return value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return PyBool_FromLong(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return PyFloat_FromDouble(value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? PyLong_FromLongLong(value) : PyLong_FromUnsignedLongLong(value);
  } else if constexpr (std::is_same_v<T, Str>) {
    return str_of(value.utf8);
  } else if constexpr (std::is_constructible_v<std::string_view, T>) {
    return bytes_of(std::string_view(value));
  } else if constexpr (IsOptional<T>::value) {
    return value ? python_of(*value) : Py_NewRef(Py_None);
  } else if constexpr (IsUnique<T>::value) {
    return capsule_of(std::move(value));
  } else if constexpr (IsVector<T>::value) {
    if constexpr (std::is_arithmetic_v<typename T::value_type>) {
      return bytes_of(value);
    } else {
      return list_of(value);
    }
  } else {
    const auto packed = [](const auto &...fields) { return tuple_of(fields...); };
    if constexpr (std::is_aggregate_v<T>) {
      return std::apply(packed, fields_of(value));
    } else {
      return std::apply(packed, value);  // a tuple or a pair
    }
  }
}

// Does what needs nothing of Python while other threads go on.
template <class Work>
auto without_python(const Work &work) -> decltype(work()) {
  struct Released {
    PyThreadState *state = PyEval_SaveThread();
    ~Released() { PyEval_RestoreThread(state); }
  } released;
  return work();
}

// Runs the body of a function for Python; its exceptions become Python's.
template <class Body>
PyObject *guarded(const Body &body) {
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

// Whether other threads of Python go on meanwhile: not where two calls may share what is changed.
enum class Threads { wait, go_on };

// Calls a function, or a member function of its first argument.
template <auto function, Threads threads, class Result, class... Types>
PyObject *called(PyObject *const *objects, Py_ssize_t count) {
  if (size_t(count) != Arguments<Types...>::kObjects) {
    PyErr_Format(PyExc_TypeError, "takes %zd arguments, not %zd",
                 Py_ssize_t(Arguments<Types...>::kObjects), count);
    return nullptr;
  }
  Arguments<Types...> arguments(objects);
  return arguments.given_to([](auto &&...each) {
    const auto work = [&]() -> Result {
      return std::invoke(function, std::forward<decltype(each)>(each)...);
    };
    const auto run = [&]() -> Result {
      if constexpr (threads == Threads::go_on) {
        return without_python(work);
      } else {
        return work();
      }
    };
    if constexpr (std::is_void_v<Result>) {
      run();
      return Py_NewRef(Py_None);
    } else {
      return python_of(run());
    }
  });
}

template <auto function, Threads threads, class F>
struct Called;
template <auto function, Threads threads, class Result, class... Types>
struct Called<function, threads, Result (*)(Types...)> {
  static PyObject *from_python(PyObject *, PyObject *const *objects, Py_ssize_t count) {
    return guarded([&] { return called<function, threads, Result, Types...>(objects, count); });
  }
};
template <auto function, Threads threads, class Result, class T, class... Types>
struct Called<function, threads, Result (T::*)(Types...)>
    : Called<function, threads, Result (*)(T &, Types...)> {};
template <auto function, Threads threads, class Result, class T, class... Types>
struct Called<function, threads, Result (T::*)(Types...) const>
    : Called<function, threads, Result (*)(T &, Types...)> {};

// A function as Python sees it.
template <auto function, Threads threads = Threads::wait>
PyMethodDef method(const char *name) {
  const auto from_python = Called<function, threads, decltype(function)>::from_python;
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(from_python)),
          METH_FASTCALL, nullptr};
}

// A function that makes a capsule of what its arguments construct.
template <class T, class... Types>
std::unique_ptr<T> made(Types... arguments) {
  return std::make_unique<T>(std::move(arguments)...);
}

}  // namespace skord
