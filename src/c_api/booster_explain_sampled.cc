/// Explanations of boosters by sampled coalitions.
#include <algorithm>

#include "booster/predict/sampled_explain.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/sampled_config.h"

namespace kauri::c_api {
namespace {

SampledOptions SampledOptionsOf(JsonConfig const& config) {
  SampledOptions options;
  options.output = ExplainedOutputNamed(config.Text("output"));
  options.iterations = {config.Integer("iteration_begin"), config.Integer("iteration_end")};
  if (config.Has("players")) options.players = PlayersOf(config);
  options.shapley = ShapleyOptionsOf(config);
  return options;
}

/// The caller's pointers for the two tables.
struct SampledOut {
  bst_ulong const** shape;
  bst_ulong* dim;
  double const** values;
  double const** errors;
  bst_ulong* n_evals;
};

void Return(SampledValues const& found, ReturnBuffers* buffers, SampledOut const& out) {
  auto const n_rows = static_cast<bst_ulong>(found.n_evals.size());
  buffers->shape = {n_rows, static_cast<bst_ulong>(found.n_outputs), static_cast<bst_ulong>(found.n_players + 1)};
  buffers->doubles = found.values;
  buffers->doubles.insert(buffers->doubles.end(), found.errors.begin(), found.errors.end());
  std::copy(found.n_evals.begin(), found.n_evals.end(), out.n_evals);
  *out.shape = buffers->shape.data();
  *out.dim = buffers->shape.size();
  *out.values = buffers->doubles.data();
  *out.errors = buffers->doubles.data() + found.values.size();
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterExplainSampled(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background, char const* config,
                               bst_ulong const** out_shape, bst_ulong* out_dim, double const** out_values,
                               double const** out_errors, bst_ulong* out_n_evals, char const** out_method) {
  return Guard([&] {
    SampledOut const out{NotNull(out_shape, "out_shape"), NotNull(out_dim, "out_dim"),
                         NotNull(out_values, "out_values"), NotNull(out_errors, "out_errors"),
                         NotNull(out_n_evals, "out_n_evals")};
    NotNull(out_method, "out_method");
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    DataRead const compared_matrix(background);
    auto const& data = *matrix->data;
    auto const& against = *compared_matrix->data;
    auto const options = SampledOptionsOf(JsonConfig(config, "KauriBoosterExplainSampled"));
    auto const rows = data.View();
    auto const compared = against.View();
    kauri::SampledTask const task{*rows, data.Info(), *compared, kauri::DeclaredColumns::Of(data.Info()),
                                  kauri::DeclaredColumns::Of(against.Info())};
    auto const found = kauri::ExplainSampled(*booster->learner->Ready(), task, options);
    Return(found, &booster->Buffers(), out);
    *out_method = NameOf(found.method);
  });
}
