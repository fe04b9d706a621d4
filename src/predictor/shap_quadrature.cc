#include "predictor/shap_quadrature.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "common/parallel_for.h"
#include "predictor/quadrature_kernel.h"
#include "predictor/quadrature_levels.h"
#include "predictor/row_tile.h"

namespace kauri {
namespace {

std::size_t At(std::int64_t index) { return static_cast<std::size_t>(index); }

constexpr std::int64_t kLanes = kQuadratureRows;
/// Rows that pass over a tree while its constants are in cache, and what their sums may take.
constexpr std::int64_t kMostRows = 256;
constexpr std::int64_t kSumBytes = 1 << 19;

/// Rows per block: few when there are few, so that all threads have work.
std::int64_t BlockRows(std::int64_t n_rows, std::int64_t bytes_per_row) {
  auto const fitting = kSumBytes / std::max<std::int64_t>(1, bytes_per_row);
  auto const rows = std::min({n_rows / 16, fitting, kMostRows});
  return std::max<std::int64_t>(1, rows / kLanes) * kLanes;
}

/// Up to here a row at a time is faster.
constexpr std::int64_t kFewRows = 4;

/// The forest compiled for the methods that a call needs.
struct Compiled {
  std::shared_ptr<QuadratureForest const> forest;
  std::shared_ptr<QuadratureLevels const> levels;  ///< nullptr: only walks
};

/// Sums of one output over a block of rows, in groups of kLanes rows.
class Block {
 public:
  Block(ContributionTask const& task, Compiled const& compiled, std::int64_t begin, std::int64_t end)
      : task_(task),
        compiled_(*compiled.forest),
        levels_(compiled.levels.get()),
        begin_(begin),
        n_rows_(end - begin),
        n_groups_(NumBlocks(n_rows_, kLanes)),
        keys_(At(n_groups_ * kLanes * task.forest.NumSlots()), kMissingKey) {
    ReadKeys(task.forest, task.rows, begin, end, kLanes, keys_.data());
    if (levels_ != nullptr && !levels_->batches.empty()) ComputeAllTerms();
  }

  void AddTrees(std::int64_t output, bool with_pairs) {
    auto const& forest = task_.forest;
    phi_.assign(keys_.size(), 0.0);
    n_pairs_ = with_pairs ? static_cast<std::int64_t>(compiled_.pairs[At(output)].size()) : 0;
    // Never empty when wanted: the kernel takes a pointer for the wish.
    pairs_.assign(At(with_pairs ? std::max<std::int64_t>(1, n_groups_ * kLanes * n_pairs_) : 0), 0.0);
    for (auto tree = task_.trees.begin; tree < task_.trees.end; ++tree) {
      if (forest.output_of_tree[At(tree)] != output || compiled_.trees[At(tree)].points == 0) continue;
      levels_ == nullptr || levels_->terms[At(tree)].empty() ? WalkTree(tree) : AddTerms(tree);
    }
  }

  /// out: of the first row and this output; rows are `stride` apart.
  void WriteContributions(std::int64_t output, double expected, float* out, std::int64_t stride) const {
    auto const& forest = task_.forest;
    for (std::int64_t row = 0; row < n_rows_; ++row, out += stride) {
      auto const* phi = Phi(row);
      std::fill(out, out + forest.n_features, 0.0F);
      for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
        out[forest.feature_of_slot[At(slot)]] = static_cast<float>(phi[slot * kLanes]);
      }
      out[forest.n_features] = static_cast<float>(expected + StartOf(task_, begin_ + row, output));
    }
  }

  /// As WriteContributions, a matrix per row.
  void WriteInteractions(std::int64_t output, double expected, float* out, std::int64_t stride) const {
    auto const& forest = task_.forest;
    auto const& pairs = compiled_.pairs[At(output)];
    auto const width = forest.n_features + 1;
    std::vector<double> own(At(forest.NumSlots()));
    for (std::int64_t row = 0; row < n_rows_; ++row, out += stride) {
      std::fill(out, out + width * width, 0.0F);
      for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) own[At(slot)] = Phi(row)[slot * kLanes];
      auto const* value =
          pairs_.data() + row / kLanes * kLanes * static_cast<std::int64_t>(pairs.size()) + row % kLanes;
      for (auto const& pair : pairs) {
        own[pair.first] -= *value;
        own[pair.second] -= *value;
        auto const a = forest.feature_of_slot[pair.first];
        auto const b = forest.feature_of_slot[pair.second];
        out[a * width + b] = out[b * width + a] = static_cast<float>(*value);
        value += kLanes;
      }
      for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
        out[forest.feature_of_slot[At(slot)] * (width + 1)] = static_cast<float>(own[At(slot)]);
      }
      out[width * width - 1] = static_cast<float>(expected + StartOf(task_, begin_ + row, output));
    }
  }

 private:
  void WalkTree(std::int64_t index) {
    auto const& tree = compiled_.trees[At(index)];
    for (std::int64_t group = 0; group < n_groups_; ++group) {
      auto const first = group * kLanes * task_.forest.NumSlots();
      AddQuadrature({&tree, &compiled_.rules[At(tree.points)], &task_.forest.categories,
                     std::min(kLanes, n_rows_ - group * kLanes), keys_.data() + first, phi_.data() + first,
                     pairs_.empty() ? nullptr : pairs_.data() + group * kLanes * n_pairs_},
                    &scratch_);
    }
  }

  void ComputeAllTerms() {
    terms_.resize(At(n_rows_ * levels_->n_lanes));
    std::size_t n_scratch = 0;
    for (auto const& batch : levels_->batches) n_scratch = std::max(n_scratch, LevelScratch(batch));
    auto const scratch = hwy::AllocateAligned<float>(n_scratch);
    for (auto const& batch : levels_->batches) {
      if (batch.trees.end <= task_.trees.begin || batch.trees.begin >= task_.trees.end) continue;
      for (std::int64_t row = 0; row < n_rows_; ++row) {
        ComputeTerms({&batch, &compiled_.rules[At(batch.points)], keys_.data() + row, kLanes, scratch.get(),
                      terms_.data() + row * levels_->n_lanes + batch.term_begin});
      }
    }
  }

  void AddTerms(std::int64_t tree) {
    auto const& slots = compiled_.trees[At(tree)].slots;
    for (std::int64_t row = 0; row < n_rows_; ++row) {
      auto const* terms = terms_.data() + row * levels_->n_lanes;
      sums_.assign(slots.size(), 0.0F);
      for (auto const& term : levels_->terms[At(tree)]) {
        if (term.lane != kFlushTerm) {
          sums_[term.feature] += terms[term.lane];
          continue;
        }
        for (std::size_t feature = 0; feature < slots.size(); ++feature) {
          phi_[slots[feature] * At(kLanes) + At(row)] += static_cast<double>(sums_[feature]);
        }
        std::fill(sums_.begin(), sums_.end(), 0.0F);
      }
    }
  }

  double const* Phi(std::int64_t row) const {
    return phi_.data() + row / kLanes * kLanes * task_.forest.NumSlots() + row % kLanes;
  }

  ContributionTask const& task_;
  QuadratureForest const& compiled_;
  QuadratureLevels const* levels_;
  std::int64_t begin_;
  std::int64_t n_rows_;
  std::int64_t n_groups_;
  std::vector<std::int32_t> keys_;  ///< [n_groups, n_slots, kLanes]
  std::vector<double> phi_;         ///< [n_groups, n_slots, kLanes]
  std::vector<double> pairs_;       ///< [n_groups, pairs of the output, kLanes]
  std::int64_t n_pairs_ = 0;
  std::vector<float> terms_;  ///< [n_rows, n_lanes of the levels]
  std::vector<float> sums_;   ///< of a tree's features
  QuadratureScratch scratch_;
};

/// Expected sum of the trees of each output.
std::vector<double> Expected(ContributionTask const& task, QuadratureForest const& compiled) {
  std::vector<double> expected(At(task.forest.n_outputs), 0.0);
  for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
    expected[At(task.forest.output_of_tree[At(tree)])] += compiled.trees[At(tree)].mean;
  }
  return expected;
}

}  // namespace

void QuadratureContributions(Context const& ctx, ContributionTask const& task, Span<float> out) {
  auto const& forest = task.forest;
  auto const is_few = task.rows.NumRows() <= kFewRows;
  Compiled const compiled{forest.quadrature->Get(ctx, forest, false),
                          is_few ? forest.quadrature->Levels(ctx, forest) : nullptr};
  auto const expected = Expected(task, *compiled.forest);
  auto const width = forest.n_features + 1;
  auto const block_rows = BlockRows(task.rows.NumRows(), 12 * forest.NumSlots());
  ParallelForBlocks(ctx, task.rows.NumRows(), block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    Block block(task, compiled, begin, end);
    for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
      block.AddTrees(output, false);
      block.WriteContributions(output, expected[At(output)], out.data() + (begin * forest.n_outputs + output) * width,
                               forest.n_outputs * width);
    }
  });
}

void QuadratureInteractions(Context const& ctx, ContributionTask const& task, Span<float> out) {
  auto const& forest = task.forest;
  Compiled const compiled{forest.quadrature->Get(ctx, forest, true), nullptr};
  auto const expected = Expected(task, *compiled.forest);
  auto const width = (forest.n_features + 1) * (forest.n_features + 1);
  std::size_t n_pairs = 0;
  for (auto const& pairs : compiled.forest->pairs) n_pairs = std::max(n_pairs, pairs.size());
  auto const block_rows =
      BlockRows(task.rows.NumRows(), 12 * forest.NumSlots() + 8 * static_cast<std::int64_t>(n_pairs));
  ParallelForBlocks(ctx, task.rows.NumRows(), block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    Block block(task, compiled, begin, end);
    for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
      block.AddTrees(output, true);
      block.WriteInteractions(output, expected[At(output)], out.data() + (begin * forest.n_outputs + output) * width,
                              forest.n_outputs * width);
    }
  });
}

}  // namespace kauri
