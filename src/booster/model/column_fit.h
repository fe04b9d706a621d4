/// \file Checks that the columns of data match a model, by name and by number.
///
/// Names are compared if both sides have names. They must be equal and in the same order: nothing is reordered, and a
/// message states the difference. Columns without names are matched by position, so their number must equal the
/// model's. Text that stores only present values (libsvm) may have fewer columns; the values of the others are missing.
/// A model without names takes the names of the first training data.
///
/// XGBoost's package compares the names of rows to predict itself, unless its users turn that off, and it accepts rows
/// with fewer columns.
#pragma once

#include <cstdint>
#include <string>

#include "booster/config/client.h"
#include "booster/model/declared_columns.h"
#include "booster/model/trained_model.h"
#include "data/column_names.h"
#include "kauri/model.h"

namespace kauri {

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
