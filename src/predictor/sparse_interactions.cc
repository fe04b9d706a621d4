#include "predictor/sparse_interactions.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/parallel_for.h"
#include "predictor/quadrature_sums.h"

namespace kauri {
namespace {

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

constexpr std::int64_t kLanes = QuadratureSums::kLanes;

/// What the trees of the range can fill in one output's matrices. Numbers of pairs are those within the output.
struct Pattern {
  std::vector<std::int64_t> pairs;  ///< ascending, as their cells are
  std::vector<std::int64_t> slots;  ///< ascending
};

void SortUnique(std::vector<std::int64_t>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

std::vector<Pattern> FindPatterns(ContributionTask const& task, QuadratureForest const& compiled) {
  std::vector<Pattern> patterns(At(task.forest.n_outputs));
  for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
    auto& pattern = patterns[At(task.forest.output_of_tree[At(tree)])];
    auto const& from = compiled.trees[At(tree)];
    pattern.pairs.insert(pattern.pairs.end(), from.pairs.begin(), from.pairs.end());
    pattern.slots.insert(pattern.slots.end(), from.slots.begin(), from.slots.end());
  }
  for (auto& pattern : patterns) {
    SortUnique(&pattern.pairs);
    SortUnique(&pattern.slots);
  }
  return patterns;
}

/// A place in a row of one output.
class Cells {
 public:
  Cells(Forest const& forest, SparseInteractions* out) : forest_(forest), out_(*out) {}
  void Set(std::int64_t entry, std::int64_t first_slot, std::int64_t second_slot, double value) const {
    out_.first[At(entry)] = forest_.feature_of_slot[At(first_slot)];
    out_.second[At(entry)] = forest_.feature_of_slot[At(second_slot)];
    out_.values[At(entry)] = static_cast<float>(value);
  }
  void SetBias(std::int64_t entry, double value) const {
    out_.first[At(entry)] = out_.second[At(entry)] = static_cast<std::uint32_t>(forest_.n_features);
    out_.values[At(entry)] = static_cast<float>(value);
  }

 private:
  Forest const& forest_;
  SparseInteractions& out_;
};

/// A number that is smaller the larger the value is in absolute value, and of equal ones where the place is smaller. A
/// NaN counts as larger than infinity, so that there is an order whatever the leaves hold.
std::uint64_t RankOf(float value, std::int64_t place) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return std::uint64_t{~(bits & 0x7FFFFFFFU)} << 32U | static_cast<std::uint32_t>(place);
}

/// The `most` smallest of the ranks that are added.
class SmallestRanks {
 public:
  explicit SmallestRanks(std::size_t most) : most_(most) { heap_.reserve(most); }
  void Clear() { heap_.clear(); }
  void Add(std::uint64_t rank) {
    if (heap_.size() == most_) {
      if (rank >= heap_.front()) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = rank;
    } else {
      heap_.push_back(rank);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::vector<std::uint64_t> const& Sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return heap_;
  }

 private:
  std::size_t most_;
  std::vector<std::uint64_t> heap_;
};

/// Writes blocks of rows. Each row of an output has the same number of entries, so their places are known.
class SparseWriter {
 public:
  SparseWriter(ContributionTask const& task, CompiledQuadrature const& compiled, std::int64_t top_k,
               SparseInteractions* out)
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
    out_.begin.reserve(At(n_rows * n_outputs + 1));
    for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
      auto const& pattern = patterns_[At(i % n_outputs)];
      auto const n_pairs = static_cast<std::int64_t>(pattern.pairs.size());
      auto const n_slots = static_cast<std::int64_t>(pattern.slots.size());
      out_.begin.push_back(out_.begin.back() + (top_k_ == 0 ? n_pairs + n_slots + 1 : std::min(top_k_, n_pairs)));
    }
    auto const n_entries = At(out_.begin.back());
    out_.first.resize(n_entries);
    out_.second.resize(n_entries);
    out_.values.resize(n_entries);
  }

  std::int64_t BeginOf(std::int64_t row, std::int64_t output) const {
    return out_.begin[At(row * task_.forest.n_outputs + output)];
  }

  void WriteAll(QuadratureSums const& sums, std::int64_t group, std::int64_t first_row, std::int64_t output) const {
    auto const& pattern = patterns_[At(output)];
    auto const& all_pairs = compiled_.forest->pairs[At(output)];
    Cells const cells(task_.forest, &out_);
    for (std::int64_t lane = 0; lane < sums.RowsOf(group); ++lane) {
      auto const* phi = sums.Phi(group) + lane;
      auto const* values = sums.Pairs(group) + lane;
      auto entry = BeginOf(first_row + lane, output);
      auto pair = pattern.pairs.begin();
      for (auto const slot : pattern.slots) {
        cells.Set(entry++, slot, slot, phi[slot * kLanes]);
        for (; pair != pattern.pairs.end() && all_pairs[At(*pair)].first == slot; ++pair) {
          cells.Set(entry++, slot, all_pairs[At(*pair)].second, values[*pair * kLanes]);
        }
      }
      cells.SetBias(entry, expected_[At(output)] + StartOf(task_, first_row + lane, output));
    }
  }

  void WriteLargest(QuadratureSums const& sums, std::int64_t group, std::int64_t first_row, std::int64_t output) const {
    auto const& pattern = patterns_[At(output)];
    auto const& all_pairs = compiled_.forest->pairs[At(output)];
    Cells const cells(task_.forest, &out_);
    SmallestRanks ranks(std::min(At(top_k_), pattern.pairs.size()));
    for (std::int64_t lane = 0; lane < sums.RowsOf(group); ++lane) {
      auto const* values = sums.Pairs(group) + lane;
      ranks.Clear();
      for (auto const pair : pattern.pairs) ranks.Add(RankOf(static_cast<float>(values[pair * kLanes]), pair));
      auto entry = BeginOf(first_row + lane, output);
      for (auto const rank : ranks.Sorted()) {
        auto const pair = static_cast<std::int64_t>(rank & 0xFFFFFFFFU);
        cells.Set(entry++, all_pairs[At(pair)].first, all_pairs[At(pair)].second, values[pair * kLanes]);
      }
    }
  }

  ContributionTask const& task_;
  CompiledQuadrature const& compiled_;
  std::int64_t top_k_;
  std::vector<Pattern> patterns_;  ///< [n_outputs]
  std::vector<double> expected_;   ///< [n_outputs]
  SparseInteractions& out_;
};

}  // namespace

void QuadratureSparseInteractions(Context const& ctx, ContributionTask const& task, std::int64_t top_k,
                                  SparseInteractions* out) {
  auto const compiled = PrepareQuadrature(ctx, task, {Semivalue::kShapley, true});
  SparseWriter const writer(task, compiled, top_k, out);
  ParallelForBlocks(ctx, task.rows.NumRows(), QuadratureBlockRows(task, *compiled.forest, true),
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) { writer.WriteBlock(begin, end); });
}

}  // namespace kauri
