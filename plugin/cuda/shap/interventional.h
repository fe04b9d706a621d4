/// \file Interventional contributions on the device: tables are made of each tree against the background and added up
/// for all rows (predictor/interventional/interventional.h has the formulas).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cuda/forest/device_forest.h"
#include "cuda/shap/interventional_program.h"
#include "cuda/shap/shap_session.h"
#include "kauri/predictor.h"

namespace kauri::cuda {

/// Results in host memory; rows and background may be on the device. trees: numbered within the forest.
struct InterventionalTask {
  DataView const& rows;
  DataView const& background;
  TreeRange trees;
  MarginStart start;
  Span<float> out;              ///< [n_rows, n_outputs, n_features + 1]
  std::int64_t tile_bytes = 0;  ///< of rows, or of the background, on the device; 0: a quarter of the free memory
};

/// Keeps the parts that do not depend on the background for the next call. Safe from many threads. The forest must
/// outlive it.
class InterventionalModel {
 public:
  explicit InterventionalModel(DeviceForest const& forest);

  /// Adds the same float64 terms as the host, as integers of 61 bits: the same bits in every run and for any batch of
  /// rows. \throws Error(kData) for a background without rows, Error(kParameter) for a path of more than 64 distinct
  /// features, Error(kDevice) for rows on another device, Error(kMemory).
  void Explain(Context const& ctx, InterventionalTask const& task) const;

 private:
  /// Returns the program of `trees`. A call for another range replaces the program, which is freed once nobody holds
  /// it. The caller must therefore wait for its work before releasing the program.
  std::shared_ptr<InterventionalProgram const> Program(Context const& ctx, TreeRange trees) const;

  DeviceForest const& forest_;
  StreamOwner stream_;  ///< before the program, whose buffers are freed on it
  IdleTiles idle_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<InterventionalProgram const> program_;  ///< of the last range
};

}  // namespace kauri::cuda
