#include "tree/hist_vector/vector_grower.h"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <new>
#include <utility>

#include "collective/reduce.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "kauri/table_stride.h"
#include "tree/hist_vector/vector_adder.h"

namespace kauri {
namespace {

constexpr std::size_t kHistogramBytes = std::size_t{1} << 30U;  // limit for histograms kept for nodes yet to be split

/// A gradient table with row counts: after gradients and hessians each row has a 1 if it is used, and a 0 otherwise.
/// The sums of histograms then include the counts that min_data_in_leaf needs.
class CountedTable {
 public:
  /// sampled: [n_rows], or empty.
  CountedTable(Context const& ctx, GradientTableView const& table, Span<std::uint8_t const> sampled) : view_(table) {
    constexpr std::int64_t kRowsPerBlock = 1 << 12;
    auto const n_numbers = table.NumOutputs() + table.n_hessians;
    auto const n_rows = static_cast<std::int64_t>(table.values.size()) / table.stride;
    view_.stride = TableStride(n_numbers + 1);
    auto const size = SizeInMemory(n_rows * view_.stride);
    values_ = hwy::AllocateAligned<std::int32_t>(std::max(size, std::size_t{1}));  // a rank may have no rows
    if (values_ == nullptr) throw std::bad_alloc();
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      for (auto row = begin; row < end; ++row) {
        auto const* from = table.values.data() + row * table.stride;
        auto* const to = values_.get() + row * view_.stride;
        std::fill(std::copy(from, from + n_numbers, to), to + view_.stride, 0);
        to[n_numbers] = sampled.empty() ? 1 : sampled[static_cast<std::size_t>(row)];
      }
    });
    view_.values = {values_.get(), size};
  }

  GradientTableView const& View() const { return view_; }

 private:
  hwy::AlignedFreeUniquePtr<std::int32_t[]> values_;
  GradientTableView view_;
};

}  // namespace

VectorGrower::VectorGrower(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                           VectorWorkspace* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row)
    : SymmetricGrowth(ctx, rules, task, rows, leaf_of_row),
      workspace_(workspace),
      finder_(gain_, rows->Bins(), CategoryRulesOf(param_), constraints_.Signs()) {
  workspace_->Pool()->GiveBackAll();
  workspace_->SetFeatures(columns_.TreeSet());
  if (param_.grow_policy != TreeParam::kSymmetric) return;
  DrawnLevelSearch search({cuts_, gain_, static_cast<double>(param_.gamma), constraints_.Signs(), costs_},
                          PlainColumnsOf(rows->Bins()));
  LevelSums sums(rows->Bins(), task_.table, search.NumSums());
  levels_.emplace(Levels{std::move(search), std::move(sums)});
}

/// Uses the draw of the node whose id equals the depth, so that each level has one draw.
LevelSplit VectorGrower::FindLevel(Nodes const& open) {
  if (open.empty()) return {};
  auto const sum = [&](LevelConditions const& conditions, Span<VectorNode const> nodes) {
    return levels_->sums.Of(ctx_, conditions, nodes, rows_->Sampled());
  };
  return levels_->search.Find(ctx_, open, DrawOf(open.front().depth), columns_.TreeSet(), sum);
}

/// Searches the pairs. Histograms beyond the memory limit are not kept; both children of such nodes are then added up.
void VectorGrower::FindSplits(Pairs const& pairs) {
  if (levels_.has_value()) return;
  auto* const pool = workspace_->Pool();
  auto const n_kept = kHistogramBytes / pool->BufferBytes();
  for (std::size_t first = 0; first < pairs.size();) {
    auto const room = n_kept > pool->NumLent() ? n_kept - pool->NumLent() : 1;
    auto const n = std::min(pairs.size() - first, room);
    Span<typename Pairs::value_type const> const some(pairs.data() + first, n);
    workspace_->FindSplits(ctx_, task_.table, finder_, rows_->Sampled(), some);
    first += n;
    if (pool->NumLent() < n_kept) continue;
    for (auto const& pair : some) {
      Release(pair.small);
      if (pair.large != nullptr) Release(pair.large);
    }
  }
}

Tree GrowVectorTree(Context const& ctx, GrowthRules const& rules, TreeTask const& task,
                    std::unique_ptr<VectorWorkspace>* workspace, MemoryRows* rows, Span<std::int32_t> leaf_of_row) {
  std::optional<CountedTable> counted;
  auto own_task = task;
  if (rules.param.min_data_in_leaf > 1) {
    counted.emplace(ctx, task.table, task.sampled_rows);
    own_task.table = counted->View();
  }
  if (*workspace == nullptr || (*workspace)->Stride() != own_task.table.stride) {
    workspace->reset();  // before its successor takes as much memory
    *workspace = std::make_unique<VectorWorkspace>(rows->Bins(), own_task.table.stride);
  }
  return VectorGrower(ctx, rules, own_task, workspace->get(), rows, leaf_of_row).Grow();
}

namespace {

constexpr std::int64_t kRowsOfPart = 1 << 13;
constexpr std::int64_t kPartsPerThread = 4;

/// Some rows of a node.
struct Part {
  std::size_t node;
  RowSlice slice;
};

/// Returns the first part of each node, in node order, then the other parts.
std::vector<Part> PlanParts(Context const& ctx, RowLists const& rows, Span<GrowingNode<VectorGrowth> const> nodes) {
  auto const most = ctx.threads <= 1 ? std::int64_t{1} : kPartsPerThread * ctx.threads;
  std::vector<Part> first;
  std::vector<Part> others;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    auto const range = rows.RangeOf(nodes[node].id);
    auto const n_rows = range.end - range.begin;
    auto const n_parts = std::max<std::int64_t>(1, std::min(most, n_rows / kRowsOfPart));
    for (std::int64_t part = 0; part < n_parts; ++part) {
      RowSlice const slice{rows.Rows(), range.begin + n_rows * part / n_parts,
                           range.begin + n_rows * (part + 1) / n_parts};
      (part == 0 ? first : others).push_back({node, slice});
    }
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

}  // namespace

PlainColumns PlainColumnsOf(BinMatrix const& bins) {
  if (!bins.IsDense() || !bins.HasByteCodes() || bins.HasBundles()) return {};
  PlainColumns plain{bins.Bytes().row_stride};
  for (std::int64_t feature = 0; feature < bins.NumCols(); ++feature) {
    plain.may_miss.push_back(bins.MissingCode(ToSize(feature)) == kNoCode ? 0 : 1);
  }
  return plain;
}

void LevelSums::SumOther(TestedFeature const& other, RowSlice slice, NodeCodes const& rows, std::int64_t width,
                         std::int64_t* sums) const {
  auto const n_bins = bins_.NumBins(other.feature);
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    auto const at = i - slice.begin;
    auto const code =
        rows.codes != nullptr ? rows.codes[rows.places[at] + other.feature] : bins_.FindCode(row, other.feature);
    auto const is_missing = code >= n_bins;
    auto const is_told = other.code != kNoCode && (other.is_categorical ? code == other.code : code <= other.code);
    if (!is_missing && !is_told) continue;
    auto* const to = sums + (is_missing ? other.missing : other.told);
    auto const* const values = rows.values.data() + at * rows.n_sums;
    for (std::int64_t sum = 0; sum < rows.n_sums; ++sum) to[sum * width] += values[sum];
  }
}

void LevelSums::SumPart(LevelConditions const& conditions, RowSlice slice, NodeCodes* scratch,
                        std::int64_t* sums) const {
  auto const has_plain = conditions.NumPlain() > 0;
  scratch->codes = has_plain ? bins_.Bytes().rows.data() : nullptr;
  scratch->n_sums = n_sums_;
  auto const read = [&](std::int64_t row, std::int64_t* to) {
    CopyIntegers(table_.values.data() + row * table_.stride, n_sums_, to);
    return RowKind::kIsSeen;  // even if it adds nothing, so that rows keep their positions in the slice
  };
  scratch->Gather(slice, has_plain ? bins_.Bytes().row_stride : 0, read);
  SumBelow(*scratch, below_, sums);
  for (auto const& other : conditions.Others()) SumOther(other, slice, *scratch, conditions.Width(), sums);
}

std::int64_t const* LevelSums::Of(Context const& ctx, LevelConditions const& conditions,
                                  Span<GrowingNode<VectorGrowth> const> nodes, RowLists const& rows) {
  auto const size = SizeInMemory(n_sums_ * conditions.Width());
  auto const parts = PlanParts(ctx, rows, nodes);
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  sums_.resize(
      std::max(sums_.size(), SizeInMemory(static_cast<std::int64_t>(parts.size()) * static_cast<std::int64_t>(size))));
  below_.assign(conditions.Below().begin(), conditions.Below().end());  // fits in bytes wherever a column is plain
  ParallelFor(ctx, static_cast<std::int64_t>(parts.size()), [&](std::int64_t part) {
    SumPart(conditions, parts[part].slice, &scratch_[ThreadIndex()], sums_.data() + ToSize(part) * size);
  });
  for (auto part = nodes.size(); part < parts.size(); ++part) {
    AddSums(sums_.data() + part * size, size, sums_.data() + parts[part].node * size);
  }
  SumOverRanks(ctx, Span<std::int64_t>(sums_.data(), nodes.size() * size));
  return sums_.data();
}

}  // namespace kauri
