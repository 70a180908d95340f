// What Python calls of the line classifier: lines of a page, the elements around them, the network.

#include "bindings/functions.hpp"

#include "line_classifier/element_names.hpp"
#include "line_classifier/element_tree.hpp"
#include "line_classifier/frame_rows.hpp"
#include "line_classifier/line_logits.hpp"
#include "line_classifier/line_network.hpp"
#include "line_classifier/page_lines.hpp"
#include "markdown/images.hpp"

namespace skord {

namespace {

PyObject *read_page(const PageReader &reader, std::string_view markdown) {
  const std::vector<uint32_t> codes = characters_without_images(markdown);
  const PageLines page = page_lines({codes.data(), codes.size()}, reader);
  std::vector<int64_t> numbers, words;
  for (const Line &line : page.lines) {
    numbers.push_back(line.number);
    words.push_back(line.words);
  }
  return tuple_of(numbers, page_rows(page, reader), page.buckets, page.starts, words);
}

PyObject *tree_features(const Elements &elements, const ElementLines &lines,
                        const TreeSettings &settings) {
  const Tree tree = tree_of(elements, lines, settings);
  return tuple_of(leaf_rows(tree, elements, settings), line_rows(tree, elements, lines, settings),
                  tree.path, tree.steps, tree.path_starts, tree.leaves, kin_of(tree, elements),
                  framed_lines(tree, elements, lines, settings), kinds_of_lines(elements, lines));
}

}  // namespace

PyMethodDef line_classifier_functions[] = {
    method<made<PageReader, std::vector<uint8_t>, std::vector<uint32_t>, size_t, int64_t,
                int64_t>>("page_reader"),
    method<read_page>("read_page"),
    method<made<ElementReader, std::vector<std::string_view>, std::vector<std::string_view>,
                int64_t>>("element_reader"),
    method<&ElementReader::read>("read_elements"),
    method<tree_features>("tree_features"),
    method<made<LineNetwork, std::vector<Numbers<const float>>, NetworkSizes>>("line_network"),
    method<&LineNetwork::judge>("judge_lines"),
    method<framing_rows>("framing_rows"),
    method<drawn_to_headings>("drawn_to_headings"),
    method<chances_of>("chances_of"),
    method<smoothed>("smoothed_logits"),
    method<with_blank_lines>("with_blank_lines"),
    {}};

}  // namespace skord
