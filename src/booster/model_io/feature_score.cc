#include "booster/model_io/dump.h"

namespace kauri {
namespace {

enum class Importance { kWeight, kGain, kCover, kTotalGain, kTotalCover };

Importance ImportanceOf(std::string const& type) {
  if (type == "weight") return Importance::kWeight;
  if (type == "gain") return Importance::kGain;
  if (type == "cover") return Importance::kCover;
  if (type == "total_gain") return Importance::kTotalGain;
  if (type == "total_cover") return Importance::kTotalCover;
  Fail(ErrorKind::kParameter, "unknown feature importance type '", type,
       "'; expected one of weight, gain, cover, total_gain, total_cover");
}

void RequireStatistics(Tree const& tree, std::string const& type) {
  if (!tree.HasVectorLeaves() || tree.NumNodes() == 1 || tree.sum_hessian[0] > 0.0F) return;
  Fail(ErrorKind::kParameter, "feature importance ", type,
       " needs gains and sums of hessians, which XGBoost before 3.2 did not save for vector leaves; use weight.");
}

}  // namespace

std::map<std::int64_t, double> FeatureScore(Model const& model, std::string const& importance_type) {
  auto const importance = ImportanceOf(importance_type);
  bool const of_gain = importance == Importance::kGain || importance == Importance::kTotalGain;
  std::map<std::int64_t, double> counts;
  std::map<std::int64_t, double> sums;
  for (auto const& tree : model.trees) {
    if (importance != Importance::kWeight) RequireStatistics(tree, importance_type);
    for (std::int32_t id = 0; id < tree.NumNodes(); ++id) {
      if (tree.IsLeaf(id)) continue;
      auto const node = static_cast<std::size_t>(id);
      auto const feature = static_cast<std::int64_t>(tree.split_feature[node]);
      counts[feature] += 1.0;
      sums[feature] += static_cast<double>(of_gain ? tree.loss_change[node] : tree.sum_hessian[node]);
    }
  }
  if (importance == Importance::kWeight) return counts;
  if (importance == Importance::kTotalGain || importance == Importance::kTotalCover) return sums;
  for (auto& [feature, sum] : sums) sum /= counts[feature];
  return sums;
}

Span<float const> LinearScore(Model const& model, std::string const& importance_type) {
  if (importance_type != "weight") {
    Fail(ErrorKind::kParameter, "feature importance ", importance_type,
         " counts splits of trees; a linear booster has weight only");
  }
  auto const n_biases = static_cast<std::size_t>(model.NumOutputs());
  return Span<float const>(model.linear.weights).subspan(0, model.linear.weights.size() - n_biases);
}

}  // namespace kauri
