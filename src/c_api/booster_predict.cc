/// Predicts rows, from a DMatrix and in place.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "booster/predict/prediction.h"
#include "c_api/arrays.h"
#include "c_api/categories.h"
#include "c_api/global.h"
#include "c_api/guard.h"
#include "c_api/handles.h"
#include "c_api/predict_out.h"
#include "common/text/json_text.h"

namespace kauri::c_api {

PredictionOut CheckedOut(bst_ulong const** shape, bst_ulong* dim, float const** values) {
  return {NotNull(shape, "out_shape"), NotNull(dim, "out_dim"), NotNull(values, "out_result")};
}

PredictOptions OptionsOf(JsonConfig const& config) {
  auto const type = config.Integer("type");
  if ((type < 0 || type > 6) && (type < 100 || type > 102)) {
    Fail(ErrorKind::kParameter, "prediction type ", type, " is unknown; expected 0 value, 1 margin, 2 contributions, ",
         "3 approximate contributions, 4 interactions, 5 approximate interactions, 6 leaves, 100 Banzhaf values, ",
         "101 Taylor interactions or 102 Banzhaf interactions.");
  }
  PredictOptions options;
  options.kind = static_cast<PredictKind>(type);
  options.iterations = {config.Integer("iteration_begin"), config.Integer("iteration_end")};
  options.strict_shape = config.Boolean("strict_shape");
  options.validates_columns = !config.IsGiven("validate_features") || config.Boolean("validate_features");
  return options;
}

std::vector<std::string> TextsIfGiven(JsonConfig const& config, char const* key) {
  return config.IsGiven(key) ? config.Texts(key) : std::vector<std::string>();
}

GivenMargin::GivenMargin(DMatrixHandle handle) {
  if (handle != nullptr) matrix_.emplace(handle);
}

Span<float const> GivenMargin::Values() const {
  if (!matrix_.has_value()) return {};
  return (*matrix_)->Info().base_margin;
}

void ReturnShape(std::vector<std::uint64_t> const& shape, float const* values, ReturnBuffers* buffers,
                 PredictionOut const& out) {
  buffers->shape.assign(shape.begin(), shape.end());
  *out.shape = buffers->shape.data();
  *out.dim = buffers->shape.size();
  *out.values = values;
}

ResultMemory ExplanationMemory(LearnerHandle* booster) {
  return [booster](std::size_t size) {
    auto& kept = booster->Buffers().explanation;
    auto ended = kept.Empty() ? booster->spare->Take() : std::exchange(kept, FloatMemory());
    kept = FloatMemory::Recycled(std::move(ended), size);
    return kept.Values();
  };
}

void ReturnExplanation(std::vector<std::uint64_t> const& shape, LearnerHandle* booster, PredictionOut const& out) {
  auto& buffers = booster->Buffers();
  ReturnShape(shape, buffers.explanation.Values().data(), &buffers, out);
}

namespace {

void ReturnPrediction(Prediction prediction, ReturnBuffers* buffers, PredictionOut const& out) {
  buffers->floats = std::move(prediction.values);
  ReturnShape(prediction.shape, buffers->floats.data(), buffers, out);
}

InPlaceSettings const& SettingsOf(char const* config, char const* call, ReturnBuffers* buffers) {
  auto& kept = buffers->in_place;
  if (!kept.config.empty() && kept.config == NotNull(config, "config")) return kept;
  JsonConfig const settings(config, call);
  kept.config.clear();
  kept.options = OptionsOf(settings);
  kept.feature_types = TextsIfGiven(settings, "feature_types");
  kept.feature_names = TextsIfGiven(settings, "feature_names");
  kept.missing = static_cast<float>(settings.Number("missing"));
  kept.config = config;
  return kept;
}

struct InPlaceCall {
  char const* name;
  bool is_frame = false;  ///< see DeclaredColumns
};

/// Returns the treatment of infinite values in place: XGBoost accepts them there, and refuses them in a DMatrix. Rows
/// for a device are copied in any case, and the copy finds infinite values: 1.1 GB take 19 ms to read once more.
Infinities InfinitiesFor(Client const& client, Device const& device) {
  if (client.habits == Habits::kXgboost) return Infinities::kTaken;
  return device.kind == DeviceKind::kCuda ? Infinities::kRefusedWhenRead : Infinities::kRefused;
}

/// Settings of a view of the caller's rows.
struct ViewSettings {
  float missing;
  Infinities infinities;
  Context ctx;
  ModelCategories const& known;  ///< the model's categories
};

/// Predicts rows in place. make_view: ViewSettings -> std::unique_ptr<DataView>.
template <typename MakeView>
int PredictInPlace(BoosterHandle handle, InPlaceCall const& call, char const* config, DMatrixHandle m,
                   PredictionOut const& to, MakeView&& make_view) {
  return Guard([&] {
    auto const out = CheckedOut(to.shape, to.dim, to.values);
    BoosterRead const booster(handle);
    auto& buffers = booster->Buffers();
    GivenMargin const margin(m);
    auto const& settings = SettingsOf(config, call.name, &buffers);
    auto const model = booster->learner->Ready();
    auto const& parts = *model->Parts();
    auto const view = make_view(ViewSettings{settings.missing, InfinitiesFor(parts.client, parts.ctx.device),
                                             MakeContext(parts.ctx.threads), model->GetModel().categories});
    kauri::GivenRows const rows{
        *view, margin.Values(), {settings.feature_types, view->Categories(), call.is_frame, settings.feature_names}};
    PredictionMemory memory(&*booster);
    memory.Return(kauri::PredictInto(*model, rows, settings.options, memory.Provider()), out);
  });
}

// The prediction call of XGBoost's older clients, xgboost4j among them, which takes a mask of bits.

struct MaskedKind {
  int mask;
  PredictKind kind;
};
/// XGBoost's bits: 1 margin, 2 leaves, 4 contributions, 8 approximate ones, 16 interactions.
constexpr std::array<MaskedKind, 7> kMasks{{{0, PredictKind::kValue},
                                            {1, PredictKind::kMargin},
                                            {2, PredictKind::kLeaf},
                                            {4, PredictKind::kContribution},
                                            {4 + 8, PredictKind::kApproxContribution},
                                            {16, PredictKind::kInteraction},
                                            {16 + 8, PredictKind::kApproxInteraction}}};

PredictKind KindOf(int mask) {
  for (auto const& each : kMasks) {
    if (each.mask == mask) return each.kind;
  }
  Fail(ErrorKind::kParameter, "XGBoosterPredict: option_mask=", mask, " names no prediction; expected 0 value, ",
       "1 margin, 2 leaves, 4 contributions, 16 interactions, and 8 besides for approximate ones.");
}

/// Returns the configuration for a mask. `n_trees` counts the trees of one output; 0: all.
std::string ConfigOf(Model const& model, int mask, unsigned n_trees, int training) {
  auto const end = static_cast<std::int64_t>(n_trees) / model.n_parallel_trees;
  if (n_trees > 0 && end == 0) {
    Fail(ErrorKind::kParameter, "XGBoosterPredict: ntree_limit=", n_trees, " is less than the ", model.n_parallel_trees,
         " trees of a round; pass a multiple of them, or 0 for all.");
  }
  return JsonObject({{"type", std::to_string(static_cast<int>(KindOf(mask)))},
                     {"iteration_begin", "0"},
                     {"iteration_end", std::to_string(end)},
                     {"strict_shape", "false"},
                     {"training", training != 0 ? "true" : "false"}});
}

}  // namespace
}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGBoosterPredictFromDMatrix(BoosterHandle handle, DMatrixHandle dmat, char const* config,
                                bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return Guard([&] {
    auto const out = CheckedOut(out_shape, out_dim, out_result);
    BoosterOf(handle);
    DataRead const matrix(dmat);
    JsonConfig const settings(config, "XGBoosterPredictFromDMatrix");
    auto const options = OptionsOf(settings);
    auto const is_explanation = kauri::IsExplanation(options.kind);
    if (settings.Boolean("training") && !is_explanation) {
      BoosterUse const booster(handle);
      return ReturnPrediction(booster->PredictTraining(matrix->data, options), &booster.Handle().Buffers(), out);
    }
    BoosterRead const booster(handle);
    auto const& data = matrix->data;
    auto const view = data->View();
    kauri::GivenRows const rows{*view, data->Info().base_margin, kauri::DeclaredColumns::Of(data->Info())};
    auto const ready = booster->learner->Ready();
    if (is_explanation) {
      auto const shape = kauri::PredictInto(*ready, rows, options, ExplanationMemory(&*booster));
      return ReturnExplanation(shape, &*booster, out);
    }
    PredictionMemory memory(&*booster);
    memory.Return(kauri::PredictInto(*ready, rows, options, memory.Provider()), out);
  });
}

int XGBoosterPredictFromDense(BoosterHandle handle, char const* values, char const* config, DMatrixHandle m,
                              bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return PredictInPlace(handle, {"XGBoosterPredictFromDense"}, config, m, {out_shape, out_dim, out_result},
                        [&](ViewSettings const& to) {
                          return kauri::MakeDenseView(ArrayOf(values, "values"), {to.missing, to.infinities}, to.ctx);
                        });
}

int XGBoosterPredictFromColumnar(BoosterHandle handle, char const* values, char const* config, DMatrixHandle m,
                                 bst_ulong const** out_shape, bst_ulong* out_dim, float const** out_result) {
  return PredictInPlace(handle, {"XGBoosterPredictFromColumnar", true}, config, m, {out_shape, out_dim, out_result},
                        [&](ViewSettings const& to) {
                          return ColumnarViewOf(NotNull(values, "values"), to.missing, to.infinities, &to.known);
                        });
}

int XGBoosterPredictFromCSR(BoosterHandle handle, char const* indptr, char const* indices, char const* values,
                            bst_ulong ncol, char const* config, DMatrixHandle m, bst_ulong const** out_shape,
                            bst_ulong* out_dim, float const** out_result) {
  return PredictInPlace(
      handle, {"XGBoosterPredictFromCSR"}, config, m, {out_shape, out_dim, out_result}, [&](ViewSettings const& to) {
        return kauri::MakeCsrView(ArrayOf(indptr, "indptr"), ArrayOf(indices, "indices"), ArrayOf(values, "values"),
                                  static_cast<std::int64_t>(ncol), {to.missing, to.infinities}, to.ctx);
      });
}

int XGBoosterPredict(BoosterHandle handle, DMatrixHandle dmat, int option_mask, unsigned ntree_limit, int training,
                     bst_ulong* out_len, float const** out_result) {
  std::string config;
  auto const status = Guard([&] {
    NotNull(out_len, "out_len");
    BoosterRead const booster(handle);
    config = ConfigOf(booster->learner->GetModel(), option_mask, ntree_limit, training);
  });
  if (status != 0) return status;
  bst_ulong const* shape = nullptr;
  bst_ulong dim = 0;
  if (XGBoosterPredictFromDMatrix(handle, dmat, config.c_str(), &shape, &dim, out_result) != 0) return -1;
  *out_len = 1;
  for (bst_ulong axis = 0; axis < dim; ++axis) *out_len *= shape[axis];
  return 0;
}
