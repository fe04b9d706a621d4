#include <algorithm>
#include <vector>

#include "common/memory_size.h"
#include "common/smallest_ranks.h"
#include "common/threads/parallel_for.h"
#include "predictor/shap/contributions.h"
#include "predictor/shap/shap_quadrature.h"

namespace kauri {
namespace {

constexpr std::int64_t kLanes = QuadratureSums::kLanes;

/// The cells that the trees of the range can fill in one output's matrices, excluding the bias.
struct Pattern {
  std::vector<std::int64_t> pairs;    ///< numbers within the output, ascending, in the order of their cells
  std::vector<std::uint32_t> first;   ///< [n_cells], features of pairs and of the diagonal
  std::vector<std::uint32_t> second;  ///< [n_cells]
  std::vector<std::int64_t> source;   ///< [n_cells], number of the pair, or complement of the diagonal's slot
};

void SortUnique(std::vector<std::int64_t>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

/// Lists the cells of the pattern. slots: ascending.
void ListCells(Forest const& forest, std::vector<SlotPair> const& all_pairs, std::vector<std::int64_t> const& slots,
               Pattern* pattern) {
  auto pair = pattern->pairs.begin();
  auto const add = [&](std::int64_t first, std::int64_t second, std::int64_t source) {
    pattern->first.push_back(forest.feature_of_slot[first]);
    pattern->second.push_back(forest.feature_of_slot[second]);
    pattern->source.push_back(source);
  };
  for (auto const slot : slots) {
    add(slot, slot, ~slot);
    for (; pair != pattern->pairs.end() && all_pairs[*pair].first == slot; ++pair) {
      add(slot, all_pairs[*pair].second, *pair);
    }
  }
}

std::vector<Pattern> FindPatterns(ForestTask const& task, QuadratureForest const& compiled) {
  std::vector<Pattern> patterns(task.forest.n_outputs);
  std::vector<std::vector<std::int64_t>> slots(patterns.size());
  for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
    auto const output = ToSize(task.forest.output_of_tree[tree]);
    auto const& from = compiled.trees[tree];
    patterns[output].pairs.insert(patterns[output].pairs.end(), from.pairs.begin(), from.pairs.end());
    slots[output].insert(slots[output].end(), from.slots.begin(), from.slots.end());
  }
  for (std::size_t output = 0; output < patterns.size(); ++output) {
    SortUnique(&patterns[output].pairs);
    SortUnique(&slots[output]);
    ListCells(task.forest, compiled.pairs[output], slots[output], &patterns[output]);
  }
  return patterns;
}

/// Writes blocks of rows. Each row of an output has the same number of entries, so their places are known in advance.
class SparseWriter {
 public:
  SparseWriter(ForestTask const& task, CompiledQuadrature const& compiled, std::int64_t top_k, SparseInteractions* out)
      : task_(task),
        compiled_(compiled),
        top_k_(top_k),
        patterns_(FindPatterns(task, *compiled.forest)),
        expected_(ExpectedSums(task, *compiled.forest)),
        out_(*out) {
    Allocate();
  }

  void WriteBlock(std::int64_t begin, std::int64_t end) const {
    QuadratureSums sums(task_, compiled_, begin, end);
    for (std::int64_t output = 0; output < task_.forest.n_outputs; ++output) {
      sums.AddTrees(output, true);
      if (top_k_ == 0) sums.SubtractPairs(output);
      for (std::int64_t group = 0; group < sums.NumGroups(); ++group) {
        auto const first_row = begin + group * kLanes;
        top_k_ == 0 ? WriteAll(sums, group, first_row, output) : WriteLargest(sums, group, first_row, output);
      }
    }
  }

 private:
  void Allocate() {
    auto const n_rows = task_.rows.NumRows();
    auto const n_outputs = task_.forest.n_outputs;
    out_.begin.assign(1, 0);
    out_.begin.reserve(SizeInMemory(n_rows * n_outputs + 1));
    for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
      auto const& pattern = patterns_[i % n_outputs];
      auto const n_largest = std::min(top_k_, static_cast<std::int64_t>(pattern.pairs.size()));
      auto const n_all = static_cast<std::int64_t>(pattern.source.size()) + 1;
      out_.begin.push_back(out_.begin.back() + (top_k_ == 0 ? n_all : n_largest));
    }
    auto const n_entries = ToSize(out_.begin.back());
    out_.first.resize(n_entries);
    out_.second.resize(n_entries);
    out_.values.resize(n_entries);
  }

  std::int64_t BeginOf(std::int64_t row, std::int64_t output) const {
    return out_.begin[row * task_.forest.n_outputs + output];
  }

  void WriteAll(QuadratureSums const& sums, std::int64_t group, std::int64_t first_row, std::int64_t output) const {
    auto const& pattern = patterns_[output];
    auto const bias = static_cast<std::uint32_t>(task_.forest.n_features);
    for (std::int64_t lane = 0; lane < sums.RowsOf(group); ++lane) {
      auto const* phi = sums.Phi(group) + lane;
      auto const* pairs = sums.Pairs(group) + lane;
      auto const begin = BeginOf(first_row + lane, output);
      auto const last = begin + static_cast<std::int64_t>(pattern.source.size());
      std::copy(pattern.first.begin(), pattern.first.end(), out_.first.begin() + begin);
      std::copy(pattern.second.begin(), pattern.second.end(), out_.second.begin() + begin);
      auto* value = out_.values.data() + begin;
      for (auto const source : pattern.source) {
        *value++ = static_cast<float>(source < 0 ? phi[~source * kLanes] : pairs[source * kLanes]);
      }
      out_.first[last] = out_.second[last] = bias;
      *value = static_cast<float>(expected_[output] + task_.StartOf(first_row + lane, output));
    }
  }

  void WriteLargest(QuadratureSums const& sums, std::int64_t group, std::int64_t first_row, std::int64_t output) const {
    auto const& pattern = patterns_[output];
    auto const& all_pairs = compiled_.forest->pairs[output];
    auto const& feature = task_.forest.feature_of_slot;
    SmallestRanks ranks(std::min(ToSize(top_k_), pattern.pairs.size()));
    for (std::int64_t lane = 0; lane < sums.RowsOf(group); ++lane) {
      auto const* values = sums.Pairs(group) + lane;
      ranks.Clear();
      for (auto const pair : pattern.pairs) ranks.Add(SizeRankOf(static_cast<float>(values[pair * kLanes]), pair));
      auto entry = ToSize(BeginOf(first_row + lane, output));
      for (auto const rank : ranks.Sorted()) {
        auto const pair = ToSize(PlaceOfSizeRank(rank));
        out_.first[entry] = feature[all_pairs[pair].first];
        out_.second[entry] = feature[all_pairs[pair].second];
        out_.values[entry++] = static_cast<float>(values[pair * ToSize(kLanes)]);
      }
    }
  }

  ForestTask const& task_;
  CompiledQuadrature const& compiled_;
  std::int64_t top_k_;
  std::vector<Pattern> patterns_;  ///< [n_outputs]
  std::vector<double> expected_;   ///< [n_outputs]
  SparseInteractions& out_;
};

}  // namespace

void QuadratureSparseInteractions(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                  std::int64_t top_k, SparseInteractions* out) {
  auto const compiled = PrepareQuadrature(ctx, task, lazy, {Semivalue::kShapley, true});
  SparseWriter const writer(task, compiled, top_k, out);
  ParallelForBlocks(ctx, task.rows.NumRows(), QuadratureBlockRows(task, *compiled.forest, true),
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) { writer.WriteBlock(begin, end); });
}

}  // namespace kauri
