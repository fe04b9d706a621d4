/// \file Symmetric trees (tree/growth/symmetric_growth.h) from histograms in device memory. The device finds the split
/// of a level (split/level_splits.h). The host waits twice per level.
#pragma once

#include <cstddef>
#include <vector>

#include "cuda/hist/gpu_hist_grower.h"
#include "tree/growth/symmetric_growth.h"
#include "tree/hist/level_search.h"

namespace kauri::cuda {

class GpuSymmetricGrower final : public SymmetricGrowth<GpuHistGrower> {
 public:
  using SymmetricGrowth::SymmetricGrowth;

 private:
  LevelSplit FindLevel(Nodes const& open) override;
  bool MakesSplit(LevelSplit const& split, std::size_t place, HistNode* node) const override;

  std::vector<ScoredNode> nodes_;  ///< of the level
  std::vector<std::uint8_t> allowed_;
  std::vector<std::uint64_t> noise_keys_;
};

}  // namespace kauri::cuda
