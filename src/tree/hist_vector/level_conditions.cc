#include "tree/hist_vector/level_conditions.h"

#include <cmath>

#include "tree/random_thresholds/node_codes.h"

namespace kauri {

LevelConditions::LevelConditions(QuantileCuts const& cuts, PlainColumns const& plain, ThresholdDraw const& draw,
                                 Span<std::uint32_t const> features)
    : cuts_(cuts), n_plain_(plain.n), below_(static_cast<std::size_t>(plain.n), 0) {
  auto n_columns = n_plain_;
  for (auto const feature : features) {
    auto const is_categorical = cuts.IsCategorical(feature);
    auto const n = static_cast<std::int64_t>(cuts.NumBins(feature)) - (is_categorical ? 0 : 1);
    auto const drawn = draw.RangeOf(feature, n);
    auto const code = drawn.Size() > 0 ? static_cast<std::uint32_t>(drawn.first) : kNoCode;
    if (n_plain_ > 0 && !is_categorical && plain.may_miss[feature] == 0) {
      if (code != kNoCode) below_[feature] = static_cast<std::uint16_t>(code + 1);
      continue;
    }
    others_.push_back({feature, code, is_categorical, n_columns, n_columns + 1});
    n_columns += 2;
    Ask(others_.back());
  }
  below_.resize(static_cast<std::size_t>((n_columns + kTileColumns - 1) / kTileColumns * kTileColumns), 0);
}

std::vector<TestedFeature> LevelConditions::All() const {
  auto all = others_;
  for (std::int64_t column = 0; column < n_plain_; ++column) {
    if (!IsAsked(column)) continue;
    auto const& split = Of(column).split;
    all.push_back({split.best.feature, split.code, false, column, TestedFeature::kNoColumn});
  }
  return all;
}

LevelSplit LevelConditions::MakeSplit(std::uint32_t feature, std::uint32_t code, bool default_left) const {
  LevelSplit split;
  split.code = code;
  split.is_categorical = cuts_.IsCategorical(feature);
  split.best.feature = feature;
  split.best.threshold = split.is_categorical ? static_cast<float>(code) : cuts_.Of(feature)[code];
  split.best.default_left = default_left;
  return split;
}

LevelCondition LevelConditions::Of(std::int64_t column) const {
  auto const code = below_[static_cast<std::size_t>(column)] - std::uint32_t{1};
  return {MakeSplit(static_cast<std::uint32_t>(column), code, false), column, column};
}

void LevelConditions::Ask(TestedFeature const& other) {
  auto const add = [&](std::uint32_t code, bool default_left, int of_node, int of_told, int of_missing) {
    auto const split = MakeSplit(other.feature, code, default_left);
    conditions_.push_back({split, other.told, other.missing, of_node, of_told, of_missing});
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
  auto const n_bins = cuts_.NumBins(other.feature);
  if (n_bins > 0 && std::isfinite(cuts_.Of(other.feature)[n_bins - 1])) add(n_bins - 1, false, 1, 0, -1);
}

}  // namespace kauri
