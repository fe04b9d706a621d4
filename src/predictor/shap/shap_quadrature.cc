#include "predictor/shap/shap_quadrature.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <vector>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "predictor/forest/walk.h"

namespace kauri {
namespace {

/// Maximum rows of a block, and maximum bytes of its sums.
constexpr std::int64_t kMostRows = 256;
constexpr std::int64_t kSumBytes = 1 << 19;

/// Up to this number of rows, one row at a time is faster.
constexpr std::int64_t kFewRows = 4;

}  // namespace

CompiledQuadrature PrepareQuadrature(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy,
                                     QuadratureGoal goal) {
  auto const is_few = !goal.with_pairs && task.rows.NumRows() <= kFewRows;
  return {lazy.Get(ctx, task.forest, goal), is_few ? lazy.Levels(ctx, task.forest, goal.semivalue) : nullptr};
}

std::int64_t QuadratureBlockRows(ForestTask const& task, QuadratureForest const& compiled, bool with_pairs) {
  std::size_t n_pairs = 0;
  if (with_pairs) {
    for (auto const& pairs : compiled.pairs) n_pairs = std::max(n_pairs, pairs.size());
  }
  auto const bytes_per_row = 12 * task.forest.NumSlots() + 8 * static_cast<std::int64_t>(n_pairs);
  auto const fitting = kSumBytes / std::max<std::int64_t>(1, bytes_per_row);
  auto const rows = std::min({task.rows.NumRows() / 16, fitting, kMostRows});
  return std::max<std::int64_t>(1, rows / kQuadratureRows) * kQuadratureRows;
}

std::vector<double> ExpectedSums(ForestTask const& task, QuadratureForest const& compiled) {
  std::vector<double> expected(task.forest.n_outputs, 0.0);
  for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
    expected[task.forest.output_of_tree[tree]] += compiled.trees[tree].mean;
  }
  return expected;
}

QuadratureSums::QuadratureSums(ForestTask const& task, CompiledQuadrature const& compiled, std::int64_t begin,
                               std::int64_t end)
    : task_(task),
      compiled_(*compiled.forest),
      levels_(compiled.levels.get()),
      n_rows_(end - begin),
      n_groups_(NumBlocks(n_rows_, kLanes)),
      keys_(SizeInMemory(n_groups_ * kLanes * task.forest.NumSlots()), kMissingKey) {
  ReadKeys(task.forest, task.rows, begin, end, kLanes, keys_.data());
  if (levels_ != nullptr && !levels_->batches.empty()) ComputeAllTerms();
}

std::int64_t QuadratureSums::RowsOf(std::int64_t group) const { return std::min(kLanes, n_rows_ - group * kLanes); }

double const* QuadratureSums::Phi(std::int64_t group) const {
  return phi_.data() + group * kLanes * task_.forest.NumSlots();
}

double const* QuadratureSums::Pairs(std::int64_t group) const { return pairs_.data() + group * kLanes * n_pairs_; }

void QuadratureSums::AddTrees(std::int64_t output, bool with_pairs) {
  auto const& forest = task_.forest;
  // Has room for at least one row of lanes, because callers add a lane to the start of the values even if there are
  // none.
  phi_.assign(std::max(keys_.size(), ToSize(kLanes)), 0.0);
  n_pairs_ = with_pairs ? static_cast<std::int64_t>(compiled_.pairs[output].size()) : 0;
  // Never empty with pairs, because the kernel takes nullptr for no pairs.
  pairs_.assign(with_pairs ? SizeInMemory(std::max(kLanes, n_groups_ * kLanes * n_pairs_)) : 0, 0.0);
  for (auto tree = task_.trees.begin; tree < task_.trees.end; ++tree) {
    auto const& compiled = compiled_.trees[tree];
    if (forest.output_of_tree[tree] != output || compiled.order == 0) continue;
    if (levels_ != nullptr && !levels_->terms[tree].empty()) {
      AddTerms(tree);
      continue;
    }
    for (std::int64_t group = 0; group < n_groups_; ++group) {
      auto const first = group * kLanes * forest.NumSlots();
      AddQuadrature(
          {&compiled, &compiled_.rules[compiled.order], &forest.categories, RowsOf(group), keys_.data() + first,
           phi_.data() + first, with_pairs ? pairs_.data() + group * kLanes * n_pairs_ : nullptr},
          &scratch_);
    }
  }
}

void QuadratureSums::SubtractPairs(std::int64_t output) {
  for (std::int64_t group = 0; group < n_groups_; ++group) {
    auto* phi = phi_.data() + group * kLanes * task_.forest.NumSlots();
    auto const* value = Pairs(group);
    for (auto const& pair : compiled_.pairs[output]) {
      auto* first = phi + pair.first * kLanes;
      auto* second = phi + pair.second * kLanes;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) first[lane] -= value[lane];
      for (std::int64_t lane = 0; lane < kLanes; ++lane) second[lane] -= value[lane];
      value += kLanes;
    }
  }
}

void QuadratureSums::ComputeAllTerms() {
  terms_.resize(SizeInMemory(n_rows_ * levels_->n_lanes));
  std::size_t n_scratch = 0;
  for (auto const& batch : levels_->batches) n_scratch = std::max(n_scratch, LevelScratch(batch));
  auto const scratch = hwy::AllocateAligned<float>(n_scratch);
  for (auto const& batch : levels_->batches) {
    if (batch.trees.end <= task_.trees.begin || batch.trees.begin >= task_.trees.end) continue;
    for (std::int64_t row = 0; row < n_rows_; ++row) {
      ComputeTerms({&batch, &compiled_.rules[batch.order], keys_.data() + row, kLanes, scratch.get(),
                    terms_.data() + row * levels_->n_lanes + batch.term_begin});
    }
  }
}

void QuadratureSums::AddTerms(std::int64_t tree) {
  auto const& slots = compiled_.trees[tree].slots;
  for (std::int64_t row = 0; row < n_rows_; ++row) {
    auto const* terms = terms_.data() + row * levels_->n_lanes;
    sums_.assign(slots.size(), 0.0F);
    for (auto const& term : levels_->terms[tree]) {
      if (term.lane != kFlushTerm) {
        sums_[term.feature] += terms[term.lane];
        continue;
      }
      for (std::size_t feature = 0; feature < slots.size(); ++feature) {
        phi_[slots[feature] * ToSize(kLanes) + std::int64_t{row}] += static_cast<double>(sums_[feature]);
      }
      std::fill(sums_.begin(), sums_.end(), 0.0F);
    }
  }
}

namespace {

constexpr std::int64_t kLanes = QuadratureSums::kLanes;

/// Writes the sums of features; the caller writes the bias. out: row of the block's first row and this output; rows are
/// `stride` apart.
void WriteVectors(Forest const& forest, QuadratureSums const& sums, float* out, std::int64_t stride) {
  for (std::int64_t row = 0; row < sums.NumRows(); ++row, out += stride) {
    auto const* phi = sums.Phi(row / kLanes) + row % kLanes;
    std::fill(out, out + forest.n_features, 0.0F);
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      out[forest.feature_of_slot[slot]] = static_cast<float>(phi[slot * kLanes]);
    }
  }
}

/// Writes a matrix per row, otherwise like WriteVectors. The sums of the features go to the diagonal.
void WriteMatrices(Forest const& forest, std::vector<SlotPair> const& pairs, QuadratureSums const& sums, float* out,
                   std::int64_t stride) {
  auto const width = forest.n_features + 1;
  for (std::int64_t row = 0; row < sums.NumRows(); ++row, out += stride) {
    std::fill(out, out + width * width, 0.0F);
    auto const* value = sums.Pairs(row / kLanes) + row % kLanes;
    for (auto const& pair : pairs) {
      auto const a = forest.feature_of_slot[pair.first];
      auto const b = forest.feature_of_slot[pair.second];
      out[a * width + b] = out[b * width + a] = static_cast<float>(*value);
      value += kLanes;
    }
    auto const* phi = sums.Phi(row / kLanes) + row % kLanes;
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      out[forest.feature_of_slot[slot] * (width + 1)] = static_cast<float>(phi[slot * kLanes]);
    }
  }
}

}  // namespace

void QuadratureValues(Context const& ctx, ForestTask const& task, LazyQuadrature const& lazy, QuadratureGoal goal,
                      Span<float> out) {
  auto const& forest = task.forest;
  auto const n_columns = forest.n_features + 1;
  // Floats per output; the last one is the bias.
  auto const width = goal.with_pairs ? n_columns * n_columns : n_columns;
  auto const compiled = PrepareQuadrature(ctx, task, lazy, goal);
  auto const expected = ExpectedSums(task, *compiled.forest);
  auto const block_rows = QuadratureBlockRows(task, *compiled.forest, goal.with_pairs);
  ParallelForBlocks(ctx, task.rows.NumRows(), block_rows, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    QuadratureSums sums(task, compiled, begin, end);
    for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
      sums.AddTrees(output, goal.with_pairs);
      auto* const first = out.data() + (begin * forest.n_outputs + output) * width;
      if (goal.with_pairs) {
        if (goal.semivalue != Semivalue::kTaylorPairs) sums.SubtractPairs(output);
        WriteMatrices(forest, compiled.forest->pairs[output], sums, first, forest.n_outputs * width);
      } else {
        WriteVectors(forest, sums, first, forest.n_outputs * width);
      }
      for (auto row = begin; row < end; ++row) {
        out[(row * forest.n_outputs + output + 1) * width - 1] =
            static_cast<float>(expected[output] + task.StartOf(row, output));
      }
    }
  });
}

}  // namespace kauri
