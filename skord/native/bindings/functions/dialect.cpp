// Cleaned pages to Markdown, for Python.

#include "bindings/functions/dialect.hpp"

#include "bindings/functions.hpp"
#include "pandoc_dialect/convert.hpp"

namespace skord {

namespace {

using pandoc_dialect::Decline;
using pandoc_dialect::LinkSpan;

const char *name_of(Decline decline) {
  switch (decline) {
    case Decline::columns:
      return "columns";
    case Decline::nesting:
      return "nesting";
    default:
      return "";
  }
}

PyObject *list_of(const std::vector<LinkSpan> &spans) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(spans.size())));
  for (size_t at = 0; at < spans.size(); ++at) {
    PyObject *span = Py_BuildValue("{s:n,s:n}", "start", static_cast<Py_ssize_t>(spans[at].start),
                                   "end", static_cast<Py_ssize_t>(spans[at].end));
    if (span == nullptr) throw PythonError();
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(at), span);
  }
  return list.release();
}

}  // namespace

PyObject *markdown_of(const pandoc_dialect::Result &result) {
  Owned markdown(str_of(result.markdown)), links(list_of(result.links));
  return Py_BuildValue("OOs", markdown.get(), links.get(), name_of(result.decline));
}

PyObject *dialect_markdown_py(PyObject *, PyObject *cleaned) {
  return guarded([&] {
    const std::string_view markup = utf8_of(cleaned);
    pandoc_dialect::Result result;
    without_python([&] { result = pandoc_dialect::convert(markup); });
    return markdown_of(result);
  });
}

}  // namespace skord
