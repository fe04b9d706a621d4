/// Explains rows, with a choice of what is returned.
#include <memory>
#include <optional>
#include <utility>

#include "booster/predict/explanation.h"
#include "c_api/guard.h"
#include "c_api/predict_out.h"
#include "common/text/quoted.h"

namespace kauri::c_api {
namespace {

ExplainReduction ReductionOf(JsonConfig const& config) {
  if (!config.Has("reduce")) return ExplainReduction::kNone;
  auto const reduce = config.Text("reduce");
  if (reduce == "none") return ExplainReduction::kNone;
  if (reduce == "mean_abs") return ExplainReduction::kMeanAbs;
  Fail(ErrorKind::kParameter, "reduce is ", Quoted(reduce), "; expected none or mean_abs.");
}

ExplainOptions ExplainOptionsOf(JsonConfig const& config) {
  auto const prediction = OptionsOf(config);
  ExplainOptions options;
  options.kind = prediction.kind;
  options.iterations = prediction.iterations;
  options.strict_shape = prediction.strict_shape;
  if (config.Has("features")) options.features = config.Integers("features");
  options.reduction = ReductionOf(config);
  return options;
}

/// The background matrix; empty for a null handle.
struct Background {
  explicit Background(DMatrixHandle handle) {
    if (handle == nullptr) return;
    matrix.emplace(handle);
    rows = (*matrix)->data->View();
  }
  DeclaredColumns Columns() const { return DeclaredColumns::Of((*matrix)->Info()); }

  std::optional<DataRead> matrix;
  std::unique_ptr<DataView> rows;
};

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int KauriBoosterExplain(BoosterHandle handle, DMatrixHandle dmat, DMatrixHandle background, char const* config,
                        bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return Guard([&] {
    auto const out = CheckedOut(out_shape, out_dim, out_result);
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    auto const& data = *matrix->data;
    auto const rows = data.View();
    Background const compared(background);
    auto const options = ExplainOptionsOf(JsonConfig(config, "KauriBoosterExplain"));
    kauri::ExplainTask task{*rows, data.Info().base_margin, compared.rows.get(),
                            kauri::DeclaredColumns::Of(data.Info())};
    if (background != nullptr) task.background_columns = compared.Columns();
    auto const shape = kauri::ExplainInto(*booster->learner->Ready(), task, options, ExplanationMemory(&*booster));
    ReturnExplanation(shape, &*booster, out);
  });
}

int KauriBoosterExplainSparse(BoosterHandle handle, DMatrixHandle dmat, char const* config, bst_ulong* out_n_outputs,
                              int64_t const** out_begin, uint32_t const** out_first, uint32_t const** out_second,
                              float const** out_values) {
  return Guard([&] {
    NotNull(out_n_outputs, "out_n_outputs");
    NotNull(out_begin, "out_begin");
    NotNull(out_first, "out_first");
    NotNull(out_second, "out_second");
    NotNull(out_values, "out_values");
    BoosterRead const booster(handle);
    DataRead const matrix(dmat);
    auto const& data = *matrix->data;
    JsonConfig const settings(config, "KauriBoosterExplainSparse");
    kauri::SparseOptions options;
    options.iterations = {settings.Integer("iteration_begin"), settings.Integer("iteration_end")};
    options.top_k = settings.Integer("top_k");
    auto const rows = data.View();
    auto& sparse = booster->Buffers().sparse;
    auto const model = booster->learner->Ready();
    sparse = kauri::ExplainSparse(
        *model, {*rows, data.Info().base_margin, nullptr, kauri::DeclaredColumns::Of(data.Info())}, options);
    *out_n_outputs = static_cast<bst_ulong>(model->GetModel().NumOutputs());
    *out_begin = sparse.begin.data();
    *out_first = sparse.first.data();
    *out_second = sparse.second.data();
    *out_values = sparse.values.data();
  });
}

int KauriBoosterTakeExplanation(BoosterHandle handle, KauriHostArrayHandle* out) {
  return Guard([&] {
    NotNull(out, "out");
    BoosterRead const booster(handle);
    auto& values = booster->Buffers().explanation;
    if (values.Empty()) {
      kauri::Fail(kauri::ErrorKind::kParameter,
                  "this thread has no explanation of this booster, or has already taken it; explain rows with the "
                  "booster first.");
    }
    *out = new HostArrayHandle(std::exchange(values, kauri::FloatMemory()), booster->spare);
  });
}

int KauriHostArrayFree(KauriHostArrayHandle handle) {
  return Guard([&] {
    std::unique_ptr<HostArrayHandle> const array(&HostArrayOf(handle));
    if (auto const spare = array->spare.lock()) spare->Keep(std::move(array->values));
  });
}
