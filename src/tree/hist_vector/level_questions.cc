#include "tree/hist_vector/level_questions.h"

#include <algorithm>
#include <cmath>

namespace kauri {
namespace {

bool HasPlainColumns(BinMatrix const& bins) { return bins.IsDense() && bins.HasByteCodes() && !bins.HasBundles(); }

}  // namespace

LevelQuestions::LevelQuestions(BinMatrix const& bins, ThresholdDraw const& draw, Span<std::uint32_t const> features)
    : bins_(bins), n_plain_(HasPlainColumns(bins) ? bins.Bytes().row_stride : 0) {
  below_.assign(static_cast<std::size_t>(n_plain_), 0);
  auto n_columns = n_plain_;
  for (auto const feature : features) {
    auto const is_categorical = bins.Cuts().IsCategorical(feature);
    auto const n = static_cast<std::int64_t>(bins.NumBins(feature)) - (is_categorical ? 0 : 1);
    auto const drawn = draw.RangeOf(feature, n);
    auto const code = drawn.Size() > 0 ? static_cast<std::uint32_t>(drawn.first) : kNoCode;
    if (n_plain_ > 0 && !is_categorical && bins.MissingCode(feature) == kNoCode) {
      if (code != kNoCode) below_[feature] = static_cast<std::uint8_t>(code + 1);
      continue;
    }
    others_.push_back({feature, code, is_categorical, n_columns, n_columns + 1});
    n_columns += 2;
    Ask(others_.back());
  }
  below_.resize(static_cast<std::size_t>((n_columns + kTileColumns - 1) / kTileColumns * kTileColumns), 0);
}

LevelSplit LevelQuestions::MakeSplit(std::uint32_t feature, std::uint32_t code, bool default_left) const {
  LevelSplit split;
  split.code = code;
  split.is_categorical = bins_.Cuts().IsCategorical(feature);
  split.best.feature = feature;
  split.best.threshold = split.is_categorical ? static_cast<float>(code) : bins_.Cuts().Of(feature)[code];
  split.best.default_left = default_left;
  return split;
}

LevelQuestion LevelQuestions::Of(std::int64_t column) const {
  auto const bound = below_[static_cast<std::size_t>(column)];
  return {MakeSplit(static_cast<std::uint32_t>(column), bound - std::uint32_t{1}, false), column, column};
}

void LevelQuestions::Ask(Other const& other) {
  auto const add = [&](std::uint32_t code, bool default_left, int of_node, int of_told, int of_missing) {
    auto const split = MakeSplit(other.feature, code, default_left);
    questions_.push_back({split, other.told, other.missing, of_node, of_told, of_missing});
  };
  if (other.is_categorical) {
    if (other.code == kNoCode) return;
    add(other.code, true, 1, -1, 0);
    add(other.code, false, 1, -1, -1);
    return;
  }
  if (other.code != kNoCode) {
    add(other.code, false, 0, 1, 0);
    add(other.code, true, 0, 1, 1);
  }
  auto const n_bins = bins_.NumBins(other.feature);
  if (n_bins > 0 && std::isfinite(bins_.Cuts().Of(other.feature)[n_bins - 1])) add(n_bins - 1, false, 1, 0, -1);
}

void LevelQuestions::SumOther(Other const& other, RowSlice slice, NodeCodes const& rows, std::int64_t* sums) const {
  auto const n_bins = bins_.NumBins(other.feature);
  auto const width = Width();
  for (auto i = slice.begin; i < slice.end; ++i) {
    auto const row = slice.rows == nullptr ? i : static_cast<std::int64_t>(slice.rows[i]);
    auto const at = i - slice.begin;
    auto const code = n_plain_ > 0 ? rows.codes[rows.places[at] + other.feature] : bins_.FindCode(row, other.feature);
    auto const is_missing = code >= n_bins;
    auto const is_told = other.code != kNoCode && (other.is_categorical ? code == other.code : code <= other.code);
    if (!is_missing && !is_told) continue;
    auto* const to = sums + (is_missing ? other.missing : other.told);
    auto const* const values = rows.values.data() + at * rows.n_sums;
    for (std::int64_t sum = 0; sum < rows.n_sums; ++sum) to[sum * width] += values[sum];
  }
}

void LevelQuestions::Sum(GradientTableView const& table, std::int64_t n_sums, RowSlice slice, NodeCodes* scratch,
                         std::int64_t* sums) const {
  scratch->codes = n_plain_ > 0 ? bins_.Bytes().rows.data() : nullptr;
  scratch->n_sums = n_sums;
  auto const read = [&](std::int64_t row, std::int64_t* to) {
    std::copy_n(table.values.data() + row * table.stride, n_sums, to);
    return RowKind::kIsSeen;  // whatever it adds: rows stay where they are in the slice
  };
  scratch->Gather(slice, n_plain_, read);
  SumBelow(*scratch, below_, sums);
  for (auto const& other : others_) SumOther(other, slice, *scratch, sums);
}

}  // namespace kauri
