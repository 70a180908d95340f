#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "html/reading/reshape.hpp"

namespace skord::html {

namespace {

bool is_list(const Node *node) {
  return node->space == Space::html && is_one_of(node->tag, {Tag::ul_, Tag::ol_, Tag::dir_, Tag::menu_});
}

bool is_item_of(const Node *list, const Node *node) {
  return list->tag == Tag::dl_ ? is_one_of(node->tag, {Tag::dt_, Tag::dd_}) : node->tag == Tag::li_;
}

bool says_nothing(const Node *node) {
  return is_gone(node) || (node->kind == Kind::text && is_blank_text(node->text));
}

Node *first_that_says(const Node *parent) {
  Node *child = parent->first;
  while (child && says_nothing(child)) child = child->next;
  return child;
}

std::optional<long> number_in(std::string_view text) {
  text = stripped(text);
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || number > 999'999'999 || number < -999'999'999) return std::nullopt;
  return number;
}

// Boxes within a list that hold its items are none.
void unwrap_boxes(Node *list) {
  for (Node *child = list->first; child;) {
    Node *next = child->next;
    if (is_element(child) && !is_item_of(list, child) && !is_list(child) && child->tag != Tag::table_ && !is_gone(child)) {
      const Node *held = first_that_says(child);
      bool holds_items = held && is_item_of(list, held);
      if (!holds_items && held && !held->next && is_element(held) && !is_list(held)) {
        const Node *inner = first_that_says(held);
        holds_items = inner && is_item_of(list, inner);
      }
      if (holds_items) {
        next = child->first;
        while (child->first) move_before(child->first, child);
        remove(child);
      }
    }
    child = next;
  }
}

bool holds_item(const Node *list) {
  for (const Node *child = list->first; child; child = child->next) {
    if (is_item_of(list, child)) return true;
  }
  return false;
}

// What stands in a list outside of its items: lists belong to the item before them, all else parts the
// list in two. Returns the lists that it has become.
std::vector<Node *> part(Tree &tree, Node *list) {
  std::vector<Node *> lists = {list};
  unwrap_boxes(list);
  const auto is_right = [&](const Node *child) { return says_nothing(child) || is_item_of(list, child); };
  bool is_whole = true;
  for (const Node *child = list->first; child && is_whole; child = child->next) is_whole = is_right(child);
  if (is_whole) return lists;

  std::vector<Node *> children;
  for (Node *child = list->first; child; child = child->next) children.push_back(child);
  remove_children(list);
  Node *parent = list->parent, *behind = list->next;
  Node *current = list, *last = nullptr, *stray = nullptr;  // the last item; the box of strays
  for (Node *child : children) {
    if (is_item_of(list, child)) {
      if (stray && last) {
        current = make_element(tree, list->tag);
        current->text = list->text;
        copy_attributes(list, current);
        insert_before(parent, current, behind);
        lists.push_back(current);
      }
      stray = nullptr;
      last = child;
      append(current, child);
    } else if (says_nothing(child)) {
      append(stray ? stray : current, child);
    } else if (is_list(child) && last && !stray && list->tag != Tag::dl_) {
      append(last, child);
    } else {
      if (!stray) {
        stray = make_element(tree, Tag::div_);
        insert_before(parent, stray, last ? behind : list);
        copy_attributes(list, stray);  // it is still what the list was named
      }
      append(stray, child);
    }
  }
  return lists;
}

// The letters or Roman numbers that an item begins with, as browsers count them.
std::string letters_of(long number, bool is_upper) {
  std::string out;
  for (; number > 0; number = (number - 1) / 26) {
    out.insert(out.begin(), static_cast<char>((is_upper ? 'A' : 'a') + (number - 1) % 26));
  }
  return out;
}

std::string roman_of(long number, bool is_upper) {
  static constexpr std::pair<int, std::string_view> kParts[] = {
      {1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"}, {90, "xc"}, {50, "l"},
      {40, "xl"},  {10, "x"},   {9, "ix"},  {5, "v"},    {4, "iv"},  {1, "i"}};
  std::string out;
  for (const auto &[value, letters] : kParts) {
    for (; number >= value; number -= value) out.append(letters);
  }
  if (is_upper) {
    for (char &c : out) c = static_cast<char>(c - 32);
  }
  return out;
}

char style_of(const Node *list) {
  std::string style = style_value(list, "list-style-type");
  if (style.empty()) style = style_value(list, "list-style");
  static constexpr std::pair<std::string_view, char> kStyles[] = {
      {"lower-alpha", 'a'}, {"lower-latin", 'a'}, {"upper-alpha", 'A'},
      {"upper-latin", 'A'}, {"lower-roman", 'i'}, {"upper-roman", 'I'}};
  for (const auto &[name, sign] : kStyles) {
    if (contains(style, name)) return sign;
  }
  const std::string_view type = stripped(value_of(list, "type"));
  return type.size() == 1 && contains("aAiI", type) ? type[0] : '1';
}

// Puts a text at the beginning of what an item says.
void begin_with(Tree &tree, Node *item, const std::string &text) {
  Node *place = item;
  for (int depth = 0; depth < 4; ++depth) {
    Node *first = first_that_says(place);
    if (!first || !is_one_of(first->tag, {Tag::p_, Tag::div_})) break;
    place = first;
  }
  insert_before(place, make_text(tree, text), place->first);
}

void number(Tree &tree, const std::vector<Node *> &lists) {
  Node *first = lists.front();
  if (first->tag != Tag::ol_) return;
  std::vector<std::vector<Node *>> items;
  long count = 0;
  for (const Node *list : lists) {
    items.emplace_back();
    for (Node *child = list->first; child; child = child->next) {
      if (is_item_of(list, child)) items.back().push_back(child);
    }
    count += static_cast<long>(items.back().size());
  }
  const bool is_reversed = attribute_of(first, "reversed") != nullptr;
  long next = number_in(value_of(first, "start")).value_or(is_reversed ? count : 1);
  const char style = style_of(first);
  for (size_t at = 0; at < lists.size(); ++at) {
    long expected = 0;
    for (size_t place = 0; place < items[at].size(); ++place) {
      Node *item = items[at][place];
      next = number_in(value_of(item, "value")).value_or(next);
      if (style != '1' && next > 0 && next < 4000) {
        const bool is_upper = style == 'A' || style == 'I', is_roman = style == 'i' || style == 'I';
        begin_with(tree, item, (is_roman ? roman_of(next, is_upper) : letters_of(next, is_upper)) + ". ");
      }
      if (place == 0) set_attribute(tree, lists[at], "start", std::to_string(next));
      else if (next != expected) set_attribute(tree, item, "value", std::to_string(next));
      expected = next + 1;
      next += is_reversed ? -1 : 1;
    }
    if (style != '1') lists[at]->tag = Tag::ul_;
  }
}

// The box of a task at the beginning of an item.
void show_task(Tree &tree, Node *item) {
  Node *node = item->first;
  for (int steps = 0; node && steps < 8; ++steps) {
    if (node->tag == Tag::input_ && is_lowered(value_of(node, "type"), "checkbox")) break;
    if (node->kind == Kind::text && !is_blank_text(node->text)) return;
    if (is_list(node)) return;
    node = node_after(node, item);
  }
  if (!node || node->tag != Tag::input_) return;
  static constexpr std::string_view kTasks[] = {"task", "todo", "checklist"};
  const auto is_task = [](const Node *of) { return holds_any<kTasks>(value_of(of, "class")); };
  // What a form would send has a name.
  const bool is_shown_alone = attribute_of(node, "disabled") || (!attribute_of(node, "name") && !attribute_of(node, "id"));
  if (!is_shown_alone && !is_task(item) && !is_task(item->parent) && !is_task(node)) return;
  set_attribute(tree, node, "task", attribute_of(node, "checked") ? "x" : " ");
}

void end_definitions(Tree &tree, Node *list) {
  bool has_meaning = false;
  Node *last = nullptr;
  for (Node *child = list->first; child;) {
    Node *next = child->next;
    if (child->tag == Tag::dd_ && !last) {  // a meaning of nothing
      move_before(child, list);
      child->tag = Tag::div_;
    } else if (is_item_of(list, child)) {
      last = child;
      has_meaning = has_meaning || child->tag == Tag::dd_;
    }
    child = next;
  }
  if (has_meaning && last && last->tag == Tag::dt_) append(list, make_element(tree, Tag::dd_));
}

// Puts an item and those beside it, which stand in no list, into one. Returns the list.
Node *listed(Tree &tree, Node *item) {
  Node *list = make_element(tree, Tag::ul_);
  insert_before(item->parent, list, item);
  for (Node *child = item; child && (child->tag == Tag::li_ || says_nothing(child));) {
    Node *next = child->next;
    append(list, child);
    child = next;
  }
  return list;
}

}  // namespace

void reshape_lists(Tree &tree) {
  for (Node *node = tree.document; node;) {
    if (node->tag == Tag::li_ && node->parent && !is_list(node->parent)) node = listed(tree, node);
    const bool is_one = is_list(node) || node->tag == Tag::dl_;
    if (!is_one || !node->parent || attribute_of(node, "parted")) {
      node = seen_after(node, tree.document);
      continue;
    }
    Node *parent = node->parent, *before = node->prev, *behind = node->next;
    std::vector<Node *> lists = part(tree, node);
    const bool is_parted = node->next != behind || node->prev != before;
    if (is_parted && !holds_item(lists.front())) {
      remove(lists.front());
      lists.erase(lists.begin());
    }
    for (Node *list : lists) {
      if (is_parted) set_attribute(tree, list, "parted", "");
      if (list->tag == Tag::dl_) {
        end_definitions(tree, list);
        continue;
      }
      for (Node *item = list->first; item; item = item->next) {
        if (is_item_of(list, item)) show_task(tree, item);
      }
    }
    if (!lists.empty()) number(tree, lists);
    // What has left a list may hold others.
    node = is_parted ? (before ? before->next : parent->first) : seen_after(node, tree.document);
  }
}

}  // namespace skord::html
