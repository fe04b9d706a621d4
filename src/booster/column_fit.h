/// \file Whether the columns of data are those of a model, by their names and by their number.
///
/// Names are compared where both sides have some. They must be the same in the same order: nothing is reordered, and a
/// message says what differs. Columns without names are taken by their places, so there must be as many as the model
/// has; text that tells only present values (libsvm) may have fewer, and the values of the others are missing. A model
/// without names takes those of the first data that a round was learnt from.
///
/// XGBoost's package compares the names of rows to predict itself, where its users do not ask it to leave that out, and
/// it takes rows with fewer columns.
#pragma once

#include <cstdint>
#include <string>

#include "booster/declared_columns.h"
#include "booster/learnt_model.h"
#include "common/client.h"
#include "data/column_names.h"
#include "kauri/model.h"

namespace kauri {

/// \throws Error(kData) where names differ, for more columns than the model has, and for fewer of data that tell all of
/// theirs.
void CheckColumnFit(Model const& model, DeclaredColumns const& data, std::int64_t n_cols, DataInWords const& words);

/// The same for data that a round is learnt from, whose number of columns is compared where it becomes the model's; but
/// names that the model was given before its first round are as many as there are columns.
void CheckTrainingNames(Model const& model, MetaInfo const& train);

/// Returns what is compared of rows that a booster evaluates.
DeclaredColumns ToEvaluate(DeclaredColumns data, Client const& client);
/// Returns what is compared of rows that a booster predicts.
DeclaredColumns ToPredict(DeclaredColumns data, Client const& client);
/// Returns the least that is compared: the data have no more columns than the model.
DeclaredColumns Unchecked(DeclaredColumns data);

/// The names and types of `train`, where the model has none.
void AdoptColumnLabels(MetaInfo const& train, ModelDraft* draft);

/// \throws Error(kParameter) unless a model with rounds has as many columns as there are labels, or for none;
/// Error(kData) for a name that stands twice. `field`: feature_name or feature_type.
void CheckColumnLabels(Model const& model, std::string const& field, Span<std::string const> labels);

}  // namespace kauri
