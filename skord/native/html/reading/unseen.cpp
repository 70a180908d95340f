#include <algorithm>
#include <vector>

#include "html/reading/reshape.hpp"
#include "html/reading/style_sheets.hpp"

namespace skord::html {

namespace {

constexpr size_t kLongFallback = 400;   // bytes of a <noscript> that is a page's text
constexpr size_t kLongestNotice = 1'500;  // bytes of a <noscript> that asks for scripts; a page may do so, too
constexpr size_t kFewBytes = 240;       // beside a dialog, in a page that has nothing else
constexpr size_t kLongestDialog = 3'000;
constexpr size_t kLongUnfolded = 300;   // of what a page's own sheet hides
constexpr int kMostLinks = 12;          // of a dialog

size_t bytes_of_text(std::string_view text) {
  size_t blanks = 0;
  for (const char c : text) blanks += is_space(c);
  return text.size() - blanks;
}

bool is_unseen_tag(Node *node) {
  if (node->space != Space::html) return false;
  const bool is_page = is_one_of(node->tag, {Tag::h1_, Tag::body_, Tag::html_});
  if (!is_page && has_sign(node, kScreenReader)) return true;
  if (node->tag == Tag::dialog_) return !attribute_of(node, "open");
  // A title is in the body where text before <html> or <head> has put it.
  return is_one_of(node->tag, {Tag::rt_, Tag::rp_, Tag::rtc_, Tag::title_}) || node->text == "datalist";
}

bool hides_itself(const Node *node) {
  if (const Attribute *hidden = attribute_of(node, "hidden")) {
    if (!is_lowered(hidden->value, "until-found")) return true;
  }
  static constexpr std::string_view kHiding[] = {"none", "hidden", "collapse"};
  if (!holds_any<kHiding>(value_of(node, "style"))) return false;
  const std::string visibility = style_value(node, "visibility");
  return style_value(node, "display") == "none" || visibility == "hidden" || visibility == "collapse";
}

// Whether the page's own sheets hide an element that no script is likely to show: long ones are panels
// and dialogs that wait for a tap, and others appear as the page is drawn or scrolled to.
bool is_hidden_by(const StyleSheets &sheets, const Node *node) {
  if (sheets.hiding_of(node) == Hiding::none || node->tag == Tag::main_ || node->tag == Tag::article_) return false;
  static constexpr std::string_view kShownLater[] = {"load", "lazy", "cloak", "slide", "anim", "reveal", "appear", "elementor-invisible", "aos-"};
  return !holds_any<kShownLater>(value_of(node, "class")) && bytes_of_text(text_of(node, 4 * kLongUnfolded)) < kLongUnfolded;
}

bool is_hidden(const StyleSheets &sheets, const Node *node) { return hides_itself(node) || is_hidden_by(sheets, node); }

// Whether a reader can have it shown: one of several slides or panels, or what a title unfolds.
bool can_be_shown(const StyleSheets &sheets, const Node *node) {
  static constexpr std::string_view kFolds[] = {"collaps", "accordion", "fold", "expand", "toggle", "details", "tab-pane", "tabpanel"};
  if (value_of(node, "role") == "tabpanel") return true;
  const Node *around = node;
  for (int level = 0; level < 2 && around && is_element(around); ++level, around = around->parent) {
    if (around->tag != Tag::body_ && holds_any<kFolds>(value_of(around, "class"))) return true;
  }
  std::string_view all = value_of(node, "class");
  const std::string_view name = next_part(all);
  if (name.empty() || attribute_of(node, "hidden")) return false;
  int steps = 0;
  for (const bool goes_on : {false, true}) {
    for (const Node *beside = node; beside && ++steps < 100; beside = goes_on ? beside->next : beside->prev) {
      if (!is_element(beside) || beside->tag != node->tag || !has_class(beside, name)) continue;
      if (!is_hidden(sheets, beside) && text_of(beside, 40).size() >= 40) return true;
    }
  }
  return false;
}

bool has_word_char(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (is_alnum(next_code(text, at))) return true;
  }
  return false;
}

// What is drawn, but said again elsewhere for readers of screens: icons, signs, links to a heading
// itself; and boxes that a script would open.
bool is_furniture(const Node *node) {
  if (!is_lowered(value_of(node, "aria-hidden"), "true")) return false;
  const std::string_view name = value_of(node, "class");
  static constexpr std::string_view kBoxes[] = {"modal", "dialog", "offcanvas", "popup", "lightbox", "drawer"};
  if (holds_any<kBoxes>(name) || value_of(node, "role") == "dialog") return true;
  const std::string text = text_of(node, 200);
  if (text.size() >= 200) return false;
  static constexpr std::string_view kIcons[] = {"icon", "glyph", "symbol", "anchor", "headerlink"};
  return !has_word_char(text) ? !is_blank_text(text) : holds_any<kIcons>(name);
}

// Bytes of the texts below a node that are not blank; counting stops when there are more than `most`.
size_t bytes_of(const Node *root, size_t most = std::string::npos) {
  size_t bytes = 0;
  for (const Node *node = root; node && bytes <= most; node = seen_after(node, root)) {
    if (node->kind == Kind::text) bytes += bytes_of_text(node->text);
  }
  return bytes;
}

// Puts what is visible within what is not before it.
void keep_visible(Node *hidden) {
  for (Node *node = hidden->first; node;) {
    const bool is_visible = is_element(node) && style_value(node, "visibility") == "visible";
    Node *next = node_after(node, hidden, !is_visible && !is_gone(node));
    if (is_visible) move_before(node, hidden);
    node = next;
  }
}

// A page is often hidden until a script has drawn it. So what hides itself stays where it is the
// page, or most of it.
void remove_hidden(Tree &tree, const StyleSheets &sheets) {
  std::vector<Node *> hidden, by_sheets;
  size_t hidden_bytes = 0, by_sheets_bytes = 0;
  for (Node *node = tree.document; node;) {
    bool go_down = !is_gone(node);
    if (is_element(node) && go_down && !is_one_of(node->tag, {Tag::html_, Tag::body_, Tag::noscript_})) {
      const bool is_sign = is_furniture(node), is_own = is_sign || hides_itself(node);
      if ((is_own || is_hidden_by(sheets, node)) && (is_sign || !can_be_shown(sheets, node))) {
        (is_own ? hidden : by_sheets).push_back(node);
        (is_own ? hidden_bytes : by_sheets_bytes) += bytes_of(node);
        go_down = false;
      }
    }
    node = node_after(node, tree.document, go_down);
  }
  const size_t found = hidden_bytes + by_sheets_bytes;
  const size_t bytes = found > kFewBytes ? bytes_of(tree.document, 2 * found) - found : 0;  // of what is shown
  const auto is_page = [&](size_t part) { return part > bytes && part > kFewBytes; };
  if (!is_page(by_sheets_bytes)) {
    for (Node *node : by_sheets) {
      if (sheets.hiding_of(node) == Hiding::by_visibility) keep_visible(node);
      remove(node);
    }
  }
  if (is_page(hidden_bytes)) return;
  for (Node *node : hidden) {
    if (style_value(node, "visibility") == "hidden" && style_value(node, "display") != "none") keep_visible(node);
    remove(node);
  }
}

// Browsers that run scripts show nothing of <noscript>. Pictures stay that wait for a script where no
// picture stands beside it, and what is the text of a page that has no other.
void remove_noscript(Tree &tree) {
  if (!tree.has_any(Tag::noscript_)) return;
  std::vector<Node *> found;
  for (Node *node = tree.document; node;) {
    const bool is_it = node->tag == Tag::noscript_;
    if (is_it) found.push_back(node);
    node = node_after(node, tree.document, !is_it && !is_gone(node));
  }
  // Saved pages hold the markup within as text: what counts readers, as a rule.
  const auto is_markup = [](const Node *node) { return starts_with(stripped(text_of(node, 1'000)), "<"); };
  const auto is_image = [](const Node *node) { return node->tag == Tag::img_; };
  size_t inside = 0;
  for (const Node *node : found) inside += is_markup(node) ? 0 : bytes_of(node);
  const bool is_page = inside >= kLongFallback && bytes_of(tree.document) < 2 * inside;
  for (Node *node : found) {
    const std::string text = lowered(text_of(node));
    const bool is_notice = bytes_of_text(text) < kLongestNotice &&
                           (contains(text, "javascript") || contains(text, "java script") || contains(text, "ジャバスクリプト"));
    if (is_page && !is_notice && !is_markup(node) && bytes_of_text(text) >= kLongFallback) continue;
    std::vector<Node *> pictures;
    if (bytes_of_text(text) == 0) {
      for (Node *at = node; at; at = node_after(at, node)) {
        if (is_image(at)) pictures.push_back(at);
      }
    }
    Node *beside = node->prev;
    while (beside && beside->kind == Kind::text && is_blank_text(beside->text)) beside = beside->prev;
    if (!beside || !find_node(beside, is_image)) {
      for (Node *picture : pictures) move_before(picture, node);
    }
    remove(node);
  }
}

constexpr std::string_view kDialogs[] = {
    "cookie", "consent", "gdpr", "onetrust", "didomi", "usercentrics", "cybot", "sp_message",
    "truste", "privacy", "samtyck", "samtykke", "klaro", "evidon", "quantcast", "sourcepoint"};

// Words of three kinds that such a dialog says together, in the languages of Europe and in Japanese.
constexpr std::string_view kCookies[] = {
    "cookie", "kakor", "kaker", "kakur", "vafrakök", "informasjonskaps", "informationskaps", "evästei",
    "eväste", "sīkdat", "sikdat", "küpsis", "slapuk", "ciastecz", "クッキー", "souborů cookie", "farspor"};
constexpr std::string_view kChoices[] = {
    "samtyck", "samtykk", "samþykk", "godkän", "godkend", "godta", "aksepter", "accept", "consent", "suostumu",
    "hyväksy", "piekrī", "piekris", "nõust", "nõusol", "sutik", "sutink", "zgod", "zgadza", "souhlas",
    "zustimm", "einwillig", "同意", "許可", "tillat", "tillåt", "tillad", "salli", "leyf", "atļau", "luba",
    "leis", "pozwól", "povol", "erlaub", "zulassen", "allow"};
constexpr std::string_view kPurposes[] = {
    "partner", "annons", "annonc", "reklam", "personuppgift", "persondata", "personopplysning", "henkilötie",
    "personas dat", "isikuandme", "asmens duomen", "integritet", "privatliv", "personvern", "privacy",
    "privātum", "privaat", "yksityisyy", "prywatno", "advert", "mainon", "mainos", "targeting", "パートナー",
    "広告", "プライバシー", "daten"};

bool speaks_of_consent(std::string_view text) {
  return holds_any<kCookies>(text) && holds_any<kChoices>(text) && holds_any<kPurposes>(text);
}

bool is_named_as_dialog(const Node *node) {
  for (const std::string_view key : {"class", "id", "role"}) {
    const std::string_view value = value_of(node, key);
    if (value.empty()) continue;
    if (holds_any<kDialogs>(value)) return true;
    static constexpr std::string_view kWords[] = {"cmp", "dialog", "alertdialog"};
    if (!holds_any<kWords>(value)) continue;
    if (has_any_word(lowered(value), kWords)) return true;
  }
  return false;
}

// Whether a box is a question for consent: short, in such words, and without what only pages have.
bool asks_for_consent(const Node *box, bool is_named) {
  int links = 0;
  for (const Node *node = box; node; node = seen_after(node, box)) {
    links += node->tag == Tag::a_;
    const bool is_of_page = is_one_of(node->tag, {Tag::article_, Tag::main_, Tag::nav_, Tag::table_}) ||
                            (node->tag == Tag::h1_ && !is_named);
    if (links > kMostLinks || is_of_page) return false;
  }
  const std::string text = text_of(box, 2 * kLongestDialog);
  return bytes_of_text(text) <= kLongestDialog && speaks_of_consent(text);
}

// Words for having scripts run, beside "JavaScript".
bool asks_for_scripts(std::string_view text) {
  static constexpr std::string_view kSwitch[] = {
      "enable", "turn on", "requires", "slå på", "aktiver", "slår på", "slå til", "skru på", "kveik", "ota java", "otettava",
      "käyttöön", "virkja", "ieslēdz", "aktiviz", "lülita", "luba", "įjunk", "įgalin", "włącz", "povol", "zapn", "有効"};
  return contains(text, "javascript") && holds_any<kSwitch>(text);
}

// Whether all that a page shows stands in one box: beside a dialog without a name there may be a text.
bool has_one_box(const Node *body) {
  int boxes = 0;
  for (const Node *child = body->first; child; child = child->next) boxes += !is_gone(child) && bytes_of(child) > 0;
  return boxes <= 1;
}

// What a page says beside the question for consent is too little to be its text: then the question is
// all that a reader would get, and it is no text.
void remove_lone_dialog(Tree &tree) {
  std::string all;
  size_t bytes = 0;
  for (const Node *node = tree.document; node; node = seen_after(node, tree.document)) {
    if (node->kind != Kind::text) continue;
    bytes += bytes_of_text(node->text);
    if (bytes > 4 * kLongestDialog) return;
    all.append(node->text);
  }
  const bool may_ask = speaks_of_consent(all);
  if (!may_ask && bytes > kLongFallback) return;
  std::vector<Node *> dialogs;
  size_t asked = 0;
  bool has_button = false;
  Node *body = nullptr;
  for (Node *node = tree.document; node;) {
    bool go_down = !is_gone(node);
    if (is_element(node)) {
      if (node->tag == Tag::body_) body = node;
      has_button = has_button || node->tag == Tag::button_ || value_of(node, "role") == "button";
      const bool may_be = may_ask && go_down && !is_one_of(node->tag, {Tag::html_, Tag::body_});
      if (may_be && is_named_as_dialog(node) && asks_for_consent(node, true)) {
        dialogs.push_back(node);
        asked += bytes_of(node);
        go_down = false;
      }
    }
    node = node_after(node, tree.document, go_down);
  }
  // All that there is asks for a script.
  if (body && bytes <= kLongFallback && has_one_box(body) && asks_for_scripts(lowered(text_of(body)))) {
    return remove_children(body);
  }
  // The title stands in the head, which cleaning leaves out.
  if (!dialogs.empty() && bytes < asked + kFewBytes) {
    for (Node *node : dialogs) remove(node);
  } else if (dialogs.empty() && body && has_button && bytes <= kLongestDialog &&
             has_one_box(body) && asks_for_consent(body, false)) {
    remove_children(body);
  }
}

}  // namespace

void remove_unseen(Tree &tree, const StyleSheets &sheets) {
  for (Node *node = tree.document; node;) {
    Node *next = seen_after(node, tree.document);
    if (is_element(node) && is_unseen_tag(node)) {
      next = node_after(node, tree.document, false);
      remove(node);
    }
    node = next;
  }
  remove_noscript(tree);
  remove_hidden(tree, sheets);
  remove_lone_dialog(tree);
}

}  // namespace skord::html
