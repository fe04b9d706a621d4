/// \file Predictors called with a list of devices.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "kauri/predictor.h"
#include "predictor/interactions/set_interactions.h"
#include "predictor/predictor_fixtures.h"

namespace kauri::testing {

using Ordinals = std::vector<int>;

inline Context On(Ordinals const& ordinals, int threads = 4) {
  Context ctx;
  ctx.threads = threads;
  ctx.device = {DeviceKind::kCuda, ordinals.front(), ordinals};
  if (ordinals.size() == 1) ctx.device.ordinals.clear();
  return ctx;
}

inline TreeRange AllTrees(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

/// A predictor with a model.
class Caller {
 public:
  Caller(Predictor const& predictor, Context ctx, Model const& model)
      : predictor_(predictor), ctx_(std::move(ctx)), model_(model) {
    compiled_ = predictor.Compile(ctx_, model, AllTrees(model));
  }
  std::vector<float> Predict(DataView const& rows, PredictKind kind, MarginStart const& start) const {
    std::vector<float> out(rows.NumRows() * OutputWidth(model_, kind, AllTrees(model_)), 123.0F);
    predictor_.Predict(ctx_, *compiled_, {rows, AllTrees(model_), start}, kind, out);
    return out;
  }
  SparseInteractions Sparse(DataView const& rows, MarginStart const& start, std::int64_t top_k) const {
    SparseInteractions out;
    out.begin = {7};  // is replaced, not appended to
    predictor_.PredictSparse(ctx_, *compiled_, {rows, AllTrees(model_), start}, top_k, &out);
    return out;
  }
  SetInteractions Sets(DataView const& rows, MarginStart const& start, SetInteractionOptions const& options) const {
    SetInteractions out;
    out.begin = {7};  // is replaced, not appended to
    predictor_.PredictSets(ctx_, *compiled_, {rows, AllTrees(model_), start}, options, &out);
    return out;
  }
  std::vector<float> Interventional(DataView const& rows, DataView const& background, MarginStart const& start) const {
    auto const width = OutputWidth(model_, PredictKind::kContribution, AllTrees(model_));
    std::vector<float> out(rows.NumRows() * width);
    predictor_.PredictInterventional(ctx_, *compiled_, {rows, AllTrees(model_), start}, background, out);
    return out;
  }

 private:
  Predictor const& predictor_;
  Context ctx_;
  Model const& model_;
  std::shared_ptr<CompiledModel const> compiled_;
};

}  // namespace kauri::testing
