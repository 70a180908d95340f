// What Python calls to have texts read by a chunk grammar.

#include "bindings/functions.hpp"
#include "grammar/chunks.hpp"

namespace skord {

namespace {

// A piece of a text to the classes of its tokens, by a function of Python.
ChunkReader::Classify classified_by(PyObject *function) {
  return [function](std::string_view piece) {
    Owned text(str_of(piece));
    Owned classes(PyObject_CallFunctionObjArgs(function, text.get(), nullptr));
    return Bytes(classes.get()).numbers<int32_t>();
  };
}

void add_word_class(ChunkReader &reader, NumberList tags, bool known, bool content, bool guessed) {
  reader.add_class({std::move(tags), known, content, guessed});
}

PyObject *count_chunks(ChunkReader &reader, std::string_view text, PyObject *classify) {
  const NumberList numbers = reader.read(text, classified_by(classify));
  const ChunkCounts counts = reader.select(numbers, nullptr);
  return tuple_of(counts.words, counts.known, counts.known - counts.content,
                  std::apply([](auto... of) { return std::make_tuple(of...); }, counts.by_length),
                  counts.numbers);
}

std::vector<ChunkSpan> list_chunks(ChunkReader &reader, std::string_view text,
                                   PyObject *classify) {
  std::vector<ChunkSpan> spans;
  reader.select(reader.read(text, classified_by(classify)), &spans);
  return spans;
}

}  // namespace

PyMethodDef chunk_functions[] = {
    method<made<ChunkReader, NumberList, size_t>>("chunk_reader"),
    method<add_word_class>("add_word_class"),
    method<count_chunks>("count_chunks"),
    method<list_chunks>("list_chunks"),
    {}};

}  // namespace skord
