/// \file Elements of the label table: their weights, and missing labels.
///
/// An element is a cell of the label table: one element per row and target, row-major.
///
/// Missing labels (silent cells): NaN in a table of labels, [n_rows, n_targets] with two targets or more, means
/// that the label of that row and target is unknown. Its gradient and hessian are 0; intercepts and metrics leave it
/// out. In a single column NaN is refused when labels are set (data/meta_info.h), so loops over one column need no
/// check.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "common/sums.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"

namespace kauri {

using ElementBuffer = std::array<float, kRowBlock>;

/// Returns the weights of elements [begin, end), at most kRowBlock of them; 1 if no weights are given. No copy if rows
/// are elements; otherwise they are written to `buffer`.
inline float const* ElementWeights(MetaInfo const& info, std::int64_t begin, std::int64_t end, ElementBuffer* buffer) {
  if (!info.weights.empty() && info.n_targets == 1) return info.weights.data() + begin;
  if (info.weights.empty()) {
    buffer->fill(1.0F);
    return buffer->data();
  }
  for (auto element = begin; element < end; ++element) {
    (*buffer)[element - begin] = info.Weight(element / info.n_targets);
  }
  return buffer->data();
}

/// Returns whether a label of a table is missing.
KAURI_HD bool IsMissingLabel(float label) { return std::isnan(label); }

/// Returns whether labels may be missing at all.
inline bool MayMissLabels(MetaInfo const& info) { return info.n_targets > 1; }

/// Returns whether one of n labels is missing. It counts them, because a loop without an early exit is vectorised.
inline bool HasMissingLabels(float const* labels, std::int64_t n) {
  std::int32_t n_missing = 0;
  for (std::int64_t i = 0; i < n; ++i) n_missing += IsMissingLabel(labels[i]) ? 1 : 0;
  return n_missing > 0;
}

/// Returns whether any label is missing.
inline bool HasMissingLabels(Context const& ctx, MetaInfo const& info) {
  if (!MayMissLabels(info)) return false;
  auto const n_labels = static_cast<std::int64_t>(info.labels.size());
  return SumBlocks<std::int64_t>(ctx, n_labels, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
           return HasMissingLabels(info.labels.data() + begin, end - begin) ? 1 : 0;
         }) > 0;
}

/// Returns whether all labels of a target are missing; false without rows.
inline bool IsMissingTarget(MetaInfo const& info, std::int64_t target) {
  if (!MayMissLabels(info) || info.n_rows == 0) return false;
  for (auto element = target; element < info.n_rows * info.n_targets; element += info.n_targets) {
    if (!IsMissingLabel(info.labels[element])) return false;
  }
  return true;
}

/// Returns the number of known labels.
inline std::int64_t CountKnown(MetaInfo const& info) {
  return std::count_if(info.labels.begin(), info.labels.end(), [](float label) { return !IsMissingLabel(label); });
}

/// Sets the gradient pairs of missing labels to zero; labels and pairs: [n], a block.
inline void ClearMissingPairs(float const* labels, std::int64_t n, GradientPair* pairs) {
  if (!HasMissingLabels(labels, n)) return;
  for (std::int64_t i = 0; i < n; ++i) {
    if (IsMissingLabel(labels[i])) pairs[i] = {0.0F, 0.0F};
  }
}

}  // namespace kauri
