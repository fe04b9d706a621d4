#include "tree/hist_vector/level_sums.h"

#include <algorithm>

#include "collective/reduce.h"
#include "common/threads/parallel_for.h"
#include "tree/hist_vector/vector_adder.h"

namespace kauri {
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
  auto const size = ToSize(n_sums_ * conditions.Width());
  auto const parts = PlanParts(ctx, rows, nodes);
  scratch_.resize(std::max(scratch_.size(), static_cast<std::size_t>(ctx.threads)));
  sums_.resize(std::max(sums_.size(), parts.size() * size));
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
