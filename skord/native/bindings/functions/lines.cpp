// What Python calls on the lines of pages: plain forms, records of WET files, keys.

#include "bindings/functions.hpp"

#include "markdown/line_words.hpp"
#include "markdown/mojibake.hpp"
#include "markdown/plain_lines.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "text/wet_record.hpp"

namespace skord {

namespace {

constexpr size_t kMostLetters = 1 << 20;
constexpr int64_t kUnread = -1, kTooShort = -2;  // in place of how many lines a member's page has

// A table of characters whose entries a function of Python gives.
struct AskingTable {
  explicit AskingTable(PyObject *function)
      : entries_of(Py_NewRef(function)), table([this](uint32_t block) {
          Owned entries(PyObject_CallFunction(entries_of.get(), "I", unsigned(block)));
          return Bytes(entries.get()).numbers<uint64_t>();
        }) {}
  Owned entries_of;
  CharTable table;
};

std::string plain_lines(std::string_view markdown) {
  std::string page;
  for (const std::string &line : plain_page(markdown)) {
    page += line;
    page += '\n';
  }
  if (!page.empty()) page.pop_back();
  return page;
}

PyObject *words_said(std::string_view markdown, Numbers<const int64_t> numbers,
                     size_t most_letters, size_t most_words) {
  must_fit(most_letters <= kMostLetters);
  return str_of(said_lines(markdown, numbers, most_letters, most_words));
}

PyObject *numbers_holding(std::string_view markdown, Numbers<const int64_t> numbers,
                          size_t most_letters, const std::vector<std::string_view> &parts) {
  must_fit(most_letters <= kMostLetters);
  return list_of(lines_holding(markdown, numbers, most_letters, parts));
}

PyObject *doubtful_numbers(std::string_view text) { return list_of(doubtful_lines(text)); }

PyObject *title_and_lines(std::string_view block, bool exact) {
  std::string lines, scratch;
  const SplitPage page = split_page(block, exact, lines, scratch);
  return tuple_of(str_of(page.title, "strict"), lines, page.num_lines, num_chars(lines));
}

PyObject *record_of(std::string_view data) {
  const std::optional<WetRecord> record = wet_record(data);
  if (!record) return Py_NewRef(Py_None);
  return tuple_of(Str{record->type}, Str{record->url}, Str{record->id}, Str{record->refers_to},
                  Str{record->date}, Str{record->languages}, Str{record->digest}, record->block);
}

bool is_page(const std::optional<WetRecord> &record) {
  return record && record->type == "conversion" && !record->url.empty();
}

PyObject *wet_pages(const std::vector<std::string_view> &members, bool exact) {
  WrittenTexts ids, urls, dates, titles, bodies, digests;
  std::vector<int64_t> numbers;
  std::string read, scratch;
  for (const std::string_view member : members) {
    const std::optional<WetRecord> record = wet_record(member);
    read.push_back(is_page(record));
    if (!read.back()) continue;
    std::string_view address = record->url;
    if (address.front() == '<' && address.back() == '>') {  // as wget wrote them
      address = address.substr(1, std::max<size_t>(address.size(), 2) - 2);
    }
    const SplitPage page = split_page(record->block, exact, bodies.bytes, scratch);
    bodies.end();
    ids.add(record->refers_to);
    urls.add(address);
    dates.add(record->date);
    titles.add(page.title);
    digests.add(record->digest);
    const size_t chars = num_chars(bodies.last());
    for (const size_t number : {page.num_lines, chars, record->block.size()}) {
      numbers.push_back(int64_t(number));
    }
  }
  return tuple_of(read, std::tie(ids, urls, dates, titles, bodies, digests), numbers);
}

PyObject *written(AskingTable &asking, std::string_view text) {
  std::string out;
  return asking.table.write(text, out) ? str_of(out) : Py_NewRef(Py_None);
}

// Keys of the lines of one body, and the numbers of those that only Python can write.
void add_keys(CharTable &table, std::string_view body, Sha1Keys &hashed,
              std::vector<uint64_t> &keys, std::vector<size_t> &in_context) {
  size_t place = keys.size();
  for (size_t start = 0; start <= body.size(); ++place) {
    const size_t end = std::min(body.find('\n', start), body.size());
    hashed.add([&](std::string &blocks) {
      if (!table.write(body.substr(start, end - start), blocks)) in_context.push_back(place);
    });
    start = end + 1;
  }
  hashed.take(keys);
}

PyObject *line_keys(AskingTable &asking, const std::vector<std::string_view> &bodies) {
  std::vector<uint64_t> keys;
  std::vector<size_t> in_context;
  Sha1Keys hashed;
  for (const std::string_view body : bodies) {
    add_keys(asking.table, body, hashed, keys, in_context);
  }
  return tuple_of(keys, list_of(in_context));
}

PyObject *member_keys(AskingTable &asking, const std::vector<std::string_view> &members, bool exact,
                      size_t min_chars) {
  std::vector<uint64_t> keys;
  std::vector<int64_t> lengths;
  std::vector<size_t> in_context;
  std::string body, scratch;
  Sha1Keys hashed;
  for (const std::string_view member : members) {
    const std::optional<WetRecord> record = wet_record(member);
    lengths.push_back(kUnread);
    if (!is_page(record)) continue;
    body.clear();
    const SplitPage page = split_page(record->block, exact, body, scratch);
    const bool is_short = num_chars(body) < min_chars;
    const size_t before = keys.size();
    if (!is_short && page.num_lines) {
      add_keys(asking.table, body, hashed, keys, in_context);
    }
    if (in_context.empty()) {
      lengths.back() = is_short ? kTooShort : int64_t(page.num_lines);
    } else {
      keys.resize(before);
      in_context.clear();
    }
  }
  return tuple_of(keys, lengths);
}

PyObject *lines_kept(const ArrowTexts &texts, Numbers<const int64_t> lines, std::string_view kept) {
  must_fit(lines.size == texts.size());
  WrittenTexts result;
  std::vector<int64_t> chars;
  for (size_t at = 0; at < lines.size; ++at) {
    must_fit(lines[at] >= 0 && size_t(lines[at]) <= kept.size());
    keep_lines(texts[at], kept.substr(0, size_t(lines[at])), result.bytes);
    result.end();
    chars.push_back(int64_t(num_chars(result.last())));
    kept.remove_prefix(size_t(lines[at]));
  }
  return tuple_of(result, chars);
}

PyObject *take_texts(const ArrowTexts &texts, Numbers<const int64_t> rows) {
  std::vector<int32_t> ends{0};
  std::string taken;
  for (const int64_t row : rows) {
    must_fit(row >= 0 && size_t(row) < texts.size());
    taken += texts[size_t(row)];
    must_fit(taken.size() <= size_t(INT32_MAX));
    ends.push_back(int32_t(taken.size()));
  }
  return tuple_of(ends, taken);
}

}  // namespace

PyMethodDef line_functions[] = {
    method<plain_lines>("plain_page"),
    method<words_said>("said_lines"),
    method<numbers_holding>("lines_holding"),
    method<best_cut>("best_cut"),
    method<doubtful_numbers>("doubtful_lines"),
    method<title_and_lines>("split_page"),
    method<record_of>("wet_record"),
    method<wet_pages>("wet_pages"),
    method<made<AskingTable, PyObject *>>("char_table"),
    method<written>("written"),
    method<line_keys>("line_keys"),
    method<member_keys>("member_keys"),
    method<lines_kept>("keep_lines"),
    method<take_texts>("take_texts"),
    {}};

}  // namespace skord
