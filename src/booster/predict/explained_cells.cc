#include "booster/predict/explained_cells.h"

#include <algorithm>

#include "kauri/error.h"

namespace kauri {

bool IsExplanation(PredictKind kind) {
  return IsOfPairs(kind) || kind == PredictKind::kContribution || kind == PredictKind::kApproxContribution ||
         kind == PredictKind::kBanzhaf;
}

std::int64_t ExplainTileRows(std::int64_t row_width) {
  constexpr std::int64_t kTileFloats = std::int64_t{1} << 24U;
  return std::max<std::int64_t>(kTileFloats / row_width, 1);
}

void CheckFeatures(std::vector<std::int64_t> const& features, std::int64_t n_features) {
  for (auto const feature : features) {
    if (feature < 0 || feature >= n_features) {
      Fail(ErrorKind::kParameter, "there is no feature ", feature, "; the model has ", n_features,
           " features, numbered from 0.");
    }
  }
  auto sorted = features;
  std::sort(sorted.begin(), sorted.end());
  auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    Fail(ErrorKind::kParameter, "feature ", *twice, " is asked for twice; name each feature once.");
  }
}

std::vector<std::int64_t> CellsOf(std::vector<std::int64_t> const& features, std::int64_t n_features, bool pairs) {
  auto const width = n_features + 1;
  std::vector<std::int64_t> columns = features;
  if (features.empty()) {
    for (std::int64_t feature = 0; feature < n_features; ++feature) columns.push_back(feature);
  }
  columns.push_back(n_features);
  if (!pairs) return columns;
  std::vector<std::int64_t> cells;
  cells.reserve(columns.size() * columns.size());
  for (auto const row : columns) {
    for (auto const column : columns) cells.push_back(row * width + column);
  }
  return cells;
}

}  // namespace kauri
