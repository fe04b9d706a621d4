/// \file What every task begins with: a learner with its parameters and model, and data.
#pragma once

#include <memory>
#include <string>

#include "booster/learner.h"
#include "cli/options.h"
#include "data/text/text_names.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/parameter.h"

namespace kauri::cli {

/// Loads model_in if given, sets the parameters, and resolves both. What the options say takes the place of what the
/// model says of its objective, booster and the like; the log has a line where that differs. \throws Error.
void SetUpLearner(Options const& options, Learner* learner);

/// What the options say to the learner, by the names that it has for it.
ParamMap LearnerParams(Options const& options);
/// With the threads that the options ask for.
Context MakeContext(Options const& options);

/// Reads with the threads, max_bin and memory_budget that the options ask for. `like`: whose cuts data with a cache
/// take. `names`: of classes and categories of text; without them labels of text are refused. \throws Error that names
/// `key`, the option that gave the path.
std::shared_ptr<DataMatrix> ReadData(Options const& options, std::string const& key, std::string const& uri,
                                     TextNames* names = nullptr, DataMatrix const* like = nullptr);
/// The same for tasks that need values. \throws Error for data with a cache.
std::shared_ptr<DataMatrix> ReadValues(Options const& options, std::string const& key, std::string const& uri,
                                       TextNames* names = nullptr);
/// The same for rows that a model is to predict, with the names of classes and categories that it knows. \throws Error
/// that names `key` where their columns are not the model's.
std::shared_ptr<DataMatrix> ReadRowsFor(ReadyModel const& model, Options const& options, std::string const& key,
                                        std::string const& uri);

}  // namespace kauri::cli
