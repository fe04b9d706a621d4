#include "predictor/shap/lazy_quadrature.h"

namespace kauri {

std::shared_ptr<QuadratureForest const> LazyQuadrature::Get(Context const& ctx, Forest const& forest,
                                                            QuadratureGoal goal) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& compiled = compiled_[goal.semivalue];
  if (compiled.forest == nullptr || (goal.with_pairs && !compiled.has_pairs)) {
    compiled.forest = std::make_shared<QuadratureForest const>(CompileQuadrature(ctx, forest, goal));
    compiled.has_pairs = goal.with_pairs;
  }
  return compiled.forest;
}

std::shared_ptr<QuadratureLevels const> LazyQuadrature::Levels(Context const& ctx, Forest const& forest,
                                                               Semivalue semivalue) const {
  auto const compiled = Get(ctx, forest, {semivalue, false});
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& levels = compiled_[semivalue].levels;
  if (levels == nullptr) levels = std::make_shared<QuadratureLevels const>(CompileLevels(forest, *compiled));
  return levels;
}

}  // namespace kauri
