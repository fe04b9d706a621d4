/// \file Training with categorical_encoding=ordered: the data and parameters it accepts, the category statistics of a
/// model before its first round, and the encoded data that rounds train on.
///
/// The rounds take the permutations in turn (round t takes number t modulo their count), each with a copy of the data.
/// A mean over the permutations would be close to the statistic over all other rows, which gives away a row's own
/// label.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "booster/config/components.h"
#include "booster/model/trained_model.h"
#include "booster/support/training_support.h"
#include "data/categories/ordered_statistics.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Training data with encoded categories; cached until other data come.
class OrderedData {
 public:
  /// Returns the statistics of `data`, which are computed once.
  std::shared_ptr<OrderedEncoding const> Measure(Context const& ctx, DataMatrix const& data,
                                                 OrderedSettings const& settings);
  /// Returns the data that a round trains on: `data` themselves if the model has no ordered encoding. Data with the
  /// model's statistics are its training data, and get the values of a permutation; other data get the values of the
  /// model's table. `data` use the model's category codes.
  std::shared_ptr<DataMatrix const> For(Context const& ctx, std::shared_ptr<DataMatrix const> const& data,
                                        Model const& model, std::int64_t iteration);

 private:
  std::shared_ptr<OrderedEncoding const> measured_;
  OrderedRows rows_;  ///< rows of the measured data
  DataStamp measured_of_;
  std::vector<std::shared_ptr<DataMatrix const>> encoded_;  ///< by permutation, or one by the table
  std::shared_ptr<OrderedEncoding const> encoded_by_;
  DataStamp encoded_of_;
};

/// Gives an untrained model the statistics of `data` if the parameters ask for them; a trained model keeps its own.
/// round: what the round asks for. \throws Error(kParameter) if classes make too many columns, if the
/// parameters exclude each other, or if they differ from the model's; Error(kData) for data without one label per row,
/// or without values in memory.
void SettleEncoding(Components const& parts, DataMatrix const& data, Request round, OrderedData* ordered,
                    ModelDraft* draft);

}  // namespace kauri
