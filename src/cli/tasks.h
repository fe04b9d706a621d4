/// \file The tasks of the command line.
///
/// The tasks of the program and the keys that each reads, in one table. Help is written from it, and an argument
/// with a key that the task does not read is an error.
#pragma once

#include <string>
#include <vector>

#include "cli/config_parser.h"
#include "cli/options.h"

namespace kauri::cli {

/// Trains num_round rounds, prints a line of metrics per round to standard output, saves the model. All paths are
/// checked before the first round. \throws Error, and Interrupted by a signal between two rounds.
void Train(Options const& options);

/// Replaces this process by the Python that KAURI_PYTHON names, whose package searches for a good model within a budget
/// (preset=best). \throws Error: there is no Python; a path or a parameter is wrong.
void TrainBest(Options const& options);

/// Applies model_in to test_path. \throws Error.
void Predict(Options const& options);

/// Writes SHAP values of the rows of test_path for model_in. \throws Error.
void Explain(Options const& options);

/// Writes sampled SHAP values (kind=sampled). \throws Error.
void ExplainSampledRows(Options const& options);

/// Writes interactions of sets of features (kind=sets). \throws Error.
void ExplainSetsOfRows(Options const& options);

/// Writes the partial dependence of every feature (kind=dependence). \throws Error.
void ExplainDependence(Options const& options);

/// Writes the trees of model_in. \throws Error.
void Dump(Options const& options);

/// Writes the importance of the features for the trees of model_in, the most important first. \throws Error.
void WriteImportance(Options const& options);

/// Writes the leaf of each tree of model_in that each row of test_path reaches. \throws Error.
void PredictLeaves(Options const& options);

/// Writes the metrics of model_in on test_path and the evaluation sets, with confidence intervals. \throws Error.
void Evaluate(Options const& options);

/// Writes model_in as model_out, in another format or dialect. \throws Error.
void Convert(Options const& options);

/// Writes model_in in another language. \throws Error, also if the language cannot express the model.
void Export(Options const& options);

/// Replaces this process by the Python that KAURI_PYTHON names, whose package exports with a compiler or Treelite's
/// library, or runs the test of an exported file. \throws Error: there is no Python.
void ExportByPython(Options const& options);

/// Describes model_in in a line. \throws Error unless it is a sound model, which says what is wrong.
void Check(Options const& options);

/// Confirms in a line that training on data by the receipt of model_in gives the same model. \throws Error with the
/// reason if it does not.
void Verify(Options const& options);

/// Replaces this process by the Python that KAURI_PYTHON names, whose package writes a page about model_in. \throws
/// Error: there is no Python.
void WritePage(Options const& options);

/// Writes a summary of the columns of data. \throws Error.
void Summarize(Options const& options);

/// Writes the metrics of every round over the folds of data. \throws Error.
void CrossValidate(Options const& options);

struct TaskInfo {
  std::string name;
  std::string line;  ///< a sentence that describes the task
};

/// Returns all tasks, in the order of CliParam::Task.
std::vector<TaskInfo> AllTasks();

/// Returns whether a task, by its number, reads a key of the program or a parameter, by its own name.
bool IsReadBy(std::string const& own_name, int task);

/// Returns "dump, importance, report": the tasks that read a key of the command line, by its own name (data for
/// train_path); empty: all do. eval[NAME] has that name.
std::string TasksThatRead(std::string const& key);

/// \throws Error(kParameter), with the tasks that read it, for a key or a parameter that the task does not read. Call
/// it for arguments only: a configuration file may have the keys of several tasks.
void RequireRead(Setting const& setting, std::string const& own_name, CliParam const& cli);

}  // namespace kauri::cli
