/// \file A model as the parameters have it, and what predictions need to be computed from it once.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/components.h"
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
  /// \throws Error(kData) where columns hold numbers in the data and categories in the model, or the other way round.
  /// `what` begins the message.
  void CheckColumns(DeclaredColumns const& data, std::string const& what = "the data") const;

 private:
  std::shared_ptr<Components const> parts_;
  std::shared_ptr<Model const> model_;
  mutable std::mutex mutex_;  ///< guards what is below
  mutable std::shared_ptr<CompiledModel const> compiled_;
  mutable SplitKinds kinds_;
};

}  // namespace kauri
