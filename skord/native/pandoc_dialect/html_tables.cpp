#include "pandoc_dialect/html_tables.hpp"

#include <algorithm>
#include <iterator>

#include "pandoc_dialect/escapes.hpp"
#include "pandoc_dialect/heading_names.hpp"

namespace skord::pandoc_dialect {

namespace {

void append_escaped_html(std::string &out, std::string_view text) {
  for (const char sign : text) {
    if (sign == '&') out.append("&amp;");
    else if (sign == '<') out.append("&lt;");
    else if (sign == '>') out.append("&gt;");
    else out.push_back(sign);
  }
}

std::string value(std::string_view text) {
  std::string escaped, out;
  append_escaped_html(escaped, text);
  for (const char sign : escaped) {
    if (sign == '"') out.append("&quot;");
    else if (sign == '\'') out.append("&#39;");
    else out.push_back(sign);
  }
  return out;
}

// Whether pandoc takes an image for something else, by the ending of its address.
bool is_embedded(std::string_view source) {
  static constexpr std::string_view kEndings[] = {"css", "htm", "html", "js",  "pdf", "php",
                                                  "rss", "swf", "txt",  "xml", "zip"};
  const std::string_view path = source.substr(0, source.find('?'));
  std::string ending(path.substr(path.rfind('.') + 1));  // npos + 1 is 0: all of it
  for (char &sign : ending) sign = sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign + 32) : sign;
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

std::string tag_of(const Inline &piece) {
  switch (piece.style) {
    case Style::bold:
      return "strong";
    case Style::italic:
      return "em";
    case Style::struck:
      return "del";
    case Style::superscript:
      return "sup";
    case Style::subscript:
      return "sub";
    default:
      return piece.text;
  }
}

// Whether shares of a whole do not make it up again, as floats are added.
bool is_inexact(size_t width) {
  const double share = 1.0 / static_cast<double>(width);
  double sum = 0;
  for (size_t at = 0; at < width; ++at) sum += share;
  return sum != 1;
}

}  // namespace

std::string HtmlWriter::table(const Table &table) {
  out_.clear();
  write_table(table);
  return std::move(out_);
}

void HtmlWriter::write_table(const Table &table) {
  const bool is_wide = table.is_sized && is_inexact(table.width);
  out_.append(is_wide ? "<table style=\"width:100%;\">" : "<table>");
  if (!table.caption.empty()) {
    out_.append("\n<caption>");
    write_inlines(table.caption);
    out_.append("</caption>");
  }
  if (table.is_sized) {
    // Cut off and not rounded, as pandoc's writer does it: a sixth is 16 %.
    const int share = static_cast<int>(100 * (1.0 / static_cast<double>(table.width)));
    const std::string column = "\n<col style=\"width: " + std::to_string(share) + "%\" />";
    out_.append("\n<colgroup>");
    for (size_t at = 0; at < table.width; ++at) out_.append(column);
    out_.append("\n</colgroup>");
  }
  if (!table.head.empty()) {
    out_.append("\n<thead>");
    write_row("header", "th", table.head);
    out_.append("\n</thead>");
  }
  out_.append("\n<tbody>");
  for (size_t at = 0; at < table.rows.size(); ++at) {
    write_row(at % 2 == 1 ? "even" : "odd", "td", table.rows[at]);
  }
  out_.append("\n</tbody>\n</table>");
}

void HtmlWriter::write_row(const char *name, const char *tag, const Row &cells) {
  out_.append("\n<tr class=\"").append(name).append("\">");
  for (const Blocks &cell : cells) {
    out_.append("\n<").append(tag).append(">");
    write_blocks(cell);
    out_.append("</").append(tag).append(">");
  }
  out_.append("\n</tr>");
}

void HtmlWriter::write_blocks(const Blocks &blocks) {
  for (size_t at = 0; at < blocks.size(); ++at) {
    if (at > 0) out_.push_back('\n');
    write_block(blocks[at]);
  }
}

void HtmlWriter::write_block(const Block &block) {
  switch (block.kind) {
    case BlockKind::plain:
    case BlockKind::para:
      return write_paragraph(block);
    case BlockKind::heading:
      return write_heading(block);
    case BlockKind::list:
    case BlockKind::definitions:
      return write_list(block);
    case BlockKind::quote:
    case BlockKind::div:
      out_.append(block.kind == BlockKind::quote ? "<blockquote>\n" : "<div>\n");
      write_blocks(block.blocks);
      out_.append(block.kind == BlockKind::quote ? "\n</blockquote>" : "\n</div>");
      return;
    case BlockKind::table:
      return write_table(*block.table);
    case BlockKind::code:
      return write_code(block);
    default:
      out_.append("<hr />");
  }
}

void HtmlWriter::write_paragraph(const Block &block) {
  if (block.kind == BlockKind::plain) return write_inlines(block.inlines);
  const Inline *image = block.inlines.size() == 1 ? &block.inlines[0] : nullptr;
  if (image == nullptr || image->kind != Kind::image || !image->is_figure) {
    out_.append("<p>");
    write_inlines(block.inlines);
    out_.append("</p>");
    return;
  }
  out_.append("<figure>\n");
  write_image(*image, false);
  if (!image->content.empty()) {
    out_.append("<figcaption>");
    write_inlines(image->content);
    out_.append("</figcaption>");
  }
  out_.append("\n</figure>");
}

void HtmlWriter::write_heading(const Block &block) {
  if (!names_) names_ = heading_names(page_);
  const std::string tag = "h" + std::to_string(block.number);
  out_.append("<" + tag + " id=\"" + value((*names_)[&block]) + "\">");
  write_inlines(block.inlines);
  out_.append("</" + tag + ">");
}

void HtmlWriter::write_code(const Block &block) {
  out_.append("<pre");
  if (!block.name.empty()) out_.append(" class=\"" + value(block.name) + "\"");
  out_.append("><code>" + value(block.text) + "</code></pre>");
}

void HtmlWriter::write_list(const Block &block) {
  if (block.kind == BlockKind::definitions) return write_definitions(block);
  const char *tag = block.is_numbered ? "ol" : "ul";
  out_.append("<").append(tag);
  if (block.is_numbered && block.number != 1) {
    out_.append(" start=\"" + std::to_string(block.number) + "\"");
  }
  out_.append(">");
  for (const Blocks &item : block.items) {
    out_.append("\n<li>");
    write_blocks(item);
    out_.append("</li>");
  }
  out_.append("\n</").append(tag).append(">");
}

void HtmlWriter::write_definitions(const Block &block) {
  out_.append("<dl>");
  for (const Definition &definition : block.terms) {
    out_.append("\n<dt>");
    write_inlines(definition.terms);
    out_.append("</dt>");
    for (const Blocks &meaning : definition.meanings) {
      out_.append("\n<dd>");
      write_blocks(meaning);
      out_.append("\n</dd>");
    }
  }
  out_.append("\n</dl>");
}

void HtmlWriter::write_inlines(const Inlines &inlines) {
  for (const Inline &piece : inlines) {
    switch (piece.kind) {
      case Kind::line_break:
        out_.append("<br />\n");
        break;
      case Kind::code:
        out_.append("<code>");
        append_escaped_html(out_, piece.text);
        out_.append("</code>");
        break;
      case Kind::image:
        write_image(piece, true);
        break;
      case Kind::styled:
        write_styled(piece);
        break;
      default:
        append_escaped_html(out_, piece.text);
    }
  }
}

void HtmlWriter::write_styled(const Inline &piece) {
  const bool is_quote = piece.style == Style::quote, is_inner = piece.style == Style::inner_quote;
  const std::string tag = is_quote || is_inner ? "" : tag_of(piece);
  if (is_quote) out_.append("“");
  if (is_inner) out_.append("‘");
  if (!tag.empty()) out_.append("<" + tag + ">");
  write_inlines(piece.content);
  if (!tag.empty()) out_.append("</" + tag + ">");
  if (is_quote) out_.append("”");
  if (is_inner) out_.append("’");
}

// `is_said`: what is said of it stands in the tag, and not below.
void HtmlWriter::write_image(const Inline &image, bool is_said) {
  const std::string source = value(image.text);
  if (is_embedded(image.text)) {
    out_.append("<embed src=\"" + source + "\" />");
    return;
  }
  const std::string said = is_said ? without_marks(plain_text(image.content)) : "";
  out_.append("<img src=\"" + source + "\"");
  if (!said.empty() || image.is_figure) out_.append(" alt=\"" + value(said) + "\"");
  out_.append(" />");
}

}  // namespace skord::pandoc_dialect
