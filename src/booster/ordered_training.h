/// \file Training with categorical_encoding=ordered: which data and parameters it takes, what a model learns of its
/// categories before the first round, and the numbers that rounds are learnt from.
///
/// The rounds take the permutations in turns (round t that of number t modulo their count), each with a copy of the
/// data: the mean over them would be close to what the labels of all other rows say, which gives away a row's own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "booster/components.h"
#include "booster/data_stamp.h"
#include "booster/learnt_model.h"
#include "data/categories/ordered_statistics.h"
#include "kauri/data_matrix.h"

namespace kauri {

/// Training data with numbers for categories; kept until other data come.
class OrderedData {
 public:
  /// The statistics of `data`, which are measured once.
  std::shared_ptr<OrderedEncoding const> Measure(Context const& ctx, DataMatrix const& data,
                                                 OrderedSettings const& settings);
  /// What a round learns from: `data` themselves where the model's trees know all categories by their own numbers. Data
  /// with the statistics of the model are those that it was trained on, and have the numbers of a permutation; others
  /// have those of the model's table. `data` are in the categories of the model.
  std::shared_ptr<DataMatrix const> For(Context const& ctx, std::shared_ptr<DataMatrix const> const& data,
                                        Model const& model, std::int64_t iteration);

 private:
  std::shared_ptr<OrderedEncoding const> measured_;
  OrderedRows rows_;  ///< of what is measured
  DataStamp measured_of_;
  std::vector<std::shared_ptr<DataMatrix const>> encoded_;  ///< by permutation, or one by the table
  std::shared_ptr<OrderedEncoding const> encoded_by_;
  DataStamp encoded_of_;
};

/// Gives an untrained model the statistics of `data` where the parameters ask for it, and a trained one its own.
/// custom: gradients come from outside. \throws Error(kParameter) where classes make too many columns, where the
/// parameters do not go together, or are not those of the model; Error(kData) for data without one label a row, or
/// without values in memory.
void SettleEncoding(Components const& parts, DataMatrix const& data, bool custom, OrderedData* ordered,
                    ModelDraft* draft);

}  // namespace kauri
