/// \file A model as the parameters have it, and what predictions need to be computed from it once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/components.h"
#include "data/column_names.h"
#include "kauri/model.h"
#include "kauri/predictor.h"

namespace kauri {

/// The base score of a model as margins, [n_outputs]. \throws Error(kModel) unless it has one, or one per output.
std::vector<float> StartMargins(Components const& parts, Model const& model);

/// Safe from many threads. Model and components stay as they are while it lives.
class ReadyModel {
 public:
  ReadyModel(std::shared_ptr<Components const> parts, std::shared_ptr<Model const> model)
      : parts_(std::move(parts)), model_(std::move(model)) {}

  std::shared_ptr<Components const> const& Parts() const { return parts_; }
  Model const& GetModel() const { return *model_; }
  /// The whole model for the predictor, compiled when it is first asked for.
  std::shared_ptr<CompiledModel const> Compiled() const;
  /// Of rows to predict or to explain. \throws Error(kModel) without a model; Error(kData) unless they have its
  /// columns: as CheckColumnFit, and where columns hold numbers in the data and categories in the model, or the other
  /// way round.
  void CheckColumns(DeclaredColumns const& given, std::int64_t n_cols, DataInWords const& words = {}) const;

 private:
  std::shared_ptr<Components const> parts_;
  std::shared_ptr<Model const> model_;
  mutable std::mutex mutex_;  ///< guards what is below
  mutable std::shared_ptr<CompiledModel const> compiled_;
  mutable SplitKinds kinds_;
};

}  // namespace kauri
