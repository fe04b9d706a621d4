/// \file Writers of models in other languages, by name.
///
/// How to add a target: a function that returns its text from an ExportedModel and a TestVector, and a line in the
/// table of targets.cc. A writer refuses what its language cannot express, with the reason; it puts the test vector
/// into the file; names of columns and categories are text of strangers, so it escapes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "booster/export/exported_model.h"
#include "booster/export/test_vector.h"
#include "booster/model/ready_model.h"

namespace kauri::model_export {

std::string WriteC(ExportedModel const& model, TestVector const& test);
std::string WriteWasmSource(ExportedModel const& model, TestVector const& test);
std::string WriteDuckDb(ExportedModel const& model, TestVector const& test);
std::string WritePostgreSql(ExportedModel const& model, TestVector const& test);
std::string WriteOnnx(ExportedModel const& model, TestVector const& test);
std::string WriteSqlite(ExportedModel const& model, TestVector const& test);
std::string WriteTreeliteSource(ExportedModel const& model, TestVector const& test);

/// Returns one sentence about a model, in plain ASCII without its names: "Kauri 0.1.0: binary:logistic, ...".
std::string Summary(ExportedModel const& model);
/// Returns one sentence about the rows: their number, and whether they hold every threshold.
std::string Summary(TestVector const& test);
/// Returns the columns that have a value in some row of the test.
std::vector<std::size_t> TestedColumns(TestVector const& test, ExportedModel const& model);
/// Returns what a file of tables says about its model: the objective's name, and as JSON the names of the columns and
/// categories, and the test with codes of categories.
std::map<std::string, std::string> Metadata(ExportedModel const& model, TestVector const& test);

}  // namespace kauri::model_export

namespace kauri {

/// A language, and what the program shall compute beside margins and predictions.
struct ExportRequest {
  std::string target;
  bool contributions = false;
};

/// Returns the name of the target that a path's ending implies. \throws Error(kParameter) if it implies none, listing
/// all targets, or several, listing these.
std::string ExportTargetOf(std::string const& path);
/// Returns whether the Python package makes the files of a target, from the text of another one.
bool IsMadeByPython(std::string const& target);
/// Returns the model in the language of a target. \throws Error(kParameter) for an unknown target, and for a model or
/// request that the target cannot express.
std::string ExportModel(ReadyModel const& ready, ExportRequest const& request);

}  // namespace kauri
