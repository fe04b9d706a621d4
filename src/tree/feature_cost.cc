#include "tree/feature_cost.h"

#include <algorithm>
#include <utility>

#include "common/text/number_list.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {

std::vector<float> ParseFeatureCost(TreeParam const& param) {
  constexpr char const* kForm = "one finite number of 0 or more for each feature, as in (0,2.5,0)";
  std::vector<float> costs;
  if (!ParseNumbers(param.feature_cost, &costs)) {
    Fail(ErrorKind::kParameter, "parameter feature_cost=", Quoted(param.feature_cost), " cannot be read; expected ",
         kForm, ".");
  }
  auto const negative = std::find_if(costs.begin(), costs.end(), [](float cost) { return cost < 0.0F; });
  if (negative == costs.end()) return costs;
  Fail(ErrorKind::kParameter, "feature_cost has ", *negative, " for feature ", negative - costs.begin(), "; expected ",
       kForm, ".");
}

OpenCosts::OpenCosts(std::vector<float> costs, Model const& model, std::int64_t n_cols) : costs_(std::move(costs)) {
  if (costs_.empty()) return;
  if (static_cast<std::int64_t>(costs_.size()) != n_cols) {
    Fail(ErrorKind::kParameter, "feature_cost has ", costs_.size(), " values, the data have ", n_cols,
         " features; give one value for each feature, 0 for those that cost nothing.");
  }
  n_open_ = std::count_if(costs_.begin(), costs_.end(), [](float cost) { return cost > 0.0F; });
  if (n_open_ == 0) costs_.clear();
  for (auto const& tree : model.trees) Pay(tree);
}

void OpenCosts::Pay(Tree const& tree) {
  for (std::int32_t node = 0; n_open_ > 0 && node < tree.NumNodes(); ++node) {
    auto const feature = tree.split_feature[node];
    if (tree.IsLeaf(node) || feature >= costs_.size() || !(costs_[feature] > 0.0F)) continue;
    costs_[feature] = 0.0F;
    if (--n_open_ == 0) costs_.clear();
  }
}

}  // namespace kauri
