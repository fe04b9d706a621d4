/// \file The gradients of several outputs in fixed point, output by output, for rounds with one tree per output.
///
/// Gradients are stored row by row, with the outputs of a row side by side, so a pass for one output alone fetches a
/// cache line of 64 bytes for each pair of 8. Two passes over all gradients avoid this:
/// 1. the largest magnitudes of all outputs are found once per round;
/// 2. kAtOnce outputs, a cache line of a row, are quantised together and kept until their trees are built.
/// Lower bound of the cost, per row and output: 8 bytes read twice and 8 written, whereas a pass per output reads 64
/// twice. Memory: 8 * kAtOnce bytes per row.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gradient_table_rows.h"
#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri {

class OutputGradients {
 public:
  static constexpr std::int64_t kAtOnce = 8;

  /// Must be called when the gradients change.
  void Reset();
  /// Returns the result of QuantiseGradients for `output`, valid until the next call. gradients: [n_rows, n_outputs],
  /// the same in all calls between two Resets. Outputs are best requested in ascending order. sampled: as in
  /// QuantiseGradients.
  /// \throws Error(kData) for a gradient or hessian of any output that is not finite, naming the row.
  GradientView Of(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t output,
                  Span<std::uint8_t const> sampled);

 private:
  void Quantise(Context const& ctx, Span<GradientPair const> gradients, std::int64_t n_outputs, std::int64_t first);

  RowSurvey survey_;                           ///< `largest` is empty until the first call
  std::int64_t first_ = -1;                    ///< output of pairs_[0]; negative if none
  std::vector<std::vector<FixedPair>> pairs_;  ///< [kAtOnce or fewer][n_rows]
  std::vector<FixedPair> sampled_;             ///< [n_rows]: result of the last call with rows left out
};

}  // namespace kauri
