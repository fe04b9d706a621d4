#include "predictor/interactions/set_interactions.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <new>

#include "common/smallest_ranks.h"
#include "common/threads/parallel_for.h"
#include "kauri/error.h"
#include "predictor/forest/walk.h"
#include "predictor/interactions/interaction_kernel.h"

namespace kauri {
namespace {

/// Bytes of the sums of a block of rows, unless one group of rows needs more.
constexpr std::int64_t kBlockBytes = 1 << 19;
constexpr std::int64_t kMostGroups = 8;

/// The share of a set's SII that a subset gets.
struct SubsetShare {
  std::uint32_t subset;
  double share;
};

/// The shares of k-SII: each set adds its SII to its subsets.
class BernoulliShares {
 public:
  explicit BernoulliShares(InteractionForest const& forest) : begin_{0} {
    CheckShares(forest);
    auto const numbers = BernoulliNumbers(forest.order);
    std::vector<std::uint32_t> subset;
    for (std::int64_t set = 0; set < forest.sets.Count(); ++set) {
      auto const size = forest.sets.SizeOf(set);
      auto const* members = forest.sets.MembersOf(set);
      for (std::uint32_t mask = 1; mask + 1 < std::uint32_t{1} << size; ++mask) {
        subset.clear();
        for (std::int64_t i = 0; i < size; ++i) {
          if ((mask >> i & 1U) != 0) subset.push_back(members[i]);
        }
        auto const share = numbers[ToSize(size) - subset.size()];
        if (share == 0.0) continue;
        shares_.push_back({forest.sets.Find(subset.data(), static_cast<std::int64_t>(subset.size())), share});
      }
      begin_.push_back(shares_.size());
    }
  }

  /// Turns the sums of a group of rows from SII into k-SII. A set's sum is read before larger sets add to it.
  void Apply(double* sums) const {
    for (std::size_t set = 0; set + 1 < begin_.size(); ++set) {
      auto const* from = sums + set * kInteractionRows;
      for (auto i = begin_[set]; i < begin_[set + 1]; ++i) {
        auto* to = sums + shares_[i].subset * kInteractionRows;
        for (std::int64_t row = 0; row < kInteractionRows; ++row) to[row] += shares_[i].share * from[row];
      }
    }
  }

 private:
  static void CheckShares(InteractionForest const& forest) {
    std::int64_t shares = 0;
    for (std::int64_t set = 0; set < forest.sets.Count(); ++set) shares += std::int64_t{1} << forest.sets.SizeOf(set);
    if (shares <= kMostSetSums) return;
    Fail(ErrorKind::kParameter, "k-SII of up to ", forest.order, " features adds to ", shares, " subsets of sets; at ",
         "most ", kMostSetSums, " are supported. Use a smaller max_order, or index SII, which has no subsets.");
  }

  std::vector<std::size_t> begin_;
  std::vector<SubsetShare> shares_;
};

/// Returns the sets that the trees of the range can fill, by output.
std::vector<std::vector<std::uint32_t>> FillableSets(ForestTask const& task, InteractionForest const& forest) {
  std::vector<std::vector<std::uint32_t>> fillable(task.forest.n_outputs);
  std::vector<bool> is_used(forest.sets.Count());
  for (std::size_t output = 0; output < fillable.size(); ++output) {
    std::fill(is_used.begin(), is_used.end(), false);
    for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
      if (ToSize(task.forest.output_of_tree[tree]) != output) continue;
      for (auto const set : forest.trees[tree].sets) is_used[set] = true;
    }
    for (std::size_t set = 0; set < is_used.size(); ++set) {
      if (is_used[set]) fillable[output].push_back(static_cast<std::uint32_t>(set));
    }
  }
  return fillable;
}

/// Writes blocks of rows. Each row of an output has the same number of entries, so their places are known in advance.
class SetWriter {
 public:
  SetWriter(ForestTask const& task, InteractionForest const& forest, std::int64_t top_k, SetInteractions* out)
      : task_(task),
        forest_(forest),
        top_k_(top_k),
        fillable_(FillableSets(task, forest)),
        expected_(task.forest.n_outputs, 0.0),
        shares_(forest.index == InteractionIndex::kKSii ? std::make_unique<BernoulliShares>(forest) : nullptr),
        out_(*out) {
    for (auto tree = task.trees.begin; tree < task.trees.end; ++tree) {
      expected_[task.forest.output_of_tree[tree]] += forest.trees[tree].mean;
    }
    Allocate();
  }

  std::int64_t BlockRows() const {
    auto const bytes = std::max<std::int64_t>(1, forest_.sets.Count()) * kInteractionRows * 8;
    auto const groups = std::min({kMostGroups, kBlockBytes / bytes, task_.rows.NumRows() / (8 * kInteractionRows)});
    return std::max<std::int64_t>(1, groups) * kInteractionRows;
  }

  void WriteBlock(std::int64_t begin, std::int64_t end) const {
    auto const n_groups = NumBlocks(end - begin, kInteractionRows);
    auto const group_keys = task_.forest.NumSlots() * kInteractionRows;
    std::vector<std::int32_t> keys(ToSize(n_groups * group_keys), kMissingKey);
    ReadKeys(task_.forest, task_.rows, begin, end, kInteractionRows, keys.data());
    auto const group_sums = forest_.sets.Count() * kInteractionRows;
    auto const n_sums = ToSize(std::max(kInteractionRows, n_groups * group_sums));
    auto const sums = hwy::AllocateAligned<double>(n_sums);
    if (sums == nullptr) throw std::bad_alloc();
    InteractionScratch scratch;
    for (std::int64_t output = 0; output < task_.forest.n_outputs; ++output) {
      std::fill(sums.get(), sums.get() + n_sums, 0.0);
      for (auto tree = task_.trees.begin; tree < task_.trees.end; ++tree) {
        if (task_.forest.output_of_tree[tree] != output || forest_.trees[tree].n_features == 0) continue;
        for (std::int64_t group = 0; group < n_groups; ++group) {
          AddInteractions(
              {&forest_, &forest_.trees[tree], keys.data() + group * group_keys, sums.get() + group * group_sums},
              &scratch);
        }
      }
      for (std::int64_t group = 0; group < n_groups; ++group) {
        WriteGroup(begin + group * kInteractionRows, end, output, sums.get() + group * group_sums);
      }
    }
  }

 private:
  void Allocate() {
    auto const n_rows = task_.rows.NumRows();
    auto const n_outputs = task_.forest.n_outputs;
    std::int64_t of_row = 0;
    for (auto const& sets : fillable_) of_row += EntriesOf(sets);
    if (of_row > 0 && n_rows > kMostSetEntries / of_row) {
      Fail(ErrorKind::kParameter, n_rows, " rows with ", of_row, " interactions each are more than the ",
           kMostSetEntries,
           " that one call supports. Explain fewer rows at a time, or use top_k or a smaller max_order.");
    }
    out_.begin.reserve(n_rows * n_outputs + 1);
    for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
      out_.begin.push_back(out_.begin.back() + EntriesOf(fillable_[i % n_outputs]));
    }
    out_.sets.resize(out_.begin.back());
    out_.values.resize(out_.begin.back());
    out_.base_values.resize(n_rows * n_outputs);
  }

  std::int64_t EntriesOf(std::vector<std::uint32_t> const& sets) const {
    auto const count = static_cast<std::int64_t>(sets.size());
    return top_k_ == 0 ? count : std::min(top_k_, count);
  }

  /// Writes up to kInteractionRows rows from first_row on.
  void WriteGroup(std::int64_t first_row, std::int64_t end, std::int64_t output, double* sums) const {
    if (shares_ != nullptr) shares_->Apply(sums);
    SmallestRanks ranks(ToSize(EntriesOf(fillable_[output])));
    for (auto row = first_row; row < std::min(end, first_row + kInteractionRows); ++row) {
      auto const place = row * task_.forest.n_outputs + output;
      out_.base_values[place] = static_cast<float>(expected_[output] + task_.StartOf(row, output));
      auto const* values = sums + (row - first_row);
      auto* sets = out_.sets.data() + out_.begin[place];
      top_k_ == 0 ? ListAll(output, sets) : ListLargest(output, values, &ranks, sets);
      for (auto entry = out_.begin[place]; entry < out_.begin[place + 1]; ++entry) {
        out_.values[entry] = static_cast<float>(values[out_.sets[entry] * kInteractionRows]);
      }
    }
  }

  void ListAll(std::int64_t output, std::uint32_t* sets) const {
    std::copy(fillable_[output].begin(), fillable_[output].end(), sets);
  }

  void ListLargest(std::int64_t output, double const* values, SmallestRanks* ranks, std::uint32_t* sets) const {
    ranks->Clear();
    for (auto const set : fillable_[output]) {
      ranks->Add(SizeRankOf(static_cast<float>(values[set * kInteractionRows]), set));
    }
    for (auto const rank : ranks->Sorted()) *sets++ = static_cast<std::uint32_t>(PlaceOfSizeRank(rank));
  }

  ForestTask const& task_;
  InteractionForest const& forest_;
  std::int64_t top_k_;
  std::vector<std::vector<std::uint32_t>> fillable_;  ///< [n_outputs]
  std::vector<double> expected_;                      ///< [n_outputs]
  std::unique_ptr<BernoulliShares> shares_;           ///< null: not k-SII
  SetInteractions& out_;
};

}  // namespace

std::shared_ptr<InteractionForest const> LazyInteractions::Get(Forest const& forest, InteractionIndex index,
                                                               std::int32_t max_order) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (last_ == nullptr || last_->index != index || max_order_ != max_order) {
    last_ = std::make_shared<InteractionForest const>(CompileInteractions(forest, index, max_order));
    max_order_ = max_order;
  }
  return last_;
}

SetInteractions ComputeSetInteractions(Context const& ctx, ForestTask const& task, LazyInteractions const& lazy,
                                       SetInteractionOptions const& options) {
  if (options.max_order < 1) {
    Fail(ErrorKind::kParameter, "max_order is ", options.max_order, "; expected at least 1.");
  }
  if (options.top_k < 0) {
    Fail(ErrorKind::kParameter, "top_k is ", options.top_k, "; expected at least 1, or 0 for all.");
  }
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;  // longer than any path
  auto const max_order = static_cast<std::int32_t>(std::min(options.max_order, kLongest));
  auto const forest = lazy.Get(task.forest, options.index, max_order);
  SetInteractions result;
  SetWriter const writer(task, *forest, options.top_k, &result);
  ParallelForBlocks(ctx, task.rows.NumRows(), writer.BlockRows(),
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) { writer.WriteBlock(begin, end); });
  result.set_begin = forest->sets.Begins();
  for (auto const slot : forest->sets.Members()) result.members.push_back(task.forest.feature_of_slot[slot]);
  return result;
}

}  // namespace kauri
