/// \file The interface of an evaluation metric.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// What a metric computes, as a value (metric/formula.h).
struct MetricFormula;

/// const, shared by threads.
class Metric {
 public:
  virtual ~Metric() = default;
  /// As printed, argument included: error@0.7.
  virtual std::string Name() const = 0;
  virtual bool HigherIsBetter() const { return false; }
  /// What follows '@' in the name, with all digits that it takes to read the same number; empty without an argument.
  virtual std::string Argument() const { return {}; }
  /// \throws Error(kData) when labels, weights or query groups are not what the metric is for, or not with as many
  /// predictions per row. May look at every label.
  virtual void Validate(MetaInfo const& info, std::int64_t n_outputs) const = 0;
  /// predictions: [n_rows, n_outputs] after Objective::TransformMargins. Deterministic for any thread count (blocks of
  /// rows, added in order). Several ranks (ctx.collective) call it together, each with its rows, and all get the value
  /// that one process with the rows of all gets. \throws Error(kData) as Validate, which it calls, and for a wrong
  /// number of predictions.
  virtual double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const = 0;
  /// What a device makes its version from; without a formula the host computes for it.
  virtual MetricFormula Formula() const;
};

using MetricList = std::vector<std::shared_ptr<Metric const>>;

}  // namespace kauri
