/// \file The interface of an evaluation metric.
#pragma once

#include <string>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// const, shared by threads.
class Metric {
 public:
  virtual ~Metric() = default;
  /// As printed, argument included: error@0.7.
  virtual std::string Name() const = 0;
  virtual bool HigherIsBetter() const { return false; }
  /// What follows '@' in the name, with all digits that it takes to read the same number; empty without an argument.
  virtual std::string Argument() const { return {}; }
  /// predictions: [n_rows, n_outputs] after Objective::TransformMargins. Deterministic for any thread count (blocks of
  /// rows, added in order). \throws Error(kData) when labels do not fit.
  virtual double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const = 0;
};

}  // namespace kauri
