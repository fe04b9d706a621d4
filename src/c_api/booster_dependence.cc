/// Computes the dependence of margins on features and pairs.
#include <cstdint>
#include <memory>
#include <optional>

#include "booster/predict/dependence.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/json_config.h"
#include "common/text/quoted.h"

namespace kauri::c_api {
namespace {

Distribution DistributionOf(JsonConfig const& config) {
  if (!config.Has("distribution")) return Distribution::kRows;
  auto const name = config.Text("distribution");
  if (name == "rows") return Distribution::kRows;
  if (name == "product") return Distribution::kProduct;
  Fail(ErrorKind::kParameter, "distribution is ", Quoted(name), "; expected rows or product.");
}

DependenceOptions DependenceOptionsOf(JsonConfig const& config) {
  DependenceOptions options;
  options.iterations = {config.Integer("iteration_begin"), config.Integer("iteration_end")};
  options.distribution = DistributionOf(config);
  if (config.Has("features")) options.features = config.Integers("features");
  if (!config.Has("pairs")) return options;
  options.finds_pairs = config.Document()["pairs"].is_string();
  if (!options.finds_pairs) {
    options.pairs = config.IntegerLists("pairs");
  } else if (config.Text("pairs") != "together") {
    Fail(ErrorKind::kParameter, "pairs is ", Quoted(config.Text("pairs")),
         "; expected a list of pairs of features, or together for those that occur together on a path.");
  }
  return options;
}

/// A matrix with its rows, held in this scope.
struct HeldRows {
  explicit HeldRows(DMatrixHandle handle) : matrix(handle), view(matrix->data->View()) {}
  DescribedRows Rows() const { return {*view, matrix->data->Info()}; }

  DataRead matrix;
  std::unique_ptr<DataView> view;
};

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterDependence(BoosterHandle handle, DMatrixHandle background, DMatrixHandle points, char const* config,
                           bst_ulong* out_n_outputs, bst_ulong* out_n_features, int64_t const** out_begin,
                           float const** out_thresholds, double const** out_values, bst_ulong* out_n_values,
                           bst_ulong* out_n_pairs, uint32_t const** out_pairs, int32_t const** out_cells) {
  return Guard([&] {
    NotNull(out_n_outputs, "out_n_outputs");
    NotNull(out_n_features, "out_n_features");
    NotNull(out_n_values, "out_n_values");
    NotNull(out_n_pairs, "out_n_pairs");
    NotNull(out_begin, "out_begin");
    NotNull(out_thresholds, "out_thresholds");
    NotNull(out_values, "out_values");
    NotNull(out_pairs, "out_pairs");
    NotNull(out_cells, "out_cells");
    BoosterRead const booster(handle);
    HeldRows const compared(background);
    std::optional<HeldRows> at;
    std::optional<kauri::DescribedRows> rows_at;
    if (points != nullptr) rows_at.emplace(at.emplace(points).Rows());
    auto const options = DependenceOptionsOf(JsonConfig(config, "KauriBoosterDependence"));
    auto& kept = booster->Buffers().dependence;
    kept =
        kauri::ComputeDependence(*booster->learner->Ready(), compared.Rows(), rows_at ? &*rows_at : nullptr, options);
    *out_n_outputs = static_cast<bst_ulong>(kept.sums.n_outputs);
    *out_n_features = static_cast<bst_ulong>(kept.sums.threshold_begin.size() - 1);
    *out_begin = kept.sums.threshold_begin.data();
    *out_thresholds = kept.sums.thresholds.data();
    *out_values = kept.sums.values.data();
    *out_n_values = static_cast<bst_ulong>(kept.sums.values.size());
    *out_n_pairs = static_cast<bst_ulong>(kept.pairs.size());
    *out_pairs = kept.pairs.empty() ? nullptr : &kept.pairs.front().first;
    *out_cells = kept.cells.data();
  });
}
