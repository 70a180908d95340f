#include "pandoc_dialect/document.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "pandoc_dialect/blocks.hpp"
#include "pandoc_dialect/convert.hpp"
#include "pandoc_dialect/tables.hpp"
#include "pandoc_dialect/writer.hpp"
#include "text/json.hpp"

namespace skord::pandoc_dialect {

namespace {

// Arrays and objects in one another; a list in a list takes three more.
constexpr size_t kMostNestedJson = 900;

Style style_named(std::string_view name) {
  static constexpr std::pair<std::string_view, Style> kStyles[] = {
      {"Strong", Style::bold},          {"Emph", Style::italic},
      {"Strikeout", Style::struck},     {"Superscript", Style::superscript},
      {"Subscript", Style::subscript},
  };
  for (const auto &[known, style] : kStyles) {
    if (name == known) return style;
  }
  return Style::none;
}

Inlines inlines_of(const Json &content);

Inline image_of(const Json &content) {
  Inline image;
  image.kind = Kind::image;
  image.content = inlines_of(content[1]);
  image.text = content[2][size_t{0}].string;
  return image;
}

Inline formula_of(const Json &content) {
  const bool is_display = content[size_t{0}]["t"].string == "DisplayMath";
  Inline formula;
  formula.kind = Kind::formula;
  formula.text = (is_display ? "\\[" : "\\(") + content[1].string + (is_display ? "\\]" : "\\)");
  return formula;
}

Inline span_of(const Json &content) {
  const Json &classes = content[size_t{0}][1];
  const std::string &name = classes[size_t{0}].string;
  return styled_piece(Style::tag, inlines_of(content[1]), classes.items.empty() ? "span" : name);
}

void add_inline(Inlines &result, const Json &piece) {
  const std::string &kind = piece["t"].string;
  const Json &content = piece["c"];
  const Style style = style_named(kind);
  if (kind == "Str") {
    add_text(result, content.string);
  } else if (kind == "Space" || kind == "SoftBreak") {
    add_text(result, " ");
  } else if (kind == "LineBreak") {
    add_break(result);
  } else if (kind == "Code") {
    add(result, code_piece(content[1].string));
  } else if (kind == "Math") {
    add(result, formula_of(content));
  } else if (kind == "Image") {
    add(result, image_of(content));
  } else if (kind == "Link") {
    add_link(result, inlines_of(content[1]));
  } else if (kind == "Quoted") {
    const bool is_double = content[size_t{0}]["t"].string == "DoubleQuote";
    const Style quotes = is_double ? Style::quote : Style::inner_quote;
    add(result, styled_piece(quotes, inlines_of(content[1])));
  } else if (style != Style::none) {
    result.push_back(styled_piece(style, inlines_of(content)));
  } else if (kind == "Span") {
    add(result, span_of(content));
  }
}

Inlines inlines_of(const Json &content) {
  Inlines result;
  for (const Json &piece : content.items) add_inline(result, piece);
  return result;
}

const Inline *first_image(const Inlines &inlines) {
  for (const Inline &piece : inlines) {
    if (piece.kind == Kind::image) return &piece;
    const Inline *image = piece.kind == Kind::styled ? first_image(piece.content) : nullptr;
    if (image != nullptr) return image;
  }
  return nullptr;
}

const Inline *first_image(const Blocks &blocks) {
  for (const Block &block : blocks) {
    const Inline *image = first_image(block.inlines);
    if (image == nullptr) image = first_image(block.blocks);
    for (size_t at = 0; image == nullptr && at < block.items.size(); ++at) {
      image = first_image(block.items[at]);
    }
    if (image != nullptr) return image;
  }
  return nullptr;
}

void move_all(Blocks &out, Blocks blocks) {
  out.insert(out.end(), std::make_move_iterator(blocks.begin()),
             std::make_move_iterator(blocks.end()));
}

bool spans_others(const Json &row) {
  return std::any_of(row.items.begin(), row.items.end(), [](const Json &cell) {
    return cell[2].number != 1 || cell[3].number != 1;
  });
}

// Takes a document's blocks. `cells_` are around the present block; `spoilt_` tells that a table
// in one of them is none, and so neither is the one around it.
class DocumentReader {
 public:
  Blocks blocks(const Json &content) {  // of one container
    Blocks result;
    for (const Json &block : content.items) add_block(result, block);
    return result;
  }

 private:
  void add_block(Blocks &result, const Json &json) {
    const std::string &kind = json["t"].string;
    const Json &content = json["c"];
    if (kind == "Div") return add_div(result, blocks(content[1]));
    if (kind == "Table") return add_table(result, content);
    if (kind == "Figure") return add_figure(result, content);
    Block block;
    if (kind == "Plain" || kind == "Para") {
      block.kind = kind == "Plain" ? BlockKind::plain : BlockKind::para;
      block.inlines = inlines_of(content);
    } else if (kind == "Header") {
      block.kind = BlockKind::heading;
      block.inlines = inlines_of(content[2]);
      block.number = static_cast<int64_t>(content[size_t{0}].number);
    } else if (kind == "CodeBlock") {
      block.kind = BlockKind::code;
      block.text = content[1].string;
      block.name = names_of(content[size_t{0}][1]);
    } else if (kind == "BlockQuote") {
      block.kind = BlockKind::quote;
      block.blocks = blocks(content);
    } else if (kind == "HorizontalRule") {
      block.kind = BlockKind::rule;
    } else if (!take_list(block, kind, content)) {
      return;
    }
    result.push_back(std::move(block));
  }

  static std::string names_of(const Json &classes) {
    std::string out;
    for (const Json &name : classes.items) out += (out.empty() ? "" : " ") + name.string;
    return out;
  }

  bool take_list(Block &block, const std::string &kind, const Json &content) {
    block.kind = BlockKind::list;
    if (kind == "BulletList" || kind == "OrderedList") {
      block.is_numbered = kind == "OrderedList";
      if (block.is_numbered) block.number = static_cast<int64_t>(content[size_t{0}][size_t{0}].number);
      block.items = all(block.is_numbered ? content[1] : content);
    } else if (kind == "DefinitionList") {
      block.kind = BlockKind::definitions;
      for (const Json &term : content.items) {
        block.terms.push_back({inlines_of(term[size_t{0}]), all(term[1])});
      }
    } else {
      return false;
    }
    return true;
  }

  std::vector<Blocks> all(const Json &containers) {
    std::vector<Blocks> result;
    for (const Json &container : containers.items) result.push_back(blocks(container));
    return result;
  }

  void add_div(Blocks &result, Blocks held) {
    if (cells_ > 0) {
      result.push_back(block_of(BlockKind::div));
      result.back().blocks = std::move(held);
      return;
    }
    if (held.empty()) held.push_back(block_of(BlockKind::nothing));
    for (Block &block : held) block.in_div = true;
    move_all(result, std::move(held));
  }

  // A picture, and what is said of it; without one what it holds.
  void add_figure(Blocks &result, const Json &content) {
    Blocks held = blocks(content[2]), caption = blocks(content[1][1]);
    const Inline *image = first_image(held);
    if (image == nullptr) {
      move_all(result, std::move(held));
      return move_all(result, std::move(caption));
    }
    Block block = block_of(BlockKind::para);
    block.inlines.push_back(*image);
    block.inlines[0].content = as_inlines(std::move(caption));
    block.inlines[0].is_figure = true;
    result.push_back(std::move(block));
  }

  // A table; what its cells hold, where the older reader takes it for none.
  void add_table(Blocks &result, const Json &content) {
    const bool was_spoilt = std::exchange(spoilt_, false);
    bool spans = false;
    std::vector<Row> rows;
    ++cells_;
    const auto take_rows = [&](const Json &part) {
      for (const Json &json : part.items) {
        spans = spans || spans_others(json[1]);
        Row &row = rows.emplace_back();
        for (const Json &cell : json[1].items) row.push_back(blocks(cell[4]));
      }
    };
    take_rows(content[3][1]);
    const size_t heads = rows.size();
    for (const Json &body : content[4].items) {
      take_rows(body[2]);
      take_rows(body[3]);
    }
    take_rows(content[5][1]);
    --cells_;
    Blocks caption = blocks(content[1][1]);
    const auto is_empty = [](const auto &held) { return held.empty(); };
    const bool is_none = spoilt_ || spans || heads > 1 ||
                         std::all_of(rows.begin(), rows.end(), is_empty);
    spoilt_ = was_spoilt || (is_none && cells_ > 0);
    const size_t width = content[2].items.size();
    if (is_none || width == 0 || width * rows.size() > kMostFields) {
      move_all(result, std::move(caption));
      for (Row &row : rows) {
        for (Blocks &cell : row) move_all(result, std::move(cell));
      }
      return;
    }
    auto table = std::make_unique<Table>();
    table->is_sized = std::any_of(rows.begin(), rows.end(), needs_widths);
    table->width = width;
    table->caption = as_inlines(std::move(caption));
    for (Row &row : rows) row.resize(width);
    if (heads == 1) {
      if (!std::all_of(rows[0].begin(), rows[0].end(), is_empty)) table->head = std::move(rows[0]);
      rows.erase(rows.begin());
    }
    table->rows = std::move(rows);
    result.push_back(block_of(BlockKind::table));
    result.back().table = std::move(table);
  }

  size_t cells_ = 0;
  bool spoilt_ = false;
};

}  // namespace

std::optional<std::string> markdown_of_document(std::string_view document) {
  try {
    Blocks blocks = DocumentReader().blocks(json_of(document, kMostNestedJson)["blocks"]);
    with_paragraphs(blocks);
    return with_plain_breaks(markdown_of(blocks));
  } catch (const TooDeep &) {
    return std::nullopt;
  }
}

}  // namespace skord::pandoc_dialect
