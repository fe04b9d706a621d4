/// \file Whether fixed point keeps what the gradients say (fixed_point.h has its limit).
///
/// Gradients that vanish beside a large one are no news late in training: a model that tells all rows but one apart
/// has them. What is worth a warning is the input: a label, weight or base margin so far from the others that no round
/// sees what those say. So a row is named when (1) its gradient or hessian hides those of most rows and (2) it stands
/// out in what the gradients are made from; of gradients that a caller made nothing more is known, so only those of the
/// model's first rounds are looked at.
#pragma once

#include <cstdint>

#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// Looks at the gradients of the first round of a training, the second, the fourth and so on, until it has warned once.
class ResolutionWatch {
 public:
  /// To be told of every round's gradients. by_caller: they are not those of an objective.
  void Expect(bool by_caller) { by_caller_ = by_caller; }
  /// Whether the gradients of a round's tree are to be looked at.
  bool IsDue(std::int64_t iteration);
  /// Whether any row may be warned of, whatever its gradients: some hundred rows for the scale, then all of them.
  bool MayWarn(MetaInfo const& info, std::int64_t n_outputs, std::int64_t output) const;
  /// Warns when in a sample of the rows more than half of the differences between gradients, or more than half of the
  /// hessians, are lost in the rounding to `unit`, and the row with the largest stands out. gradients: [n_rows,
  /// n_outputs], of which `output`. Cost: some hundred rows; where something is lost, all rows.
  void Look(Span<GradientPair const> gradients, MetaInfo const& info, std::int64_t n_outputs, std::int64_t output,
            GradientUnit unit);

 private:
  std::int64_t n_rounds_ = 0;
  std::int64_t iteration_ = -1;  ///< the last one asked for
  bool by_caller_ = false;
  bool has_warned_ = false;
};

/// Rows spread evenly: their number, and the i-th of them.
std::int64_t NumWatchedRows(std::int64_t n_rows);
inline std::int64_t WatchedRow(std::int64_t i, std::int64_t n_rows) { return i * n_rows / NumWatchedRows(n_rows); }

/// Whether the pairs of watched rows lose what Look warns of.
bool LosesGradients(Span<GradientPair const> watched, GradientUnit unit);

}  // namespace kauri
