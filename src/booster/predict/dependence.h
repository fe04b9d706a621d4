/// \file Exact dependence of a model of trees on features and pairs, on the scale of margins. Safe from many threads.
#pragma once

#include <cstdint>
#include <vector>

#include "booster/model/column_fit.h"
#include "booster/model/ready_model.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/model.h"
#include "predictor/dependence/dependence.h"

namespace kauri {

struct DependenceOptions {
  std::vector<std::int64_t> features;            ///< empty: all
  std::vector<std::vector<std::int64_t>> pairs;  ///< two of `features` each
  bool finds_pairs = false;                      ///< PairsTogether are listed instead, without their surfaces
  Distribution distribution = Distribution::kRows;
  IterationRange iterations;
};

/// Rows of a data matrix with what is known about them. Not owning.
struct DescribedRows {
  DataView const& rows;
  MetaInfo const& info;
};

struct ModelDependence {
  Dependence sums;
  std::vector<DependencePair> pairs;  ///< in the order of the surfaces, first < second
  std::vector<std::int32_t> cells;    ///< [n_points, n_features]; empty without points
};

/// Computes the dependence over the rows of `background`, with their weights and base margins. points: nullptr, or rows
/// whose cells are returned. The rows are counted on the model's device; the bits do not depend on it. \throws
/// Error(kParameter): linear models, linear leaves, unknown or repeated features or pairs; Error(kData): rows that do
/// not fit, no rows or no weight in the background.
ModelDependence ComputeDependence(ReadyModel const& model, DescribedRows const& background, DescribedRows const* points,
                                  DependenceOptions const& options);

}  // namespace kauri
