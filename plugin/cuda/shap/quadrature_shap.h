/// \file Semivalues and interactions by quadrature on the device, one row per thread (shap_program.h, shap_lane.h).
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/buffer.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_sums.h"
#include "predictor/lanes/shap_program.h"

namespace kauri::cuda {

struct LaneTask;  // quadrature_lane.cuh

/// A ShapProgram in device memory. Immutable.
class DeviceProgram {
 public:
  DeviceProgram(CudaContext const& cuda, ShapProgram const& program);

  /// Adds the contributions of `trees` (numbered within the forest) for all rows. If the program was compiled for
  /// pairs, it also adds the contributions of all pairs; sums must then have cells for them. keys and sums: row-minor.
  void Add(CudaContext const& cuda, RowKeys const& keys, TreeRange trees, ShapSumsView const& sums) const;

 private:
  /// Returns the part of a task that all launches have in common.
  LaneTask TaskOf(RowKeys const& keys, ShapSumsView const& sums) const;

  Semivalue semivalue_;
  std::vector<ProgramTree> trees_;
  std::vector<ProgramBatch> batches_;
  bool has_categorical_;
  Buffer<ProgramNode> nodes_;
  Buffer<std::uint32_t> slot_of_place_;
  Buffer<PathFeature> states_;
  Buffer<float> inverses_;
  Buffer<std::int64_t> partner_begin_;
  Buffer<ProgramPartner> partners_;
  Buffer<CategoryCondition> conditions_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
};

}  // namespace kauri::cuda
