#include "booster/predict/dependence.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "booster/model/model_fit.h"
#include "booster/predict/prediction.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "data/sketch/cut_weights.h"
#include "kauri/error.h"
#include "predictor/forest/forest.h"

namespace kauri {
namespace {

std::vector<std::uint32_t> FeaturesOf(DependenceOptions const& options, Model const& model) {
  CheckFeatures(options.features, model.n_features);
  std::vector<std::uint32_t> features(options.features.begin(), options.features.end());
  if (features.empty()) {
    features.resize(ToSize(model.n_features));
    std::iota(features.begin(), features.end(), 0U);
  }
  return features;
}

/// Returns the pairs that are asked for, with the smaller feature first.
std::vector<DependencePair> PairsOf(DependenceOptions const& options, std::vector<std::uint32_t> const& features) {
  std::set<std::int64_t> const known(features.begin(), features.end());
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  std::vector<DependencePair> pairs;
  for (auto const& pair : options.pairs) {
    if (pair.size() != 2 || pair[0] == pair[1] || known.count(pair[0]) == 0 || known.count(pair[1]) == 0) {
      Fail(ErrorKind::kParameter, "pair ", pairs.size(), " is no pair of two different features of the list of ",
           features.size(), "; give two numbers of listed features.");
    }
    auto const [first, second] = std::minmax(pair[0], pair[1]);
    if (!seen.emplace(first, second).second) {
      Fail(ErrorKind::kParameter, "the pair of features ", first, " and ", second, " is given twice; give it once.");
    }
    pairs.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
  }
  return pairs;
}

void CheckModel(Model const& model) {
  if (model.IsLinear()) {
    Fail(ErrorKind::kParameter,
         "exact dependence is of trees, and the model is linear (gblinear), so that a feature's ",
         "curve is a straight line with its weight as slope; use partial_dependence, which predicts.");
  }
  CheckExplicable(model);
  model.RequireConstantLeaves("exact dependence curves");
}

void CheckDependenceBackground(ReadyModel const& ready, DescribedRows const& background, Span<float const> weights) {
  ready.CheckColumns(DeclaredColumns::Of(background.info).With(background.rows), background.rows.NumCols(),
                     {"the background", "has"});
  if (background.rows.NumRows() == 0) {
    Fail(ErrorKind::kData, "the background has 0 rows, over which there is no mean; pass at least one.");
  }
  if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 0.0F; })) {
    Fail(ErrorKind::kData, "the weights of all rows of the background are 0, so that they have no mean; give some row ",
         "a weight above 0.");
  }
  CheckBaseMargin(background.info.base_margin, background.rows.NumRows(), ready.GetModel().NumOutputs());
}

/// Returns the mean start of the margins, [n_outputs]. weights: [n_rows], or empty.
std::vector<double> MeanStart(DescribedRows const& given, Span<float const> weights, std::vector<float> const& start) {
  std::vector<double> mean(start.begin(), start.end());
  auto const& margins = given.info.base_margin;
  if (margins.empty()) return mean;
  std::fill(mean.begin(), mean.end(), 0.0);
  double total = 0.0;
  for (std::size_t row = 0; row < ToSize(given.rows.NumRows()); ++row) {
    auto const weight = weights.empty() ? 1.0 : static_cast<double>(weights[row]);
    total += weight;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += weight * static_cast<double>(margins[row * mean.size() + k]);
    }
  }
  for (auto& of_output : mean) of_output /= total;
  return mean;
}

}  // namespace

ModelDependence ComputeDependence(ReadyModel const& ready, DescribedRows const& background, DescribedRows const* points,
                                  DependenceOptions const& options) {
  auto const& parts = *ready.Parts();
  auto const& model = ready.GetModel();
  CheckModel(model);
  auto const weights = WeightPerRow(background.info);  // of queries, too
  CheckDependenceBackground(ready, background, weights);
  DependenceRequest request{FeaturesOf(options, model), {}, options.distribution};
  request.pairs = PairsOf(options, request.features);
  auto const forest = CompileForest(parts.ctx, model, model.TreesOf(options.iterations));
  auto const start = MeanStart(background, weights, StartMargins(parts, model));
  ModelRows const rows(model, background.rows);
  ModelDependence found;
  found.pairs = options.finds_pairs ? PairsTogether(forest, request.features) : request.pairs;
  if (points != nullptr) {
    ready.CheckColumns(DeclaredColumns::Of(points->info).With(points->rows), points->rows.NumCols(),
                       {"the table of points", "has"});
    ModelRows const point_rows(model, points->rows);
    found.cells = CellsOfRows(parts.ctx, parts.predictor.get(), forest, request.features, point_rows.View());
  }
  found.sums = ComputeDependence(parts.ctx, {forest, rows.View(), weights, start, parts.predictor.get()}, request);
  return found;
}

}  // namespace kauri
