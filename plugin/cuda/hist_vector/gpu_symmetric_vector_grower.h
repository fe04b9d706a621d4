/// \file Symmetric trees with a vector in each leaf (tree/hist_vector/vector_grower.h) of rows in device
/// memory. The device adds up the sums for the tests of a level (`LevelConditions`), and the host decides. The host
/// waits twice per level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hist_vector/gpu_vector_grower.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist_vector/drawn_level.h"

namespace kauri::cuda {

/// Works on data on one device.
class GpuSymmetricVectorGrower final : public SymmetricGrowth<GpuVectorGrower> {
 public:
  GpuSymmetricVectorGrower(Context const& ctx, GrowthRules const& rules, VectorTask const& task, VectorOnDevice* data);

 private:
  /// Moves rows to their children.
  void FindSplits(Pairs const& pairs) override;
  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, Node* node) const override {
    return search_.MakesSplit(split, place, node);
  }
  std::int64_t const* SumNodes(LevelConditions const& conditions, Span<Node const> nodes);

  DrawnLevelSearch search_;
};

}  // namespace kauri::cuda
