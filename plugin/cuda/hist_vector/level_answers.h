/// \file Sums of each node for the tests of a level (`LevelConditions`, tree/hist_vector/level_conditions.h), in device
/// memory.
///
/// The rows of all nodes, laid end to end (PlanRows), are cut into ranges. A warp handles rows of a range, each lane
/// one feature, and keeps sums in registers until a node or the range ends. Floor: for a row and 32 features the codes,
/// a sector or more, and 4 bytes for each integer, which all lanes read; once for each kAnswerPlaces integers.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "kauri/span.h"
#include "tree/hist_vector/level_conditions.h"

namespace kauri::cuda {

/// TestedFeature, with the place of the feature's codes.
struct AskedOnDevice {
  static constexpr std::uint32_t kNoColumn = 0xFFFFFFFFU;

  FeaturePlace place;
  std::uint32_t n_bins;
  std::uint32_t code;            ///< kNoCode: no row satisfies the test
  std::uint32_t is_categorical;  ///< 1: rows with this code are summed; 0: rows with codes up to it
  std::uint32_t told;
  std::uint32_t missing;  ///< column of the missing rows, or kNoColumn
};

/// Returns the plain columns: numerical features without missing values, unless rows are lists of cells.
PlainColumns PlainColumnsOnDevice(DeviceBins const& bins);
std::vector<AskedOnDevice> AskedOf(DeviceBins const& bins, LevelConditions const& conditions);

struct AnswerTask {
  SumTask rows;  ///< the sums of each node: [n_sums, width]
  Span<AskedOnDevice const> asked;
  std::uint32_t width;
  bool misses;  ///< some feature of `asked` has a column of missing rows
};

/// Adds the rows of the nodes to their sums.
void AddAnswers(CudaContext const& cuda, DeviceBins const& bins, AnswerTask const& task);

}  // namespace kauri::cuda
