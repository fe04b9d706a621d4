/// \file Silent cells: NaN in a table of labels, [n_rows, n_targets] with two targets or more, says nothing of that row
/// and target. Gradients and hessians are 0 there; intercepts and metrics leave it out. In a single column NaN is
/// refused where labels are set (data/meta_info.h), so loops over one need not look.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "kauri/meta_info.h"

namespace kauri {

/// Of a label of a table.
KAURI_HD bool IsSilent(float label) { return std::isnan(label); }

/// Whether labels may be silent at all.
inline bool MayBeSilent(MetaInfo const& info) { return info.n_targets > 1; }

/// Whether one of n labels is. Counts: a loop without a way out is vectorised.
inline bool HasSilent(float const* labels, std::int64_t n) {
  std::int32_t n_silent = 0;
  for (std::int64_t i = 0; i < n; ++i) n_silent += IsSilent(labels[i]) ? 1 : 0;
  return n_silent > 0;
}

/// Whether no row says anything of a target; false without rows.
inline bool IsSilentTarget(MetaInfo const& info, std::int64_t target) {
  if (!MayBeSilent(info) || info.n_rows == 0) return false;
  for (auto element = target; element < info.n_rows * info.n_targets; element += info.n_targets) {
    if (!IsSilent(info.labels[element])) return false;
  }
  return true;
}

/// Cells that say something.
inline std::int64_t CountKnown(MetaInfo const& info) {
  return std::count_if(info.labels.begin(), info.labels.end(), [](float label) { return !IsSilent(label); });
}

/// Zeros in place of what a loss made of silent cells; labels and pairs: [n], a block.
inline void SilencePairs(float const* labels, std::int64_t n, GradientPair* pairs) {
  if (!HasSilent(labels, n)) return;
  for (std::int64_t i = 0; i < n; ++i) {
    if (IsSilent(labels[i])) pairs[i] = {0.0F, 0.0F};
  }
}

}  // namespace kauri
