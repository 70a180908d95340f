// SVG and MathML in a page.

#include <algorithm>

#include "html/tree_construction/builder.hpp"

namespace skord::html {

namespace {

using Type = Token::Kind;

// WHATWG HTML 13.2.6.1 and 13.2.6.5: names of SVG that hold capitals.
constexpr std::string_view kSvgElements[] = {
    "altGlyph", "altGlyphDef", "altGlyphItem", "animateColor", "animateMotion",
    "animateTransform", "clipPath", "feBlend", "feColorMatrix", "feComponentTransfer",
    "feComposite", "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight",
    "feDropShadow", "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur",
    "feImage", "feMerge", "feMergeNode", "feMorphology", "feOffset", "fePointLight",
    "feSpecularLighting", "feSpotLight", "feTile", "feTurbulence", "foreignObject", "glyphRef",
    "linearGradient", "radialGradient", "textPath"};
constexpr std::string_view kSvgAttributes[] = {
    "attributeName", "attributeType", "baseFrequency", "baseProfile", "calcMode", "clipPathUnits",
    "diffuseConstant", "edgeMode", "filterUnits", "glyphRef", "gradientTransform", "gradientUnits",
    "kernelMatrix", "kernelUnitLength", "keyPoints", "keySplines", "keyTimes", "lengthAdjust",
    "limitingConeAngle", "markerHeight", "markerUnits", "markerWidth", "maskContentUnits",
    "maskUnits", "numOctaves", "pathLength", "patternContentUnits", "patternTransform",
    "patternUnits", "pointsAtX", "pointsAtY", "pointsAtZ", "preserveAlpha", "preserveAspectRatio",
    "primitiveUnits", "refX", "refY", "repeatCount", "repeatDur", "requiredExtensions",
    "requiredFeatures", "specularConstant", "specularExponent", "spreadMethod", "startOffset",
    "stdDeviation", "stitchTiles", "surfaceScale", "systemLanguage", "tableValues", "targetX",
    "targetY", "textLength", "viewBox", "viewTarget", "xChannelSelector", "yChannelSelector",
    "zoomAndPan"};
constexpr std::string_view kMathmlAttributes[] = {"definitionURL"};

template <size_t n>
void adjust(std::string_view &name, const std::string_view (&names)[n]) {
  for (const std::string_view other : names) {
    if (is_lowered(other, name)) {
      name = other;
      return;
    }
  }
}

bool says_html(const Node *node) {
  const Attribute *encoding = attribute_of(node, "encoding");
  return encoding && (is_lowered(encoding->value, "text/html") ||
                      is_lowered(encoding->value, "application/xhtml+xml"));
}

bool ends_foreign(const Token &token) {
  if (token.kind == Type::end) return is_one_of(token.tag, {Tag::br_, Tag::p_});
  if (token.tag != Tag::font_) return is(token.tag, kBreakout);
  return std::any_of(token.attributes.begin(), token.attributes.end(), [](const Attribute &one) {
    return one.name == "color" || one.name == "face" || one.name == "size";
  });
}

}  // namespace

void adjust_names(Node *node) {
  const bool is_svg = node->space == Space::svg;
  if (is_svg) adjust(node->text, kSvgElements);
  for (Attribute &attribute : node->all_attributes()) {
    if (is_svg) adjust(attribute.name, kSvgAttributes);
    else adjust(attribute.name, kMathmlAttributes);
  }
}

bool is_html_point(const Node *node) {
  if (node->space == Space::svg) {
    return is_one_of(node->tag, {Tag::foreignobject_, Tag::desc_, Tag::title_});
  }
  return node->space == Space::mathml && node->tag == Tag::annotation_xml_ && says_html(node);
}

bool is_mathml_text_point(const Node *node) {
  return node->space == Space::mathml &&
         is_one_of(node->tag, {Tag::mi_, Tag::mo_, Tag::mn_, Tag::ms_, Tag::mtext_});
}

bool is_special(const Node *node) {
  if (node->space == Space::html) return is(node->tag, kSpecial);
  if (node->space == Space::svg) return is_html_point(node);
  return is_mathml_text_point(node) || node->tag == Tag::annotation_xml_;
}

// 13.2.6.5
bool Builder::in_foreign(Token &token) {
  switch (token.kind) {
    case Type::text:
      insert_text(with_replaced_nul(token.text, tree_.arena));
      for (const char c : token.text) frameset_ok_ &= is_space(c) || c == '\0';
      return false;
    case Type::comment: return insert_comment(token), false;
    case Type::doctype:
    case Type::eof: return false;
    case Type::start:
    case Type::end: break;
  }
  if (ends_foreign(token)) {
    while (is_foreign(current()) && !is_mathml_text_point(current()) && !is_html_point(current())) {
      pop();
    }
    return in_mode(mode_, token);
  }
  if (token.kind == Type::end) return end_in_foreign(token);
  insert_element(token, current()->space);
  if (token.self_closing) pop();
  return false;
}

bool Builder::end_in_foreign(Token &token) {
  for (size_t at = stack_.size() - 1; at > 0; --at, charge(1)) {
    const Node *node = stack_[at];
    if (node->space == Space::html) return in_mode(mode_, token);
    if (is_lowered(node->text, token.text)) return pop_until(node), false;
  }
  return false;
}

}  // namespace skord::html
