/// \file Caches that training keeps between rounds: the engine with its margins, and results of checks of the data. All
/// of them may be dropped at any time, at the cost of recomputing them. LearnCategories updates the categories that a
/// model stores beside its trees: their names, and which of them occurred in training.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "booster/config/components.h"
#include "booster/model/column_fit.h"
#include "booster/model/trained_model.h"
#include "booster/training/ordered_training.h"
#include "kauri/categories.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/engine.h"
#include "kauri/model.h"

namespace kauri {

class Training {
 public:
  /// Returns the engine of the device that the parameters name.
  Engine* EngineFor(Components const& parts);

  /// Checks training data. \throws Error(kData) for data without rows, for inconsistent fields, and, unless the caller
  /// provides the gradients (custom), for labels and weights that the objective does not accept.
  void Validate(std::shared_ptr<Components const> const& parts, DataMatrix const& train, bool custom);
  /// Checks, with several ranks, that all train the same model on one table. Runs only when parameters or data are new.
  /// \throws as RequireSameRound.
  void Agree(std::shared_ptr<Components const> const& parts, DataMatrix const& train, Model const& model);
  /// Checks that all ranks evaluate the same number of sets, and that the rows of each set form one table. The tables
  /// are compared when any of them is new on any rank. Cost: one small collective call. \throws Error(kCollective), on
  /// all ranks, for different numbers of sets; as RequireSameRows.
  void AgreeOnSets(Context const& ctx, std::vector<DataMatrix const*> const& sets);
  /// Checks column kinds. \throws Error(kData) for a column that is numeric in the data and categorical in the model,
  /// or the other way round. `what` names the data in the message.
  void CheckKinds(Model const& model, DataMatrix const& data, std::string const& what);
  /// Checks the column kinds of training data (CheckTrainingKinds).
  void CheckKindsOfTraining(Model const& model, DataMatrix const& train);

  /// Returns `train`, or, if it orders category names differently from the model, a copy with the model's codes and new
  /// codes for names unknown to the model. The copy is cached until other data come.
  std::shared_ptr<DataMatrix const> InCategoriesOf(ModelDraft const& model, Context const& ctx,
                                                   std::shared_ptr<DataMatrix const> const& train);

  /// Returns the cache of data with ordered encoding.
  OrderedData* Ordered() { return &ordered_; }

  /// Drops the caches of data sets (margins, sorted columns, bins) and of the model's trees.
  void ForgetData();

 private:
  std::unique_ptr<Engine> engine_;
  DeviceKind engine_device_ = DeviceKind::kCpu;  ///< device of `engine_`
  SplitKinds kinds_;                             ///< kinds of splits in the model's trees
  DataStamp fitting_;                            ///< training data whose fields were found consistent
  DataStamp checked_;                            ///< training data that the objective of `checked_by_` accepted
  std::shared_ptr<Components const> checked_by_;
  DataStamp agreed_;  ///< training data that the ranks of `agreed_by_` have checked
  std::shared_ptr<Components const> agreed_by_;
  std::vector<DataStamp> agreed_rows_;         ///< evaluation sets whose rows the ranks have checked
  std::shared_ptr<DataMatrix const> recoded_;  ///< training data with the model's category codes
  DataStamp recoded_from_;                     ///< source of `recoded_`
  OrderedData ordered_;
};

/// Takes over the names of categories, and adds the categories of `train` to those seen by the model. Returns whether
/// earlier predictions have become invalid.
bool LearnCategories(Context const& ctx, DataMatrix const& train, ModelDraft* draft);

}  // namespace kauri
