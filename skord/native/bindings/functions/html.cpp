// What Python calls on a page's HTML.

#include "bindings/functions.hpp"

#include <string>

#include "bindings/functions/dialect.hpp"
#include "html/tree_construction/builder.hpp"
#include "html/line_context.hpp"
#include "html/page.hpp"
#include "html/signal_tags.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

struct HeldWords {
  static constexpr const char *kName = "skord.native.PageWords";
  html::PageWords words;
};

// A page as bytes, held while this lives.
class Source {
 public:
  explicit Source(PyObject *page) : bytes_(page) {
    if (!is_utf8(bytes_.view())) throw std::invalid_argument("the page is not in UTF-8");
  }
  std::string_view view() const { return bytes_.view(); }

 private:
  Bytes bytes_;
};

const char *name_of(html::Refusal refusal) {
  return refusal == html::Refusal::too_deep ? "too_deep" : "too_large";
}

PyObject *str_or_none(const std::string &text) {
  if (!text.empty()) return str_of(text);
  Py_RETURN_NONE;
}

template <class Numbers>
PyObject *list_of_numbers(const Numbers &numbers) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
  for (size_t at = 0; at < numbers.size(); ++at) {
    PyObject *number = PyLong_FromLong(numbers[at]);
    if (number == nullptr) throw PythonError();
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(at), number);
  }
  return list.release();
}

template <class Strings>
PyObject *list_of_strings(const Strings &strings) {
  Owned list(PyList_New(static_cast<Py_ssize_t>(strings.size())));
  for (size_t at = 0; at < strings.size(); ++at) {
    PyObject *text = str_of(strings[at]);
    if (text == nullptr) throw PythonError();
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(at), text);
  }
  return list.release();
}

}  // namespace

PyObject *is_clean_utf8_py(PyObject *, PyObject *page) {
  return guarded([&] {
    const Bytes bytes(page);
    const std::string_view text = bytes.view();
    const bool is_marked = text.substr(0, 3) == "\xEF\xBB\xBF";
    return PyBool_FromLong(!is_marked && is_utf8(text) && !holds_controls(text));
  });
}

namespace {

PyObject *tuple_of(const html::Attribute &attribute) {
  Owned name(str_of(attribute.name)), value(str_of(attribute.value));
  return PyTuple_Pack(2, name.get(), value.get());
}

const char *name_of(const html::Token &token) {
  switch (token.kind) {
    case html::Token::Kind::text: return "text";
    case html::Token::Kind::start: return "start";
    case html::Token::Kind::end: return "end";
    case html::Token::Kind::comment: return token.is_instruction ? "instruction" : "comment";
    case html::Token::Kind::doctype: return "doctype";
    case html::Token::Kind::eof: break;
  }
  return "eof";
}

const char *name_of(const html::Node &node) {
  switch (node.kind) {
    case html::Kind::document: return "document";
    case html::Kind::doctype: return "doctype";
    case html::Kind::element: break;
    case html::Kind::text: return "text";
    case html::Kind::comment: return "comment";
    case html::Kind::instruction: return "instruction";
  }
  constexpr const char *kNames[] = {"html", "math", "svg"};  // as `html::Space`
  return kNames[static_cast<size_t>(node.space)];
}

PyObject *tuple_of(const html::Token &token) {
  const bool is_start = token.kind == html::Token::Kind::start;
  const bool has_flag = is_start ? token.self_closing
                                 : token.kind == html::Token::Kind::doctype && token.is_quirky;
  static const std::vector<html::Attribute> kNone;
  Owned text(str_of(token.text)), flag(PyBool_FromLong(has_flag));
  Owned attributes(list_of(is_start ? token.attributes : kNone,
                           [](const html::Attribute &one) { return tuple_of(one); }));
  return Py_BuildValue("(sOOO)", name_of(token), text.get(), attributes.get(), flag.get());
}

PyObject *tuple_of(const html::Node &node, Py_ssize_t depth) {
  const std::vector<html::Attribute> all(node.attributes, node.attributes + node.attribute_count);
  Owned text(str_of(node.text));
  Owned attributes(list_of(all, [](const html::Attribute &one) { return tuple_of(one); }));
  return Py_BuildValue("(nsOO)", depth, name_of(node), text.get(), attributes.get());
}

}  // namespace

PyObject *html_tokens_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    const char *source, *name;
    Py_ssize_t size;
    int content, in_foreign;
    if (!PyArg_ParseTuple(arguments, "s#isp", &source, &size, &content, &name, &in_foreign)) {
      return nullptr;
    }
    using Content = html::Tokenizer::Content;
    if (content < 0 || content > int(Content::plaintext)) throw std::invalid_argument("no content");
    html::Arena arena;
    html::Tokenizer tokenizer({source, size_t(size)}, arena);
    tokenizer.read_content_of(name, static_cast<Content>(content));
    Owned tokens(PyList_New(0));
    html::Token token;
    while (tokenizer.next(token, in_foreign != 0), token.kind != html::Token::Kind::eof) {
      if (PyList_Append(tokens.get(), Owned(tuple_of(token)).get()) != 0) throw PythonError();
    }
    return tokens.release();
  });
}

PyObject *html_nodes_py(PyObject *, PyObject *source) {
  return guarded([&]() -> PyObject * {
    html::Tree tree;
    html::Builder(utf8_of(source), tree).run([](const html::Token &) {});
    Owned nodes(PyList_New(0));
    Py_ssize_t depth = 0;
    const auto left = [&](const html::Node *node) { depth -= node->first != nullptr; };
    const html::Node *node = tree.document;
    while ((node = html::node_after(node, tree.document, true, left))) {
      depth += node->parent->first == node;
      if (PyList_Append(nodes.get(), Owned(tuple_of(*node, depth - 1)).get()) != 0) {
        throw PythonError();
      }
    }
    return nodes.release();
  });
}

namespace {

// What Python gives to have a page read.
struct Asked {
  PyObject *source;
  html::Limits limits;
  int choice = 1;  // whether links are marked, or Markdown alone is wanted

  bool parse(PyObject *arguments) {
    Py_ssize_t max_html_chars, max_cleaned_chars;
    if (!PyArg_ParseTuple(arguments, "Onn|p", &source, &max_html_chars, &max_cleaned_chars,
                          &choice)) {
      return false;
    }
    limits.max_html_chars = static_cast<size_t>(max_html_chars);
    limits.max_cleaned_chars = static_cast<size_t>(max_cleaned_chars);
    return true;
  }
};

PyObject *refusal_of(const html::Page &page) {
  return Py_BuildValue("(ss)", name_of(page.refusal), page.refused.c_str());
}

PyObject *columns_of(html::Page &page) {
  Owned cleaned(str_of(page.cleaned)), title(str_or_none(page.title));
  Owned language(str_or_none(page.language));
  Owned words(capsule_of(new HeldWords{std::move(page.words)}));
  return PyTuple_Pack(4, cleaned.get(), title.get(), language.get(), words.get());
}

}  // namespace

PyObject *read_html_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    Asked asked;
    if (!asked.parse(arguments)) return nullptr;
    const Source page_source(asked.source);
    const std::string_view source = page_source.view();
    html::Page page;
    without_python([&] { page = html::read_page(source, asked.limits, asked.choice != 0); });
    return page.refusal == html::Refusal::none ? columns_of(page) : refusal_of(page);
  });
}

PyObject *convert_html_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    Asked asked;
    asked.choice = 0;
    if (!asked.parse(arguments)) return nullptr;
    const Source page_source(asked.source);
    const std::string_view source = page_source.view();
    html::Page page;
    pandoc_dialect::Result result;
    without_python([&] {
      page = html::read_page(source, asked.limits);
      if (page.refusal == html::Refusal::none) result = pandoc_dialect::convert(page.cleaned);
    });
    if (page.refusal != html::Refusal::none) return refusal_of(page);
    if (asked.choice && result.decline == pandoc_dialect::Decline::none) {
      page.cleaned.clear();
      result.links.clear();
    }
    Owned columns(columns_of(page)), markdown(markdown_of(result));
    return PySequence_Concat(columns.get(), markdown.get());
  });
}

PyObject *read_head_py(PyObject *, PyObject *source) {
  return guarded([&]() -> PyObject * {
    html::Page page;
    html::read_head(Source(source).view(), page);
    Owned title(str_or_none(page.title)), language(str_or_none(page.language));
    return PyTuple_Pack(2, title.get(), language.get());
  });
}

PyObject *line_context_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *held, *plain;
    if (!PyArg_ParseTuple(arguments, "OO", &held, &plain)) return nullptr;
    const html::PageWords &page = value_of<HeldWords>(held).words;
    const Bytes markdown(plain);
    html::LineContext context;
    without_python([&] { context = html::line_context(page, markdown.view()); });
    Owned elements(list_of_strings(context.elements)), parents(list_of_numbers(context.parents));
    Owned owners(list_of_numbers(context.lines)), links(bytes_of(context.links));
    Owned controls(bytes_of(context.controls));
    Owned facts(str_of(page.facts)), address(str_of(page.address));
    return PyTuple_Pack(7, elements.get(), parents.get(), owners.get(), links.get(),
                        controls.get(), facts.get(), address.get());
  });
}

PyObject *signal_tags_py(PyObject *, PyObject *arguments) {
  return guarded([&]() -> PyObject * {
    PyObject *page, *words;
    if (!PyArg_ParseTuple(arguments, "OO!", &page, &PyList_Type, &words)) return nullptr;
    const Bytes source(page);
    const Texts wanted(words);
    std::vector<std::string_view> tags;
    without_python([&] { tags = html::signal_tags(source.view(), wanted.views()); });
    Owned list(PyList_New(0));
    for (const std::string_view tag : tags) {
      Owned bytes(PyBytes_FromStringAndSize(tag.data(), static_cast<Py_ssize_t>(tag.size())));
      if (PyList_Append(list.get(), bytes.get()) != 0) throw PythonError();
    }
    return list.release();
  });
}

}  // namespace skord
