/// \file What rows weigh in the cuts of a tree: their hessians, kept from one tree to the next to see whether they
/// differ.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "kauri/gradient.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// As keys (data/sketch/weighted_keys.h); of no weights all zero.
struct SeenWeights {
  std::uint32_t largest;
  std::uint32_t largest_complement;  ///< of a key: that of the least
  std::uint32_t have_changed;        ///< 1: some weight is not what it was before
};

class TreeWeights {
 public:
  /// Takes the hessians of `pairs` ([n_rows], device; zero for rows that are not sampled) as the floats that
  /// tree_method=approx makes of them. Reads 12 bytes a row and writes 4; waits for the bounds.
  void Update(CudaContext const& cuda, Span<FixedPair const> pairs);

  /// [n_rows], device.
  Span<float const> Values() const { return weights_.span(); }
  /// Since the update before; undefined of the first.
  bool HaveChanged() const { return bounds_.have_changed != 0; }
  bool AreAlike() const { return bounds_.largest == ~bounds_.largest_complement; }
  /// At least 0.
  float Largest() const;

 private:
  Buffer<float> weights_;
  Buffer<SeenWeights> on_device_;
  SeenWeights bounds_{};
};

}  // namespace kauri::cuda
