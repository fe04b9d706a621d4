/// \file Weights of the rows for the bin edges of a tree: their hessians, kept from one tree to the next to detect
/// changes.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Bounds of the weights as keys (data/sketch/weighted_keys.h); all zero if there are no weights.
struct SeenWeights {
  std::uint32_t largest;
  std::uint32_t largest_complement;  ///< complement of the least key
  std::uint32_t have_changed;        ///< 1: some weight differs from the one before
};

class TreeWeights {
 public:
  /// Takes the hessians of `pairs` ([n_rows], device; zero for rows that are not sampled), converted to floats as by
  /// tree_method=approx. Reads 12 bytes a row and writes 4; waits for the bounds.
  void Update(CudaContext const& cuda, Span<FixedPair const> pairs);

  /// Returns the weights, [n_rows], device.
  Span<float const> Values() const { return weights_.span(); }
  /// Returns whether weights changed since the update before; undefined after the first update.
  bool HaveChanged() const { return bounds_.have_changed != 0; }
  bool AreAlike() const { return bounds_.largest == ~bounds_.largest_complement; }
  /// Returns the largest weight, at least 0.
  float Largest() const;

 private:
  Buffer<float> weights_;
  Buffer<SeenWeights> on_device_;
  SeenWeights bounds_{};
};

}  // namespace kauri::cuda
