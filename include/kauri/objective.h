/// \file The interface of an objective.
///
/// The life of an objective: (1) made by its factory from parameters or from a model file; (2) ValidateInfo once per
/// data set; (3) EstimateBaseScore when the user gave none; (4) ComputeGradients every round; (5) TransformMargins for
/// predictions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kauri/context.h"
#include "kauri/gradient.h"
#include "kauri/meta_info.h"
#include "kauri/span.h"

namespace kauri {

/// What an objective learns besides the trees, by name: kept in the model and its file.
using ObjectiveState = std::map<std::string, std::vector<float>>;

/// What an objective computes, as a value (objective/formula.h).
struct ObjectiveFormula;

/// const, shared by threads.
class Objective {
 public:
  virtual ~Objective() = default;
  /// Margins per row: 1, the number of targets, or the number of classes.
  virtual std::int64_t NumOutputs(MetaInfo const& info) const = 0;
  /// 0 unless multi-class; what a model file calls num_class.
  virtual std::int64_t NumClasses() const { return 0; }
  /// \throws Error(kData) with the first offending row for labels outside the domain, NaN in a single column, or a
  /// wrong number of labels.
  virtual void ValidateInfo(MetaInfo const& info) const = 0;
  /// margins and out: [n_rows, n_outputs], row-major. Weights are applied. Several ranks (ctx.collective) call it
  /// together, each with its rows, which get the gradients that one process with the rows of all gives them.
  virtual void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                std::int64_t iteration, Span<GradientPair> out) const = 0;
  /// The intercept in output space, [n_outputs], as XGBoost 3.x estimates it. Deterministic for any thread count. Of
  /// several ranks every one gets that of all rows; one without rows need not know how many columns of labels there
  /// are.
  virtual std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const = 0;
  /// Base score (output space) to margin. \throws Error(kParameter) outside the domain, e.g. not in (0, 1) for a
  /// probability.
  virtual float BaseScoreToMargin(float base_score) const { return base_score; }
  /// The base scores of all outputs as margins; BaseScoreToMargin of each unless outputs hang together.
  virtual std::vector<float> StartMargins(std::vector<float> const& base_scores) const;
  /// Margins to predictions, in place, [n_rows, n_outputs].
  virtual void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const = 0;
  /// Outputs per row that a user sees from kValue: 1 for multi:softmax (the class), else n_outputs.
  /// When it is smaller, `PickValues` computes [n_rows, ValueWidth] from transformed values.
  virtual std::int64_t ValueWidth(std::int64_t n_outputs) const { return n_outputs; }
  virtual void PickValues(Context const&, Span<float const> transformed, std::int64_t n_outputs, Span<float> out) const;
  virtual std::string DefaultMetric() const = 0;
  /// Metrics are given margins, not predictions.
  virtual bool EvaluatesMargins() const { return false; }
  /// Overrides of defaults that this objective wants unless the user set them, e.g. max_delta_step for count:poisson.
  virtual std::map<std::string, std::string> ParameterDefaults() const { return {}; }
  /// For the model file: key of the parameter object (empty: none) and its members.
  virtual std::string ParamKey() const { return {}; }
  virtual std::map<std::string, std::string> SaveParams() const { return {}; }
  /// A version of this objective whose ComputeGradients reads and updates `state`, which must outlive it; nullptr: it
  /// learns nothing besides the trees.
  virtual std::unique_ptr<Objective> Learning(ObjectiveState*) const { return nullptr; }
  /// Before a model is saved: drops from its state what is not this objective's, adds what is missing.
  virtual void PrepareState(ObjectiveState* state) const { state->clear(); }
  /// As in the registry.
  virtual std::string Name() const { return {}; }
  /// What a device makes its version from; without a formula the host computes for it.
  virtual ObjectiveFormula Formula() const;
};

}  // namespace kauri
