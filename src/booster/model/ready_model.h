/// \file A model in agreement with the parameters, and its compiled form, which predictions share.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "booster/config/components.h"
#include "booster/model/column_fit.h"
#include "data/column_names.h"
#include "kauri/model.h"
#include "kauri/predictor.h"

namespace kauri {

/// Returns the base score of a model as margins, [n_outputs]. \throws Error(kModel) unless it has one, or one per
/// output.
std::vector<float> StartMargins(Components const& parts, Model const& model);

/// A model with its components, neither of which changes during its lifetime. Safe from many threads.
class ReadyModel {
 public:
  ReadyModel(std::shared_ptr<Components const> parts, std::shared_ptr<Model const> model)
      : parts_(std::move(parts)), model_(std::move(model)) {}

  std::shared_ptr<Components const> const& Parts() const { return parts_; }
  Model const& GetModel() const { return *model_; }
  /// Returns the whole model compiled for the predictor. The first call compiles it.
  std::shared_ptr<CompiledModel const> Compiled() const;
  /// Returns the whole model compiled for cpu_predictor, which takes the place of a predictor that does not compute
  /// something. The first call compiles it.
  std::shared_ptr<CompiledModel const> CompiledForCpu() const;
  /// Checks the columns of rows to predict or explain. \throws Error(kModel) without a model; Error(kData) as
  /// CheckColumnFit, and for a column that is numeric in the data and categorical in the model, or the other way round.
  void CheckColumns(DeclaredColumns const& given, std::int64_t n_cols, DataInWords const& words = {}) const;

 private:
  std::shared_ptr<Components const> parts_;
  std::shared_ptr<Model const> model_;
  mutable std::mutex mutex_;  ///< guards the members below
  mutable std::shared_ptr<CompiledModel const> compiled_;
  mutable std::shared_ptr<CompiledModel const> compiled_for_cpu_;
  mutable SplitKinds kinds_;
};

/// A predictor, and a model compiled for it.
struct ModelPredictor {
  std::shared_ptr<Predictor const> predictor;
  std::shared_ptr<CompiledModel const> model;
};

/// Returns the predictor of PredictorOf if it computes `kind`, without a background or against one; otherwise
/// cpu_predictor.
ModelPredictor PredictorFor(ReadyModel const& ready, PredictKind kind, bool against_background,
                            std::string const& shap_method);
/// Returns the predictor of the parameters if it computes interactions of sets, otherwise cpu_predictor.
ModelPredictor PredictorForSets(ReadyModel const& ready);

}  // namespace kauri
