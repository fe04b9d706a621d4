/// \file A forest compiled for quadrature, made on first use because most forests are never explained.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "kauri/context.h"
#include "predictor/shap/quadrature_forest.h"
#include "predictor/shap/quadrature_levels.h"

namespace kauri {

/// Cache of the compiled forms of one forest, which every call passes. Thread-safe.
class LazyQuadrature {
 public:
  std::shared_ptr<QuadratureForest const> Get(Context const& ctx, Forest const& forest, QuadratureGoal goal) const;
  /// Returns the levels, which do not support pairs.
  std::shared_ptr<QuadratureLevels const> Levels(Context const& ctx, Forest const& forest, Semivalue semivalue) const;

 private:
  struct Compiled {
    std::shared_ptr<QuadratureForest const> forest;
    std::shared_ptr<QuadratureLevels const> levels;
    bool has_pairs = false;
  };
  mutable std::mutex mutex_;
  mutable std::map<Semivalue, Compiled> compiled_;
};

}  // namespace kauri
