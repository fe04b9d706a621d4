#include "predictor/interactions/set_interactions.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "common/memory_size.h"
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

/// Calls fn(subset, share) for each subset that a set gives a share of its SII. Subsets are by their numbers.
template <typename Fn>
void ForEachShare(InteractionForest const& forest, std::vector<double> const& numbers, std::int64_t set, Fn&& fn) {
  auto const size = forest.sets.SizeOf(set);
  auto const* members = forest.sets.MembersOf(set);
  std::vector<std::uint32_t> subset;
  for (std::uint32_t mask = 1; mask + 1 < std::uint32_t{1} << size; ++mask) {
    subset.clear();
    for (std::int64_t i = 0; i < size; ++i) {
      if ((mask >> i & 1U) != 0) subset.push_back(members[i]);
    }
    auto const share = numbers[ToSize(size) - subset.size()];
    if (share != 0.0) fn(forest.sets.Find(subset.data(), static_cast<std::int64_t>(subset.size())), share);
  }
}

void CheckShares(InteractionForest const& forest) {
  std::int64_t shares = 0;
  for (std::int64_t set = 0; set < forest.sets.Count(); ++set) shares += std::int64_t{1} << forest.sets.SizeOf(set);
  if (shares <= kMostSetSums) return;
  Fail(ErrorKind::kParameter, "k-SII of up to ", forest.order, " features adds to ", shares, " subsets of sets; at ",
       "most ", kMostSetSums, " are supported. Use a smaller max_order, or index SII, which has no subsets.");
}

/// Returns the sets that the trees of the range can fill, by output.
std::vector<std::vector<std::uint32_t>> FillableSets(Forest const& forest, InteractionForest const& compiled,
                                                     TreeRange trees) {
  std::vector<std::vector<std::uint32_t>> fillable(ToSize(forest.n_outputs));
  std::vector<bool> is_used(ToSize(compiled.sets.Count()));
  for (std::size_t output = 0; output < fillable.size(); ++output) {
    std::fill(is_used.begin(), is_used.end(), false);
    for (auto tree = trees.begin; tree < trees.end; ++tree) {
      if (ToSize(forest.output_of_tree[tree]) != output) continue;
      for (auto const set : compiled.trees[tree].sets) is_used[set] = true;
    }
    for (std::size_t set = 0; set < is_used.size(); ++set) {
      if (is_used[set]) fillable[output].push_back(static_cast<std::uint32_t>(set));
    }
  }
  return fillable;
}

std::int64_t CheckedTopK(std::int64_t top_k) {
  if (top_k < 0) Fail(ErrorKind::kParameter, "top_k is ", top_k, "; expected at least 1, or 0 for all.");
  return top_k;
}

template <typename T>
hwy::AlignedFreeUniquePtr<T[]> Allocated(std::int64_t size) {
  auto memory = hwy::AllocateAligned<T>(ToSize(std::max(kInteractionRows, size)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Writes blocks of rows. Each row of an output has the same number of entries, so their places are known in advance.
class SetWriter {
 public:
  SetWriter(ForestTask const& task, InteractionForest const& forest, SetEntries const& entries, std::int64_t top_k,
            SetInteractions* out)
      : task_(task), forest_(forest), entries_(entries), top_k_(top_k), out_(*out) {}

  std::int64_t BlockRows() const {
    auto const bytes = std::max<std::int64_t>(1, forest_.sets.Count()) * kInteractionRows * 8;
    auto const groups = std::min({kMostGroups, kBlockBytes / bytes, task_.rows.NumRows() / (8 * kInteractionRows)});
    return std::max<std::int64_t>(1, groups) * kInteractionRows;
  }

  void WriteBlock(std::int64_t begin, std::int64_t end) const {
    auto const n_groups = NumBlocks(end - begin, kInteractionRows);
    auto const group_keys = task_.forest.NumSlots() * kInteractionRows;
    std::vector<std::int32_t> keys(SizeInMemory(n_groups * group_keys), kMissingKey);
    ReadKeys(task_.forest, task_.rows, begin, end, kInteractionRows, keys.data());
    auto const group_sums = forest_.sets.Count() * kInteractionRows;
    auto const sums = Allocated<std::int64_t>(n_groups * group_sums);
    auto const values = Allocated<double>(group_sums);
    InteractionScratch scratch;
    for (std::int64_t output = 0; output < task_.forest.n_outputs; ++output) {
      std::fill_n(sums.get(), n_groups * group_sums, 0);
      for (auto tree = task_.trees.begin; tree < task_.trees.end; ++tree) {
        if (task_.forest.output_of_tree[tree] != output || forest_.trees[tree].n_features == 0) continue;
        for (std::int64_t group = 0; group < n_groups; ++group) {
          AddInteractions({&forest_, &forest_.trees[tree], keys.data() + group * group_keys, entries_.ScaleOf(output),
                           sums.get() + group * group_sums},
                          &scratch);
        }
      }
      for (std::int64_t group = 0; group < n_groups; ++group) {
        ReadSums(sums.get() + group * group_sums, entries_.ScaleOf(output), values.get());
        WriteGroup(begin + group * kInteractionRows, end, output, values.get());
      }
    }
  }

 private:
  /// Computes the values of a group of rows, [n_sets, kInteractionRows], from its sums.
  void ReadSums(std::int64_t const* sums, double scale, double* values) const {
    auto const size = forest_.sets.Count() * kInteractionRows;
    for (std::int64_t i = 0; i < size; ++i) values[i] = static_cast<double>(sums[i]) / scale;
    if (entries_.Shares() != nullptr) entries_.Shares()->Apply(kInteractionRows, values);
  }

  /// Writes up to kInteractionRows rows from first_row on.
  void WriteGroup(std::int64_t first_row, std::int64_t end, std::int64_t output, double const* group) const {
    SmallestRanks ranks(ToSize(entries_.CountOf(output)));
    for (auto row = first_row; row < std::min(end, first_row + kInteractionRows); ++row) {
      auto const place = row * task_.forest.n_outputs + output;
      auto const* values = group + (row - first_row);
      auto* sets = out_.sets.data() + out_.begin[place];
      top_k_ == 0 ? ListAll(output, sets) : ListLargest(output, values, &ranks, sets);
      for (auto entry = out_.begin[place]; entry < out_.begin[place + 1]; ++entry) {
        out_.values[entry] = static_cast<float>(values[out_.sets[entry] * kInteractionRows]);
      }
    }
  }

  void ListAll(std::int64_t output, std::uint32_t* sets) const {
    std::copy(entries_.Fillable(output).begin(), entries_.Fillable(output).end(), sets);
  }

  void ListLargest(std::int64_t output, double const* values, SmallestRanks* ranks, std::uint32_t* sets) const {
    ranks->Clear();
    for (auto const set : entries_.Fillable(output)) {
      ranks->Add(SizeRankOf(static_cast<float>(values[set * kInteractionRows]), set));
    }
    for (auto const rank : ranks->Sorted()) *sets++ = static_cast<std::uint32_t>(PlaceOfSizeRank(rank));
  }

  ForestTask const& task_;
  InteractionForest const& forest_;
  SetEntries const& entries_;
  std::int64_t top_k_;
  SetInteractions& out_;
};

}  // namespace

SetShares::SetShares(InteractionForest const& forest) : begin_(ToSize(forest.sets.Count()) + 1, 0) {
  CheckShares(forest);
  auto const numbers = BernoulliNumbers(forest.order);
  auto const n_sets = forest.sets.Count();
  for (std::int64_t set = 0; set < n_sets; ++set) {
    ForEachShare(forest, numbers, set, [&](std::uint32_t subset, double) { ++begin_[subset + 1]; });
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  shares_.resize(ToSize(begin_.back()));
  auto next = begin_;
  for (std::int64_t set = 0; set < n_sets; ++set) {
    ForEachShare(forest, numbers, set, [&](std::uint32_t subset, double share) {
      shares_[ToSize(next[subset]++)] = {static_cast<std::uint32_t>(set), share};
    });
  }
}

/// Sets are sorted by size, so the supersets of a set still have their SII.
void SetShares::Apply(std::int64_t n_rows, double* values) const {
  for (std::size_t set = 0; set + 1 < begin_.size(); ++set) {
    auto* to = values + static_cast<std::int64_t>(set) * n_rows;
    for (auto i = begin_[set]; i < begin_[set + 1]; ++i) {
      auto const* from = values + shares_[i].superset * n_rows;
      for (std::int64_t row = 0; row < n_rows; ++row) to[row] += shares_[i].share * from[row];
    }
  }
}

SetEntries::SetEntries(Forest const& forest, InteractionForest const& compiled, TreeRange trees, std::int64_t top_k)
    : top_k_(CheckedTopK(top_k)),
      fillable_(FillableSets(forest, compiled, trees)),
      expected_(ToSize(forest.n_outputs), 0.0),
      scales_(SetScales(forest, compiled, trees)),
      shares_(compiled.index == InteractionIndex::kKSii ? std::make_unique<SetShares const>(compiled) : nullptr) {
  for (auto tree = trees.begin; tree < trees.end; ++tree) {
    expected_[forest.output_of_tree[tree]] += compiled.trees[tree].mean;
  }
}

std::int64_t SetEntries::CountOf(std::int64_t output) const {
  auto const count = static_cast<std::int64_t>(Fillable(output).size());
  return top_k_ == 0 ? count : std::min(top_k_, count);
}

std::int64_t SetEntries::RowEntries() const {
  std::int64_t of_row = 0;
  for (std::size_t output = 0; output < fillable_.size(); ++output)
    of_row += CountOf(static_cast<std::int64_t>(output));
  return of_row;
}

void SetEntries::Prepare(ForestTask const& task, InteractionForest const& compiled, SetInteractions* out) const {
  auto const n_rows = task.rows.NumRows();
  auto const n_outputs = task.forest.n_outputs;
  auto const of_row = RowEntries();
  if (of_row > 0 && n_rows > kMostSetEntries / of_row) {
    Fail(ErrorKind::kParameter, n_rows, " rows with ", of_row, " interactions each are more than the ", kMostSetEntries,
         " that one call supports. Explain fewer rows at a time, or use top_k or a smaller max_order.");
  }
  out->begin.assign(1, 0);
  out->begin.reserve(SizeInMemory(n_rows * n_outputs) + 1);
  out->base_values.reserve(SizeInMemory(n_rows * n_outputs));
  for (std::int64_t i = 0; i < n_rows * n_outputs; ++i) {
    auto const output = i % n_outputs;
    out->begin.push_back(out->begin.back() + CountOf(output));
    out->base_values.push_back(static_cast<float>(expected_[output] + task.StartOf(i / n_outputs, output)));
  }
  out->sets.resize(ToSize(out->begin.back()));
  out->values.resize(ToSize(out->begin.back()));
  out->set_begin = compiled.sets.Begins();
  for (auto const slot : compiled.sets.Members()) out->members.push_back(task.forest.feature_of_slot[slot]);
}

std::shared_ptr<InteractionForest const> CompileSets(Forest const& forest, SetInteractionOptions const& options) {
  if (options.max_order < 1) {
    Fail(ErrorKind::kParameter, "max_order is ", options.max_order, "; expected at least 1.");
  }
  constexpr std::int64_t kLongest = std::int64_t{1} << 30;  // longer than any path
  auto const max_order = static_cast<std::int32_t>(std::min(options.max_order, kLongest));
  return std::make_shared<InteractionForest const>(CompileInteractions(forest, options.index, max_order));
}

std::shared_ptr<InteractionForest const> LazyInteractions::Get(Forest const& forest,
                                                               SetInteractionOptions const& options) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (last_ == nullptr || last_->index != options.index || max_order_ != options.max_order) {
    last_ = CompileSets(forest, options);
    max_order_ = options.max_order;
  }
  return last_;
}

SetInteractions ComputeSetInteractions(Context const& ctx, ForestTask const& task, LazyInteractions const& lazy,
                                       SetInteractionOptions const& options) {
  auto const forest = lazy.Get(task.forest, options);
  SetEntries const entries(task.forest, *forest, task.trees, options.top_k);
  SetInteractions result;
  entries.Prepare(task, *forest, &result);
  SetWriter const writer(task, *forest, entries, options.top_k, &result);
  ParallelForBlocks(ctx, task.rows.NumRows(), writer.BlockRows(),
                    [&](std::int64_t begin, std::int64_t end, std::int64_t) { writer.WriteBlock(begin, end); });
  return result;
}

}  // namespace kauri
