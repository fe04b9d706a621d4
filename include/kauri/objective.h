/// \file The interface of an objective.
///
/// The life of an objective: (1) its factory makes it from parameters or from a model file; (2) ValidateInfo once per
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

/// The quantities that an objective learns besides the trees, by name; stored in the model and its file.
using ObjectiveState = std::map<std::string, std::vector<float>>;

/// An objective's formula as a value (objective/formula.h).
struct ObjectiveFormula;

/// Immutable, shared by threads.
class Objective {
 public:
  virtual ~Objective() = default;
  /// Returns the number of margins per row: 1, the number of targets, or the number of classes.
  virtual std::int64_t NumOutputs(MetaInfo const& info) const = 0;
  /// Returns the number of classes, num_class of a model file; 0 unless multi-class.
  virtual std::int64_t NumClasses() const { return 0; }
  /// \throws Error(kData) with the first offending row for labels outside the domain, NaN in a single column, or a
  /// wrong number of labels. Reads the labels once, on the threads of `ctx`.
  virtual void ValidateInfo(Context const& ctx, MetaInfo const& info) const = 0;
  /// Computes the gradients. margins and out: [n_rows, n_outputs], row-major. Weights are applied. Several ranks
  /// (ctx.collective) call it together, each with its rows, which get the same gradients as in one process with all
  /// rows.
  virtual void ComputeGradients(Context const& ctx, Span<float const> margins, MetaInfo const& info,
                                std::int64_t iteration, Span<GradientPair> out) const = 0;
  /// Estimates the intercept in output space, [n_outputs], like XGBoost 3.x. Deterministic for any thread count. With
  /// several ranks, every rank gets the estimate of all rows; a rank without rows need not know the number of label
  /// columns.
  virtual std::vector<float> EstimateBaseScore(Context const& ctx, MetaInfo const& info) const = 0;
  /// Converts a base score (output space) to a margin. \throws Error(kParameter) outside the domain, e.g. not in (0, 1)
  /// for a probability.
  virtual float BaseScoreToMargin(float base_score) const { return base_score; }
  /// Converts the base scores of all outputs to margins: each by BaseScoreToMargin, unless outputs depend on each
  /// other.
  virtual std::vector<float> StartMargins(std::vector<float> const& base_scores) const;
  /// Transforms margins to predictions, in place, [n_rows, n_outputs].
  virtual void TransformMargins(Context const& ctx, Span<float> values, std::int64_t n_outputs) const = 0;
  /// Returns the number of outputs per row that a user sees from kValue: 1 for multi:softmax (the class), else
  /// n_outputs. When it is smaller, `PickValues` computes [n_rows, ValueWidth] from transformed values.
  virtual std::int64_t ValueWidth(std::int64_t n_outputs) const { return n_outputs; }
  virtual void PickValues(Context const&, Span<float const> transformed, std::int64_t n_outputs, Span<float> out) const;
  virtual std::string DefaultMetric() const = 0;
  /// Returns whether metrics receive margins instead of predictions.
  virtual bool EvaluatesMargins() const { return false; }
  /// Returns defaults that this objective overrides unless the user set them, e.g. max_delta_step for count:poisson.
  virtual std::map<std::string, std::string> ParameterDefaults() const { return {}; }
  /// Returns the key of the parameter object in the model file (empty: none); SaveParams returns its members.
  virtual std::string ParamKey() const { return {}; }
  virtual std::map<std::string, std::string> SaveParams() const { return {}; }
  /// Creates a version of this objective whose ComputeGradients reads and updates `state`, which must outlive it;
  /// nullptr if it learns nothing besides the trees.
  virtual std::unique_ptr<Objective> Learning(ObjectiveState*) const { return nullptr; }
  /// Prepares the state for saving a model: drops entries that do not belong to this objective, adds missing ones.
  virtual void PrepareState(ObjectiveState* state) const { state->clear(); }
  /// Returns its name in the registry.
  virtual std::string Name() const { return {}; }
  /// Returns the formula from which a device builds its version; without a formula the host computes the objective.
  virtual ObjectiveFormula Formula() const;
  /// Returns for each output whether monotone constraints leave it free, because the mean, which they are about, does
  /// not depend on it; empty: they bind all outputs.
  virtual std::vector<std::uint8_t> FreeOutputs() const { return {}; }
};

}  // namespace kauri
