/// \file Column kinds (categorical or numeric): known by a model, declared by data, and checked for agreement.
///
/// A model knows the kind of a column from its trees, which split it by categories or at thresholds. For columns that
/// no tree uses, the categories seen in training and the feature types decide. Data declare the kind by feature types,
/// or by naming a column's categories. Data without types (arrays, text files) declare nothing: their values are read
/// as the model's kind, category codes included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/model/declared_columns.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// Kinds of splits that a model's trees make, by feature. The object is kept while trees are added.
class SplitKinds {
 public:
  /// Scans the trees added since the last call, or all trees if there are fewer now. A model whose trees were replaced
  /// needs a new object.
  void Update(Model const& model);
  bool HasNumeric(std::size_t feature) const { return (Bits(feature) & kNumeric) != 0; }
  bool HasCategorical(std::size_t feature) const { return (Bits(feature) & kCategorical) != 0; }

 private:
  static constexpr std::uint8_t kNumeric = 1;
  static constexpr std::uint8_t kCategorical = 2;
  std::uint8_t Bits(std::size_t feature) const { return feature < bits_.size() ? bits_[feature] : std::uint8_t{0}; }

  std::size_t n_trees_ = 0;
  std::vector<std::uint8_t> bits_;  ///< by feature, combinations after them
};

/// Checks that columns have the same kind in model and data. \throws Error(kData) naming the first column that is
/// categorical on one side and numeric on the other, unless the data have no value there. `what` begins the message:
/// "the data".
void CheckColumnKinds(Model const& model, SplitKinds const& splits, DeclaredColumns const& data,
                      std::string const& what);

/// Checks the column kinds of training data, in which a column without a type is numeric.
void CheckTrainingKinds(Model const& model, SplitKinds const& splits, DataMatrix const& train);

}  // namespace kauri
