#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "html/reading/mathml.hpp"
#include "html/reading/reshape.hpp"
#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

// Boxes of formulas may stand in one another, so what is searched and read of each is bounded.
constexpr size_t kMostSearched = 20'000;

const Node *math_in(const Node *root) {
  return find_node(root, [](const Node *node) { return node->tag == Tag::math_; }, kMostSearched);
}

bool is_display(const Node *math) {
  return is_lowered(value_of(math, "display"), "block") || is_lowered(value_of(math, "mode"), "display");
}

// Where a formula of MathJax 2 has its source: the script behind what was drawn of it.
Node *script_behind(Node *node) {
  for (Node *next = node->next; next; next = next->next) {
    if (next->kind == Kind::text && is_blank_text(next->text)) continue;
    if (!is_element(next)) return nullptr;
    if (next->tag == Tag::script_) return begins_lowered(value_of(next, "type"), "math/") ? next : nullptr;
    if (!contains(value_of(next, "class"), "MathJax") && !contains(value_of(next, "class"), "mjx-")) return nullptr;
  }
  return nullptr;
}

bool is_picture_of_formula(const Node *node) {
  if (stripped(value_of(node, "alt")).empty()) return false;
  const std::string name = lowered(value_of(node, "class"));
  static constexpr std::string_view kNames[] = {
      "tex", "latex", "math", "mwe-math-fallback-image-inline", "mwe-math-fallback-image-display",
      "mwe-math-fallback-png-inline", "mwe-math-fallback-png-display"};
  if (holds_any<kNames>(name) && has_any_word(name, kNames)) return true;
  static constexpr std::string_view kPlaces[] = {"latex.codecogs.com", "/mimetex", "/mathtex", "wp.com/latex.php",
                                                 "/media/math/render/", "cht=tx&"};
  return holds_any<kPlaces>(value_of(node, "src"));
}

class Formulas {
 public:
  explicit Formulas(Tree &tree) : tree_(tree) {}

  void reshape() {
    for (Node *node = tree_.document; node;) {
      node = is_element(node) ? after_element(node)
             : node->kind == Kind::text ? after_text(node)
                                        : node_after(node, tree_.document);
    }
  }

 private:
  Node *behind(Node *node) { return node_after(node, tree_.document, false); }

  Node *after_element(Node *node) {
    if (node->tag == Tag::math_) return put(node, tex_of_math(node), is_display(node));
    if (node->tag == Tag::script_) return after_script(node);
    if (node->tag == Tag::img_) {
      if (!is_picture_of_formula(node)) return behind(node);
      const bool is_block = contains(value_of(node, "class"), "display");
      return put(node, tidy_tex(value_of(node, "alt")), is_block);
    }
    if (is(node->tag, kRemoved)) return behind(node);
    if (node->text == "mjx-container") return after_container(node);
    const std::string_view name = value_of(node, "class");
    static constexpr std::string_view kSources[] = {"data-math", "data-latex", "data-tex", "data-expr"};
    for (const std::string_view key : kSources) {
      const std::string_view source = value_of(node, key);
      if (source.empty()) continue;
      const std::string tex = tidy_tex(source);
      if (tex.empty() || (key == "data-expr" && !contains(name, "math") && !contains(name, "katex"))) continue;
      return put(node, tex, node->tag == Tag::div_ || contains(name, "block") || contains(name, "display"));
    }
    if (name.empty()) return node_after(node, tree_.document);
    if (has_sign(node, kKatex)) {
      const Node *math = math_in(node);
      if (!math) return node_after(node, tree_.document);
      const bool is_block = node->parent && has_class(node->parent, "katex-display");
      return put(node, tex_of_math(math), is_block || is_display(math));
    }
    if (has_sign(node, kWikiFormula)) return after_wiki(node);
    if (has_sign(node, kMathJax)) return after_drawn(node);
    if (has_sign(node, kFormulaSource)) return after_source(node);
    return node_after(node, tree_.document);
  }

  Node *after_script(Node *node) {
    const std::string type = lowered(value_of(node, "type"));
    const std::string_view source = node->first ? node->first->text : std::string_view();
    if (starts_with(type, "math/tex")) return put(node, tidy_tex(source), contains(type, "mode=display"));
    return starts_with(type, "math/mml") ? put_mathml(node, source, false) : behind(node);
  }

  // Whether a script, which may stand at the end, draws formulas that stand in texts: it is asked for
  // when it matters first, and before the tree is changed.
  bool is_drawn_by_script() {
    if (!is_drawn_by_script_) is_drawn_by_script_ = draws_formulas();
    return *is_drawn_by_script_;
  }

  bool draws_formulas() const {
    static constexpr std::string_view kPrograms[] = {"mathjax", "katex"};
    return find_node(tree_.document, [](const Node *node) {
      if (node->tag != Tag::script_) return false;
      if (holds_any<kPrograms>(value_of(node, "src")) || begins_lowered(value_of(node, "type"), "text/x-mathjax")) return true;
      const std::string_view script = node->first ? node->first->text : std::string_view();
      return contains(script, "renderMathInElement") || contains(script, "MathJax");
    });
  }

  // MathJax 3 and 4: MathML for readers of screens, or the source.
  Node *after_container(Node *node) {
    const bool is_block = value_of(node, "display") == "true";
    if (const Node *math = math_in(node)) return put(node, tex_of_math(math), is_block || is_display(math));
    const Attribute *source = attribute_of(node, "data-latex");
    if (source) return put(node, tidy_tex(source->value), is_block);
    return node_after(node, tree_.document);
  }

  Node *after_wiki(Node *node) {
    const Node *math = math_in(node);
    bool is_block = math && is_display(math);
    std::string tex = math ? tex_of_math(math) : std::string();
    for (Node *at = node; at && tex.empty(); at = node_after(at, node)) {
      if (at->tag != Tag::img_) continue;
      tex = tidy_tex(value_of(at, "alt"));
      is_block = contains(value_of(at, "class"), "display");
    }
    return tex.empty() ? node_after(node, tree_.document) : put(node, tex, is_block);
  }

  // MathJax 2: what it drew goes where the source stands behind it.
  Node *after_drawn(Node *node) {
    if (script_behind(node)) {
      is_drawn_by_script();
      Node *next = behind(node);
      remove(node);
      return next;
    }
    const std::string_view name = value_of(node, "class");
    if (has_word(name, "MathJax_Preview")) return node_after(node, tree_.document);
    const bool is_block = contains(name, "isplay");
    if (const Node *math = math_in(node)) return put(node, tex_of_math(math), is_block || is_display(math));
    if (const Attribute *source = attribute_of(node, "data-mathml")) {
      return put_mathml(node, source->value, is_block);
    }
    return node_after(node, tree_.document);
  }

  // An element that holds its source between delimiters, for a script to draw.
  Node *after_source(Node *node) {
    const std::string text = text_of(node, kMostSearched);
    if (text.size() >= kMostSearched) return node_after(node, tree_.document);
    const std::string_view tex = stripped(text);
    const auto is_between = [&](std::string_view start, std::string_view end) {
      return tex.size() > start.size() + end.size() && starts_with(tex, start) &&
             tex.find(end, start.size()) == tex.size() - end.size();
    };
    const bool is_block = is_between("\\[", "\\]") || is_between("$$", "$$");
    if (is_block || is_between("\\(", "\\)") || is_between("$", "$")) {
      return put(node, tidy_tex(tex), is_block);
    }
    if (starts_with(tex, "\\begin{")) return put(node, tidy_tex(tex), true);
    return node_after(node, tree_.document);
  }

  // A text in which a script would search for formulas; `\(` is one's in any page.
  Node *after_text(Node *node) {
    const std::string_view text = node->text;
    Node *next = node_after(node, tree_.document);
    if (text.find('\\') == text.npos && text.find('$') == text.npos) return next;
    if (!contains(text, "\\(") && !((contains(text, "\\[") || contains(text, "$$") || contains(text, "\\begin{")) && is_drawn_by_script())) {
      return next;
    }
    for (const Node *around = node->parent; around; around = around->parent) {
      if (is_one_of(around->tag, {Tag::pre_, Tag::code_, Tag::textarea_})) return next;
    }
    size_t done = 0;
    Node *place = node->next, *parent = node->parent;
    bool is_split = false;
    for (size_t at = 0; at + 2 < text.size();) {
      const std::string close = end_of_formula(text.substr(at));
      const size_t end = close.empty() ? text.npos : text.find(close, at + 2);
      if (!close.empty() && end == text.npos) break;
      if (end == text.npos) {
        ++at;
        continue;
      }
      insert_before(parent, make_text(tree_, text.substr(done, at - done)), place);
      const bool is_inline = close == "\\)";
      const std::string tex = tidy_tex(text.substr(at, end + close.size() - at));
      if (!tex.empty()) insert_before(parent, made(tex, !is_inline), place);
      at = done = end + close.size();
      is_split = true;
    }
    if (is_split) {
      insert_before(parent, make_text(tree_, text.substr(done)), place);
      remove(node);
    }
    return next;
  }

  // What ends the formula that a text begins with; "" where it begins with none.
  std::string end_of_formula(std::string_view text) {
    const std::string_view start = text.substr(0, 2);
    if (start == "\\(") return "\\)";
    if (!is_drawn_by_script()) return {};
    if (start == "\\[") return "\\]";
    if (start == "$$") return "$$";
    constexpr std::string_view kBegin = "\\begin{";
    const size_t end = starts_with(text, kBegin) ? text.substr(0, 40).find('}') : text.npos;
    return end == text.npos ? std::string() : "\\end" + std::string(text.substr(kBegin.size() - 1, end + 2 - kBegin.size()));
  }

  Node *put_mathml(Node *node, std::string_view source, bool is_block) {
    auto parsed = std::make_unique<Tree>();
    Builder(source, *parsed).run([](const Token &) {});
    const Node *math = math_in(parsed->document);
    return put(node, math ? tex_of_math(math) : std::string(), is_block || (math && is_display(math)));
  }

  Node *made(std::string_view tex, bool is_block) {
    Node *math = make_element(tree_, Tag::math_);
    if (is_block) set_attribute(tree_, math, "display", "block");
    append(math, make_text(tree_, tex));
    return math;
  }

  Node *put(Node *node, const std::string &tex, bool is_block) {
    is_drawn_by_script();
    Node *next = behind(node);
    if (tex.empty()) {
      remove(node);
    } else {
      replace_with(node, made(tex, is_block));
    }
    return next;
  }

  Tree &tree_;
  std::optional<bool> is_drawn_by_script_;
};

}  // namespace

void reshape_formulas(Tree &tree) { Formulas(tree).reshape(); }

}  // namespace skord::html
