#include "html/reading/mathml.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "html/reading/reshape.hpp"

namespace skord::html {

namespace {

constexpr int kMostDeep = 200;  // deeper markup is read as its text

struct Sign {
  std::string_view text, tex;
  bool is_infix;  // written with blanks around
};

// What TeX says in words, by the characters of Unicode, in the order of their bytes.
constexpr Sign kSigns[] = {
    {"¬", "\\neg", false},      {"°", "^\\circ", false},     {"±", "\\pm", true},
    {"·", "\\cdot", true},      {"×", "\\times", true},      {"÷", "\\div", true},
    {"Γ", "\\Gamma", false},    {"Δ", "\\Delta", false},     {"Θ", "\\Theta", false},
    {"Λ", "\\Lambda", false},   {"Ξ", "\\Xi", false},        {"Π", "\\Pi", false},
    {"Σ", "\\Sigma", false},    {"Υ", "\\Upsilon", false},   {"Φ", "\\Phi", false},
    {"Ψ", "\\Psi", false},      {"Ω", "\\Omega", false},     {"α", "\\alpha", false},
    {"β", "\\beta", false},     {"γ", "\\gamma", false},     {"δ", "\\delta", false},
    {"ε", "\\varepsilon", false}, {"ζ", "\\zeta", false},    {"η", "\\eta", false},
    {"θ", "\\theta", false},    {"ι", "\\iota", false},      {"κ", "\\kappa", false},
    {"λ", "\\lambda", false},   {"μ", "\\mu", false},        {"ν", "\\nu", false},
    {"ξ", "\\xi", false},       {"π", "\\pi", false},        {"ρ", "\\rho", false},
    {"ς", "\\varsigma", false}, {"σ", "\\sigma", false},     {"τ", "\\tau", false},
    {"υ", "\\upsilon", false},  {"φ", "\\varphi", false},    {"χ", "\\chi", false},
    {"ψ", "\\psi", false},      {"ω", "\\omega", false},     {"ϑ", "\\vartheta", false},
    {"ϕ", "\\phi", false},      {"ϖ", "\\varpi", false},     {"ϱ", "\\varrho", false},
    {"ϵ", "\\epsilon", false},  {"‖", "\\|", false},         {"•", "\\bullet", true},
    {"…", "\\ldots", false},    {"′", "'", false},           {"″", "''", false},
    {"ℂ", "\\mathbb{C}", false}, {"ℏ", "\\hbar", false},     {"ℓ", "\\ell", false},
    {"ℕ", "\\mathbb{N}", false}, {"ℚ", "\\mathbb{Q}", false}, {"ℜ", "\\Re", false},
    {"ℝ", "\\mathbb{R}", false}, {"ℤ", "\\mathbb{Z}", false}, {"←", "\\leftarrow", true},
    {"↑", "\\uparrow", true},   {"→", "\\rightarrow", true}, {"↓", "\\downarrow", true},
    {"↔", "\\leftrightarrow", true}, {"↦", "\\mapsto", true}, {"⇐", "\\Leftarrow", true},
    {"⇒", "\\Rightarrow", true}, {"⇔", "\\Leftrightarrow", true}, {"⇌", "\\rightleftharpoons", true},
    {"∀", "\\forall", false},   {"∂", "\\partial", false},   {"∃", "\\exists", false},
    {"∅", "\\emptyset", false}, {"∆", "\\Delta", false},     {"∇", "\\nabla", false},
    {"∈", "\\in", true},        {"∉", "\\notin", true},      {"∋", "\\ni", true},
    {"∏", "\\prod", false},     {"∑", "\\sum", false},       {"−", "-", true},
    {"∓", "\\mp", true},        {"∗", "*", true},            {"∘", "\\circ", true},
    {"√", "\\surd", false},     {"∝", "\\propto", true},     {"∞", "\\infty", false},
    {"∠", "\\angle", false},    {"∣", "\\mid", true},        {"∥", "\\parallel", true},
    {"∧", "\\land", true},      {"∨", "\\lor", true},        {"∩", "\\cap", true},
    {"∪", "\\cup", true},       {"∫", "\\int", false},       {"∬", "\\iint", false},
    {"∮", "\\oint", false},     {"∴", "\\therefore", true},  {"∼", "\\sim", true},
    {"≃", "\\simeq", true},     {"≅", "\\cong", true},       {"≈", "\\approx", true},
    {"≔", ":=", true},          {"≠", "\\neq", true},        {"≡", "\\equiv", true},
    {"≤", "\\leq", true},       {"≥", "\\geq", true},        {"≪", "\\ll", true},
    {"≫", "\\gg", true},        {"⊂", "\\subset", true},     {"⊃", "\\supset", true},
    {"⊆", "\\subseteq", true},  {"⊇", "\\supseteq", true},   {"⊕", "\\oplus", true},
    {"⊗", "\\otimes", true},    {"⊢", "\\vdash", true},      {"⊤", "\\top", false},
    {"⊥", "\\perp", true},      {"⋃", "\\bigcup", false},    {"⋂", "\\bigcap", false},
    {"⋅", "\\cdot", true},      {"⋮", "\\vdots", false},     {"⋯", "\\cdots", false},
    {"⋱", "\\ddots", false},    {"⌈", "\\lceil", false},     {"⌉", "\\rceil", false},
    {"⌊", "\\lfloor", false},   {"⌋", "\\rfloor", false},    {"⟨", "\\langle", false},
    {"⟩", "\\rangle", false},   {"⟶", "\\longrightarrow", true}, {"⟹", "\\implies", true},
    {"⟺", "\\iff", true},       {"⩽", "\\leqslant", true},   {"⩾", "\\geqslant", true},
};

const Sign *sign_of(std::string_view text) {
  const auto found = std::find_if(std::begin(kSigns), std::end(kSigns),
                                  [&](const Sign &one) { return one.text == text; });
  return found == std::end(kSigns) ? nullptr : found;
}

bool ends_in_command(std::string_view tex) {
  size_t at = tex.size();
  while (at > 0 && is_ascii_letter(tex[at - 1])) --at;
  return at < tex.size() && at > 0 && tex[at - 1] == '\\';
}

void add(std::string &out, std::string_view piece) {
  if (piece.empty()) return;
  const bool is_behind_script = out.size() > 1 && (out[out.size() - 2] == '^' || out[out.size() - 2] == '_');
  if (is_ascii_letter(piece[0]) && (ends_in_command(out) || is_behind_script)) out.push_back(' ');
  if (piece[0] == ' ' && (out.empty() || out.back() == ' ')) piece.remove_prefix(1);
  out.append(piece);
}

void strip_end(std::string &text) {
  while (!text.empty() && text.back() == ' ') text.pop_back();
}

bool is_one_token(std::string_view tex) {
  if (tex.empty()) return false;
  if (tex[0] != '\\') return first_character(tex).size == tex.size();
  return tex.size() > 1 && std::all_of(tex.begin() + 1, tex.end(), is_ascii_letter);
}

std::string braced(std::string_view tex) { return "{" + std::string(tex) + "}"; }

// What stands above or below: alone where one sign, else in braces.
std::string script(std::string_view tex) {
  const bool is_bare = is_one_token(tex) && tex[0] != '\\';
  return is_bare ? std::string(tex) : braced(tex);
}

constexpr std::string_view kOwnSigns = "%#&_{}$";

// Text as TeX has it, with its own signs escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t next = at;
    const uint32_t code = next_code(text, next);
    const std::string_view one = text.substr(at, next - at);
    at = next;
    if (code >= 0x2061 && code <= 0x2064) continue;  // invisible operators
    if (const Sign *sign = sign_of(one)) {
      add(out, sign->tex);
    } else if (code == 0xA0 || is_space(one[0])) {
      add(out, " ");
    } else if (one == "\\") {
      add(out, "\\backslash");
    } else if (contains(kOwnSigns, one)) {
      out.append("\\").append(one);
    } else {
      add(out, one);
    }
  }
  return out;
}

std::vector<const Node *> parts_of(const Node *node) {
  std::vector<const Node *> parts;
  for (const Node *child = node->first; child; child = child->next) {
    if (is_element(child)) parts.push_back(child);
  }
  return parts;
}

std::string folded_text(const Node *node) { return with_single_blanks(text_of(node)); }

constexpr std::string_view kFunctions[] = {
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min",
    "sec", "sin", "sinh", "sup", "tan", "tanh"};

std::string identifier(const Node *node) {
  const std::string text = folded_text(node);
  if (is_in(kFunctions, text)) return "\\" + text;
  std::string tex = escaped(text);
  const std::string_view variant = value_of(node, "mathvariant");
  static constexpr std::pair<std::string_view, std::string_view> kVariants[] = {
      {"bold", "\\mathbf"}, {"bold-italic", "\\mathbf"}, {"double-struck", "\\mathbb"},
      {"script", "\\mathcal"}, {"fraktur", "\\mathfrak"}};
  for (const auto &[name, command] : kVariants) {
    if (variant == name) return std::string(command) + braced(tex);
  }
  const bool is_word = text.size() > 1 && is_ascii_letter(text[0]) && is_ascii_letter(text[1]);
  return is_word ? "\\mathrm" + braced(tex) : tex;
}

class Converter {
 public:
  std::string all(const Node *node, int depth) {
    std::string out;
    for (const Node *child = node->first; child; child = child->next) {
      if (child->kind == Kind::text) add(out, escaped(is_blank_text(child->text) ? "" : child->text));
      else if (is_element(child)) add_element(out, child, depth);
    }
    strip_end(out);
    return out;
  }

 private:
  std::string one(const Node *node, int depth) {
    std::string out;
    add_element(out, node, depth);
    strip_end(out);
    if (!out.empty() && out[0] == ' ') out.erase(0, 1);
    return out;
  }

  void add_operator(std::string &out, const Node *node) {
    const std::string text = folded_text(node);
    if (text.empty()) return;
    const Sign *sign = sign_of(text);
    const bool is_first = out.empty() || is_in(std::string_view("([{=,"), out.back());
    static constexpr std::string_view kInfix[] = {"=", "+", "-", "<", ">", "/", ":=", "*"};
    const bool is_infix = sign ? sign->is_infix : is_in(kInfix, text);
    if (text == "," || text == ";") {
      strip_end(out);
      return add(out, text + " ");
    }
    std::string tex = sign ? std::string(sign->tex) : escaped(text);
    if (text == "/" ) return add(out, tex);
    if (is_infix && !is_first) return add(out, " " + tex + " ");
    add(out, tex);
  }

  void add_element(std::string &out, const Node *node, int depth) {
    const std::string_view name = node->text;
    if (depth >= kMostDeep) return add(out, escaped(folded_text(node)));
    ++depth;
    if (name == "mi") return add(out, identifier(node));
    if (name == "mn") return add(out, escaped(folded_text(node)));
    if (name == "mo") return add_operator(out, node);
    if (name == "mtext" || name == "ms") {
      const std::string text = text_of(node);
      if (is_blank_text(text) || text == "\xC2\xA0") return add(out, " ");
      std::string inner;
      for (const char c : text) {
        if (is_in(kOwnSigns, c)) inner.push_back('\\');
        inner.push_back(is_space(c) ? ' ' : c);
      }
      return add(out, "\\text" + braced(inner));
    }
    if (name == "mspace") return add(out, " ");
    if (name == "annotation" || name == "annotation-xml" || name == "mprescripts" || name == "none") return;
    const std::vector<const Node *> parts = parts_of(node);
    const auto part = [&](size_t at) { return at < parts.size() ? one(parts[at], depth) : std::string(); };
    if (name == "semantics") return add(out, part(0));
    if (name == "mfrac") return add(out, "\\frac" + braced(part(0)) + braced(part(1)));
    if (name == "msqrt") return add(out, "\\sqrt" + braced(all(node, depth)));
    if (name == "mroot") return add(out, "\\sqrt[" + part(1) + "]" + braced(part(0)));
    if (name == "mphantom") return;
    if (name == "msup" || name == "msub" || name == "msubsup") {
      std::string tex = base(part(0));
      const size_t below = name == "msup" ? 0 : 1, above = name == "msub" ? 0 : name == "msup" ? 1 : 2;
      if (below > 0) tex += "_" + script(part(below));
      if (above > 0) {
        const std::string raised = part(above);
        const bool is_prime = !raised.empty() && raised.find_first_not_of('\'') == raised.npos;
        tex += is_prime ? raised : "^" + script(raised == "^\\circ" ? "\\circ" : raised);
      }
      return add(out, tex);
    }
    if (name == "munder" || name == "mover" || name == "munderover") {
      return add(out, limits(name, part(0), part(1), part(2)));
    }
    if (name == "mtable") return add(out, table(parts, depth));
    if (name == "mfenced") return add(out, fenced(node, parts, depth));
    if (name == "mmultiscripts") return add(out, scripts(parts, depth));
    add(out, all(node, depth));
  }

  static std::string base(const std::string &tex) {
    const bool is_simple = is_one_token(tex) || tex.empty() ||
                           (tex[0] == '\\' && tex.back() == '}' &&
                            std::count(tex.begin(), tex.end(), '{') == 1) ||
                           std::all_of(tex.begin(), tex.end(), is_ascii_digit) ||
                           tex == ")" || tex == "]";
    return is_simple ? (tex.empty() ? "{}" : tex) : braced(tex);
  }

  static std::string limits(std::string_view name, const std::string &base, const std::string &first,
                            const std::string &second) {
    static constexpr std::string_view kLarge[] = {"\\sum", "\\prod", "\\int", "\\iint", "\\oint",
                                                  "\\bigcup", "\\bigcap", "\\lim", "\\max", "\\min",
                                                  "\\sup", "\\inf", "\\limsup", "\\liminf"};
    const bool is_large = is_in(kLarge, base);
    if (name == "munderover") return base + "_" + script(first) + "^" + script(second);
    if (name == "munder") {
      if (is_large) return base + "_" + script(first);
      if (first == "\\_" || first == "¯" || first == "‾" || first == "̲") return "\\underline" + braced(base);
      if (first == "⏟") return "\\underbrace" + braced(base);
      return "\\underset" + braced(first) + braced(base);
    }
    if (is_large) return base + "^" + script(first);
    static constexpr std::pair<std::string_view, std::string_view> kAccents[] = {
        {"¯", "\\overline"}, {"‾", "\\overline"}, {"^", "\\hat"},  {"ˆ", "\\hat"},
        {"~", "\\tilde"},    {"˜", "\\tilde"},    {"˙", "\\dot"},  {"¨", "\\ddot"},
        {"⏞", "\\overbrace"}, {"\\rightarrow", "\\vec"}, {"⃗", "\\vec"}, {"\\sim", "\\tilde"}};
    for (const auto &[accent, command] : kAccents) {
      if (first == accent) return std::string(command) + braced(base);
    }
    return "\\overset" + braced(first) + braced(base);
  }

  std::string table(const std::vector<const Node *> &rows, int depth) {
    std::string out = "\\begin{matrix} ";
    bool is_first = true;
    for (const Node *row : rows) {
      if (!is_first) out += " \\\\ ";
      is_first = false;
      if (row->text != "mtr" && row->text != "mlabeledtr") {
        out += one(row, depth);
        continue;
      }
      bool is_first_cell = true;
      for (const Node *cell : parts_of(row)) {
        if (!is_first_cell) out += " & ";
        is_first_cell = false;
        out += all(cell, depth);
      }
    }
    return out + " \\end{matrix}";
  }

  std::string fenced(const Node *node, const std::vector<const Node *> &parts, int depth) {
    const auto given = [&](std::string_view name, std::string_view usual) {
      return attribute_of(node, name) ? value_of(node, name) : usual;
    };
    const std::string separators = [&] {
      std::string out;
      for (const char c : given("separators", ",")) {
        if (!is_space(c)) out.push_back(c);
      }
      return out;
    }();
    std::string out = escaped(given("open", "("));
    for (size_t at = 0; at < parts.size(); ++at) {
      if (at > 0 && !separators.empty()) {
        out.push_back(separators[std::min(at - 1, separators.size() - 1)]);
        out.push_back(' ');
      }
      add(out, one(parts[at], depth));
    }
    return out + escaped(given("close", ")"));
  }

  std::string scripts(const std::vector<const Node *> &parts, int depth) {
    std::string after = parts.empty() ? "" : base(one(parts[0], depth)), before;
    std::string *side = &after;
    bool is_below = true;
    for (size_t at = 1; at < parts.size(); ++at) {
      if (parts[at]->text == "mprescripts") {
        side = &before;
        before = "{}";
        is_below = true;
        continue;
      }
      const std::string tex = one(parts[at], depth);
      if (!tex.empty()) *side += (is_below ? "_" : "^") + script(tex);
      is_below = !is_below;
    }
    return before + after;
  }
};

const Node *tex_annotation(const Node *math) {
  static constexpr std::string_view kTex[] = {"application/x-tex", "tex", "latex", "application/x-latex", "text/tex"};
  return find_node(math, [](const Node *node) {
    return is_element(node) && node->text == "annotation" && is_in(kTex, lowered(value_of(node, "encoding")));
  });
}

bool takes_off(std::string_view &tex, std::string_view start, std::string_view end) {
  if (tex.size() < start.size() + end.size() || !starts_with(tex, start) || !ends_with(tex, end)) return false;
  tex.remove_prefix(start.size());
  tex.remove_suffix(end.size());
  tex = stripped(tex);
  return true;
}

// Whether the brace that begins a text is closed by the one that ends it.
bool is_in_one_pair(std::string_view tex) {
  int open = 0;
  for (size_t at = 0; at < tex.size(); ++at) {
    if (tex[at] == '\\') ++at;
    else if (tex[at] == '{') ++open;
    else if (tex[at] == '}' && --open == 0) return at + 1 == tex.size();
  }
  return false;
}

}  // namespace

std::string tidy_tex(std::string_view written) {
  std::string text;
  for (size_t at = 0; at < written.size(); ++at) {
    const char c = written[at];
    if (c == '%' && (at == 0 || written[at - 1] != '\\') && written.find('\n', at) != written.npos) {
      at = written.find('\n', at);
      if (!text.empty() && text.back() != ' ') text.push_back(' ');
    } else if (!is_space(c)) {
      text.push_back(c);
    } else if (!text.empty() && text.back() != ' ') {
      text.push_back(' ');
    }
  }
  std::string_view tex = stripped(text);
  if (!takes_off(tex, "$$", "$$") && !takes_off(tex, "\\[", "\\]") && !takes_off(tex, "\\(", "\\)")) {
    takes_off(tex, "$", "$");
  }
  for (const std::string_view size : {"{\\displaystyle ", "{\\textstyle ", "{\\scriptstyle "}) {
    if (is_in_one_pair(tex)) takes_off(tex, size, "}");
  }
  for (const std::string_view size : {"\\displaystyle ", "\\textstyle "}) takes_off(tex, size, "");
  return std::string(tex);
}

std::string tex_of_math(const Node *math) {
  if (const Node *annotation = tex_annotation(math)) {
    std::string tex = tidy_tex(text_of(annotation));
    if (!tex.empty()) return tex;
  }
  const std::string_view said = value_of(math, "alttext");
  if (said.find_first_of("\\^_") != said.npos) return tidy_tex(said);
  return Converter().all(math, 0);
}

}  // namespace skord::html
