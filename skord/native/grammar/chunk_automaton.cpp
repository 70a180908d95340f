#include <algorithm>
#include <stdexcept>

#include "grammar/chunks.hpp"

namespace skord {

namespace {

constexpr size_t kFirstSteps = 1024;  // places; a power of two, as ever after

uint64_t mixed(uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;
  return key ^ key >> 32;
}

}  // namespace

ChunkGraph::ChunkGraph(const NumberList &rows) {
  if (rows.size() % kLongestChunk != 0) throw std::invalid_argument("rows of chunks have five tags");
  std::vector<Row> sorted;
  for (size_t at = 0; at < rows.size(); at += kLongestChunk) sorted.push_back(rows.data() + at);
  std::sort(sorted.begin(), sorted.end(), [](Row a, Row b) {
    return std::lexicographical_compare(a, a + kLongestChunk, b, b + kLongestChunk);
  });
  add(sorted.data(), sorted.data() + sorted.size(), 0);
  known_.clear();
}

// The node for rows that have their first `depth` tags in common. Children come before parents.
int32_t ChunkGraph::add(const Row *first, const Row *last, size_t depth) {
  NumberList made{0};
  while (first < last && (depth == kLongestChunk || (*first)[depth] < 0)) made[0] = 1, ++first;
  while (first < last) {
    const int32_t tag = (*first)[depth];
    const Row *end = std::find_if(first, last, [&](Row row) { return row[depth] != tag; });
    const int32_t target = add(first, end, depth + 1);
    made.push_back(tag);
    made.push_back(target);
    first = end;
  }
  const auto [place, is_new] = known_.emplace(made, static_cast<int32_t>(ends_.size()));
  if (is_new || depth == 0) {  // the root is the last one, even if it is like another
    ends_.push_back(static_cast<uint8_t>(made[0]));
    first_edges_.push_back(static_cast<uint32_t>(tags_.size()));
    for (size_t at = 1; at < made.size(); at += 2) {
      tags_.push_back(made[at]);
      targets_.push_back(made[at + 1]);
    }
  }
  return place->second;
}

void ChunkGraph::follow(int32_t node, const NumberList &tags, NumberList &into) const {
  const size_t next = size_t(node) + 1;
  const auto begin = tags_.begin();
  const auto end = next < first_edges_.size() ? begin + first_edges_[next] : tags_.end();
  auto at = begin + first_edges_[size_t(node)];
  for (const int32_t tag : tags) {
    at = std::lower_bound(at, end, tag);
    if (at == end) return;
    if (*at == tag) into.push_back(targets_[size_t(at - begin)]);
  }
}

ChunkAutomaton::ChunkAutomaton(const NumberList &rows) : graph_(rows) { forget(); }

void ChunkAutomaton::forget() {
  nodes_.clear();
  states_.clear();
  accepts_.clear();
  steps_.assign(kFirstSteps, {0, 0});
  num_steps_ = 0;
  NumberList root{graph_.root()};
  state_of(root);
}

// The state of a set of nodes, given in any order and with repetitions.
int32_t ChunkAutomaton::state_of(NumberList &nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const auto [place, is_new] = states_.try_emplace(nodes, static_cast<int32_t>(nodes_.size()));
  if (is_new) {
    nodes_.push_back(&place->first);
    accepts_.push_back(std::any_of(nodes.begin(), nodes.end(),
                                   [&](int32_t node) { return graph_.ends(node); }));
  }
  return place->second;
}

int32_t ChunkAutomaton::work_out(int32_t state, const NumberList &tags) {
  NumberList result;
  for (const int32_t node : *nodes_[size_t(state)]) graph_.follow(node, tags, result);
  return result.empty() ? kDead : state_of(result);
}

size_t ChunkAutomaton::place_of(uint64_t key) const {
  const size_t mask = steps_.size() - 1;
  size_t at = mixed(key) & mask;
  while (steps_[at].key != 0 && steps_[at].key != key) at = (at + 1) & mask;
  return at;
}

int32_t ChunkAutomaton::step(int32_t state, int32_t number, const NumberList &tags) {
  const uint64_t key = (uint64_t(uint32_t(state)) << 32 | uint32_t(number)) + 1;
  const size_t at = place_of(key);
  if (steps_[at].key == key) return steps_[at].to;
  const int32_t to = work_out(state, tags);
  steps_[at] = {key, to};
  if (++num_steps_ * 2 > steps_.size()) grow();
  return to;
}

void ChunkAutomaton::grow() {
  std::vector<Step> old(steps_.size() * 2, Step{0, 0});
  old.swap(steps_);
  for (const Step &step : old) {
    if (step.key != 0) steps_[place_of(step.key)] = step;
  }
}

}  // namespace skord
