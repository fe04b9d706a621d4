/// The prediction call of XGBoost's older clients, xgboost4j among them, which takes a mask of bits.
#include <array>
#include <cstdint>
#include <string>

#include "c_api/guard.h"
#include "c_api/handles.h"
#include "common/text/json_text.h"

namespace kauri::c_api {
namespace {

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
