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

/// A metric's formula as a value (metric/formula.h).
struct MetricFormula;

/// Immutable, shared by threads.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Returns the name as printed, argument included: error@0.7.
  virtual std::string Name() const = 0;
  virtual bool HigherIsBetter() const { return false; }
  /// Returns the text after '@' in the name, with enough digits to read the same number back; empty without an
  /// argument.
  virtual std::string Argument() const { return {}; }
  /// \throws Error(kData) when labels, weights or query groups do not suit the metric, or do not suit this number of
  /// predictions per row. May read every label.
  virtual void Validate(MetaInfo const& info, std::int64_t n_outputs) const = 0;
  /// Evaluates the metric. predictions: [n_rows, n_outputs] after Objective::TransformMargins. Deterministic for any
  /// thread count (blocks of rows, added in order). Several ranks (ctx.collective) call it together, each with its
  /// rows, and all get the value that one process with all rows gets. \throws Error(kData) as Validate, which it calls,
  /// and for a wrong number of predictions.
  virtual double Evaluate(Context const& ctx, Span<float const> predictions, MetaInfo const& info) const = 0;
  /// Returns the formula from which a device builds its version; without a formula the host computes the metric.
  virtual MetricFormula Formula() const;
};

using MetricList = std::vector<std::shared_ptr<Metric const>>;

}  // namespace kauri
