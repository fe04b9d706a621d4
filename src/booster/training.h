/// \file What training keeps between rounds: the engine with its margins, and what was found out of the data. All of it
/// may be forgotten at any time, at the cost of making it anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "booster/column_kinds.h"
#include "booster/components.h"
#include "booster/data_stamp.h"
#include "booster/learnt_model.h"
#include "booster/ordered_training.h"
#include "kauri/data_matrix.h"
#include "kauri/engine.h"
#include "kauri/model.h"

namespace kauri {

class Training {
 public:
  /// Of the device that the parameters ask for.
  Engine* EngineFor(Components const& parts);

  /// \throws Error(kData) for data without rows, fields that do not fit each other, and, unless gradients come from
  /// outside (custom), labels and weights that the objective does not take.
  void Validate(std::shared_ptr<Components const> const& parts, DataMatrix const& train, bool custom);
  /// In a group: makes sure that it learns the same from one table, where parameters or data are new. \throws as
  /// RequireGroupTraining and RequireSameRound.
  void Agree(std::shared_ptr<Components const> const& parts, DataMatrix const& train, Model const& model);
  /// The same of the rows of a set that is evaluated, once while it stays as it is. \throws as RequireSameRows.
  void AgreeOnRows(Context const& ctx, DataMatrix const& data);
  /// \throws Error(kData) where columns hold numbers in the data and categories in the model, or the other way round.
  /// `what` is named by the message.
  void CheckKinds(Model const& model, DataMatrix const& data, std::string const& what);
  /// The same for data that trees are to be learnt from.
  void CheckKindsOfTraining(Model const& model, DataMatrix const& train);

  /// `train`, or where it has the categories' names in another order than the model, a copy with the model's numbers,
  /// and further ones for names that the model does not know; kept until other data come.
  std::shared_ptr<DataMatrix const> InCategoriesOf(ModelDraft const& model, Context const& ctx,
                                                   std::shared_ptr<DataMatrix const> const& train);

  /// Data with numbers for categories.
  OrderedData* Ordered() { return &ordered_; }

  /// What is kept for data sets (margins, sorted columns, bins) and of the model's trees.
  void ForgetData();

 private:
  std::unique_ptr<Engine> engine_;
  DeviceKind engine_device_ = DeviceKind::kCpu;  ///< that `engine_` is of
  SplitKinds kinds_;                             ///< of the model's trees
  DataStamp fitting_;                            ///< of the training data whose fields were found to fit each other
  DataStamp checked_;                            ///< of the training data that the objective of `checked_by_` accepted
  std::shared_ptr<Components const> checked_by_;
  DataStamp agreed_;  ///< of the training data that the group of `agreed_by_` knows
  std::shared_ptr<Components const> agreed_by_;
  std::vector<DataStamp> agreed_rows_;         ///< of sets that were evaluated, whose rows the group has found to fit
  std::shared_ptr<DataMatrix const> recoded_;  ///< training data in the categories of the model
  DataStamp recoded_from_;                     ///< of what `recoded_` is made from
  OrderedData ordered_;
};

}  // namespace kauri
