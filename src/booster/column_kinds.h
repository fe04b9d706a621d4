/// \file Which columns hold categories and which numbers: what a model knows of it, what data declare, and that both
/// agree.
///
/// A model knows it from its trees, which split a column by categories or at thresholds; of columns that no tree uses,
/// from the categories that it has learnt and from its feature types. Data declare it with feature types, or by naming
/// a column's categories; data without types (arrays, text files) declare nothing: what they hold is taken as the model
/// takes it, numbers of categories included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/declared_columns.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"

namespace kauri {

/// By feature what the splits of a model's trees take it for. Kept while trees are added.
class SplitKinds {
 public:
  /// Looks at the trees that it has not seen. A model with other trees, rather than more or fewer, needs another
  /// object.
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

/// \throws Error(kData) naming the first column that holds categories in the model and numbers in the data, or the
/// other way round, unless the data have no value there. `what` begins the message: "the data".
void CheckColumnKinds(Model const& model, SplitKinds const& splits, DeclaredColumns const& data,
                      std::string const& what);

/// The same for data that trees are to be learnt from, where a column without a type is one of numbers.
void CheckTrainingKinds(Model const& model, SplitKinds const& splits, DataMatrix const& train);

}  // namespace kauri
