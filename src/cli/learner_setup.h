/// \file The start of every task: creates a learner with its parameters and model, and reads data.
#pragma once

#include <memory>
#include <string>

#include "booster/learner.h"
#include "cli/options.h"
#include "data/text/text_reader.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/model.h"
#include "kauri/parameter.h"

namespace kauri::cli {

/// Loads model_in if given, sets the parameters, and resolves both. Options override the model's objective, booster and
/// similar settings; the log has a line for each difference. \throws Error.
void SetUpLearner(Options const& options, Learner* learner);

/// Returns the learner's parameters in the options, by the learner's names.
ParamMap LearnerParams(Options const& options);
/// Creates a context with the threads of the options.
Context MakeContext(Options const& options);

/// Reads data with the threads, max_bin and memory_budget of the options. `like`: data whose cuts (bin edges) data with
/// a cache take over. `names`: names of classes and categories of text; without them labels of text are refused.
/// \throws Error that names `key`, the option that gave the path.
std::shared_ptr<DataMatrix> ReadData(Options const& options, std::string const& key, std::string const& uri,
                                     TextNames* names = nullptr, DataMatrix const* like = nullptr);
/// Reads data for tasks that need values. \throws Error for data with a cache.
std::shared_ptr<DataMatrix> ReadValues(Options const& options, std::string const& key, std::string const& uri,
                                       TextNames* names = nullptr);
/// Whether a task compares the labels of its rows with predictions.
enum class LabelUse { kNone, kCompared };

/// Reads rows that a model is to predict, with the names of its classes and categories. \throws Error that names `key`
/// if their columns are not the model's, or as RequireKnownClasses if the labels are used.
std::shared_ptr<DataMatrix> ReadRowsFor(ReadyModel const& model, Options const& options, std::string const& key,
                                        std::string const& uri, LabelUse labels = LabelUse::kNone);

}  // namespace kauri::cli
