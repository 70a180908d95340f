// What Python calls on a page's HTML, and on the markup that cleaning leaves of it.

#include "bindings/functions.hpp"

#include "html/line_context.hpp"
#include "html/page.hpp"
#include "html/signal_tags.hpp"
#include "html/tree_construction/builder.hpp"
#include "pandoc_dialect/convert.hpp"
#include "text/utf8.hpp"

namespace skord {

namespace {

using pandoc_dialect::Decline;

// Held by Python until the lines of the page are looked for in it.
struct HeldWords {
  explicit HeldWords(html::PageWords words) : words(std::move(words)) {}
  html::PageWords words;
};

void must_be_utf8(std::string_view page) {
  if (!is_utf8(page)) throw std::invalid_argument("the page is not in UTF-8");
}

std::optional<Str> str_or_none(const std::string &text) {
  return text.empty() ? std::nullopt : std::optional(Str{text});
}

bool is_clean_utf8(std::string_view page) {
  return page.substr(0, 3) != "\xEF\xBB\xBF" && is_utf8(page) && !holds_controls(page);
}

PyObject *markdown_of(const pandoc_dialect::Result &result) {
  const char *declined = result.decline == Decline::columns   ? "columns"
                         : result.decline == Decline::nesting ? "nesting"
                                                              : "";
  const auto span_of = [](const pandoc_dialect::LinkSpan &span) {
    return Py_BuildValue("{s:n,s:n}", "start", Py_ssize_t(span.start), "end", Py_ssize_t(span.end));
  };
  return tuple_of(Str{result.markdown}, list_of(result.links, span_of), Str{declined});
}

PyObject *dialect_markdown(std::string_view cleaned) {
  return markdown_of(without_python([&] { return pandoc_dialect::convert(cleaned); }));
}

PyObject *refusal_of(const html::Page &page) {
  return tuple_of(Str{page.refusal == html::Refusal::too_deep ? "too_deep" : "too_large"},
                  Str{page.refused});
}

PyObject *columns_of(html::Page &page) {
  return tuple_of(Str{page.cleaned}, str_or_none(page.title), str_or_none(page.language),
                  capsule_of(std::make_unique<HeldWords>(std::move(page.words))));
}

PyObject *read_html(std::string_view source, size_t max_html_chars, size_t max_cleaned_chars,
                    bool mark_links) {
  must_be_utf8(source);
  html::Page page = without_python(
      [&] { return html::read_page(source, {max_html_chars, max_cleaned_chars}, mark_links); });
  return page.refusal == html::Refusal::none ? columns_of(page) : refusal_of(page);
}

PyObject *convert_html(std::string_view source, size_t max_html_chars, size_t max_cleaned_chars,
                       bool alone) {
  must_be_utf8(source);
  html::Page page;
  pandoc_dialect::Result result;
  without_python([&] {
    page = html::read_page(source, {max_html_chars, max_cleaned_chars});
    if (page.refusal == html::Refusal::none) result = pandoc_dialect::convert(page.cleaned);
  });
  if (page.refusal != html::Refusal::none) return refusal_of(page);
  if (alone && result.decline == Decline::none) {
    page.cleaned.clear();
    result.links.clear();
  }
  Owned columns(columns_of(page)), markdown(markdown_of(result));
  return PySequence_Concat(columns.get(), markdown.get());
}

PyObject *read_head(std::string_view source) {
  must_be_utf8(source);
  html::Page page;
  html::read_head(source, page);
  return tuple_of(str_or_none(page.title), str_or_none(page.language));
}

PyObject *line_context(const HeldWords &held, std::string_view markdown) {
  const html::PageWords &page = held.words;
  const html::LineContext context =
      without_python([&] { return html::line_context(page, markdown); });
  const auto as_str = [](std::string_view text) { return Str{text}; };
  return tuple_of(list_of(context.elements, as_str), list_of(context.parents),
                  list_of(context.lines), context.links, context.controls, Str{page.facts},
                  Str{page.address});
}

// What follows is asked for by the tests of public suites alone.

PyObject *list_of_attributes(const std::vector<html::Attribute> &attributes) {
  return list_of(attributes, [](const html::Attribute &one) {
    return std::make_tuple(Str{one.name}, Str{one.value});
  });
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

PyObject *tuple_of_token(const html::Token &token) {
  const bool is_start = token.kind == html::Token::Kind::start;
  const bool has_flag = is_start ? token.self_closing
                                 : token.kind == html::Token::Kind::doctype && token.is_quirky;
  return tuple_of(Str{name_of(token)}, Str{token.text},
                  list_of_attributes(is_start ? token.attributes : decltype(token.attributes)()),
                  has_flag);
}

PyObject *html_tokens(std::string_view source, int content, std::string_view name,
                      bool in_foreign) {
  using Content = html::Tokenizer::Content;
  if (content < 0 || content > int(Content::plaintext)) throw std::invalid_argument("no content");
  html::Arena arena;
  html::Tokenizer tokenizer(source, arena);
  tokenizer.read_content_of(name, static_cast<Content>(content));
  Owned tokens(PyList_New(0));
  html::Token token;
  while (tokenizer.next(token, in_foreign), token.kind != html::Token::Kind::eof) {
    if (PyList_Append(tokens.get(), Owned(tuple_of_token(token)).get()) != 0) throw PythonError();
  }
  return tokens.release();
}

PyObject *html_nodes(std::string_view source) {
  html::Tree tree;
  html::Builder(source, tree).run([](const html::Token &) {});
  Owned nodes(PyList_New(0));
  Py_ssize_t depth = 0;
  const auto left = [&](const html::Node *node) { depth -= node->first != nullptr; };
  const html::Node *node = tree.document;
  while ((node = html::node_after(node, tree.document, true, left))) {
    depth += node->parent->first == node;
    Owned all(tuple_of(
        depth - 1, Str{name_of(*node)}, Str{node->text},
        list_of_attributes({node->attributes, node->attributes + node->attribute_count})));
    if (PyList_Append(nodes.get(), all.get()) != 0) throw PythonError();
  }
  return nodes.release();
}

}  // namespace

PyMethodDef html_functions[] = {
    method<is_clean_utf8>("is_clean_utf8"),
    method<read_html>("read_html"),
    method<convert_html>("convert_html"),
    method<read_head>("read_head"),
    method<line_context>("line_context"),
    method<html::signal_tags>("signal_tags"),
    method<dialect_markdown>("dialect_markdown"),
    method<html_tokens>("html_tokens"),
    method<html_nodes>("html_nodes"),
    {}};

}  // namespace skord
