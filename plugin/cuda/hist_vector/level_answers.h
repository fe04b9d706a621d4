/// \file The sums that nodes answer the questions of a level with (tree/hist_vector/level_questions.h), in device
/// memory.
///
/// The rows of all nodes, laid end to end (plan_rows.h), are cut into ranges; a warp takes rows of a range, its lanes a
/// feature each, and keeps sums in registers until a node or the range ends. Floor: of a row and 32 features the codes,
/// a sector or more, and 4 bytes for each integer, which all lanes read; once for each kAnswerPlaces of these.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"
#include "cuda/hist_vector/add_table_rows.h"
#include "kauri/span.h"
#include "tree/hist_vector/level_questions.h"

namespace kauri::cuda {

/// AskedFeature, where its codes are.
struct AskedOnDevice {
  static constexpr std::uint32_t kNoColumn = 0xFFFFFFFFU;

  FeaturePlace place;
  std::uint32_t n_bins;
  std::uint32_t code;            ///< kNoCode: no row is told from the rest
  std::uint32_t is_categorical;  ///< 1: the rows of the code are, 0: those up to it
  std::uint32_t told;
  std::uint32_t missing;  ///< or kNoColumn
};

/// Features of numbers that may not be missed have plain columns, unless rows are lists of cells.
PlainColumns PlainColumnsOnDevice(DeviceBins const& bins);
std::vector<AskedOnDevice> AskedOf(DeviceBins const& bins, LevelQuestions const& questions);

struct AnswerTask {
  SumTask rows;  ///< the sums of each node: [n_sums, width]
  Span<AskedOnDevice const> asked;
  std::uint32_t width;
  bool misses;  ///< some of `asked` has a column of missing rows
};

/// Adds the rows of the nodes to their sums.
void AddAnswers(CudaContext const& cuda, DeviceBins const& bins, AnswerTask const& task);

}  // namespace kauri::cuda
