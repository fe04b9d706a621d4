/// \file Checks that the columns of data match a model: by name, by number, and by kind (categorical or numeric).
///
/// Names are compared if both sides have names. They must be equal and in the same order: nothing is reordered, and a
/// message states the difference. Columns without names are matched by position, so their number must equal the
/// model's. Text that stores only present values (libsvm) may have fewer columns; the values of the others are missing.
/// A model without names takes the names of the first training data.
///
/// XGBoost's package compares the names of rows to predict itself, unless its users turn that off, and it accepts rows
/// with fewer columns.
///
/// A model knows the kind of a column from its trees, which split it by categories or at thresholds. For columns that
/// no tree uses, the categories seen in training and the feature types decide. Data declare the kind by feature types,
/// or by naming a column's categories. Data without types (arrays, text files) declare nothing: their values are read
/// as the model's kind, category codes included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/config/client.h"
#include "data/column_names.h"
#include "kauri/categories.h"
#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"
#include "kauri/model.h"
#include "kauri/span.h"

namespace kauri {

class ModelDraft;

/// Declarations of a data set's columns. All lists may be empty. Not owning.
struct DeclaredColumns {
  Span<std::string const> types;         ///< [n_cols]
  Span<CategoryNames const> categories;  ///< [n_cols], names of categories
  bool is_frame = false;                 ///< named categories come with their names, and all other columns are numeric
  Span<std::string const> names;         ///< [n_cols]
  bool may_lack_columns = false;         ///< MetaInfo::may_lack_columns
  bool may_name_categories = false;      ///< MetaInfo::may_name_categories
  /// Rows to search for values if the kind of a column differs: a column without values has no kind. nullptr: every
  /// column counts as having values.
  DataView const* rows = nullptr;

  static DeclaredColumns Of(MetaInfo const& info) {
    return {info.feature_types, info.category_names,   false,
            info.feature_names, info.may_lack_columns, info.may_name_categories};
  }
  /// Returns a copy with rows, which must outlive the result.
  DeclaredColumns With(DataView const& view) const {
    auto columns = *this;
    columns.rows = &view;
    return columns;
  }
};

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

/// \throws Error(kData) if names differ, if the data have more columns than the model, or if they have fewer and may
/// not lack columns.
void CheckColumnFit(Model const& model, DeclaredColumns const& data, std::int64_t n_cols, DataInWords const& words);

/// Checks the names of training data. Their number of columns is compared elsewhere, when it becomes the model's.
/// Names given to the model before its first round must match the number of columns.
void CheckTrainingNames(Model const& model, MetaInfo const& train);

/// Returns the declarations to compare for rows that a booster evaluates.
DeclaredColumns ToEvaluate(DeclaredColumns data, Client const& client);
/// Returns the declarations to compare for rows that a booster predicts.
DeclaredColumns ToPredict(DeclaredColumns data, Client const& client);
/// Returns declarations that leave one check only: the data have no more columns than the model.
DeclaredColumns Unchecked(DeclaredColumns data);

/// Copies the column names and types of `train` to a model that has none.
void AdoptColumnLabels(MetaInfo const& train, ModelDraft* draft);

/// Checks names or types given to a model. \throws Error(kParameter) if a model with rounds has another number of
/// columns than there are labels; no labels are accepted. \throws Error(kData) for a duplicate name. `field`:
/// feature_name or feature_type.
void CheckColumnLabels(Model const& model, std::string const& field, Span<std::string const> labels);

}  // namespace kauri
