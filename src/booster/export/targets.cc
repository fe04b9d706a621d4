#include "booster/export/targets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "booster/export/sql_text.h"
#include "common/text/json_text.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/parameter.h"
#include "kauri/version.h"

namespace kauri::model_export {
namespace {

struct Target {
  char const* name;
  char const* ending;
  bool explains;
  std::string (*write)(ExportedModel const& model, TestVector const& test);
};

constexpr std::array<Target, 7> kTargets{{{"c", ".c", true, WriteC},
                                          {"duckdb", ".sql", false, WriteDuckDb},
                                          {"postgresql", ".sql", false, WritePostgreSql},
                                          {"sqlite", ".sql", false, WriteSqlite},
                                          {"onnx", ".onnx", false, WriteOnnx},
                                          {"wasm_source", ".wasm.c", true, WriteWasmSource},
                                          {"treelite_source", ".tl.json", false, WriteTreeliteSource}}};

/// A target that the Python package makes from another one's text.
struct PythonTarget {
  char const* name;
  char const* ending;
  bool explains;
  char const* refusal;  ///< what this library says instead
};

constexpr std::array<PythonTarget, 2> kPythonTargets{
    {{"wasm", ".wasm", true,
      "target=wasm needs a compiler, which the Python package runs (Booster.export, or the program kauri with it); "
      "target=wasm_source writes the C source of the module, with the command that compiles it."},
     {"treelite", ".tl", false,
      "target=treelite needs Treelite's library (pip install 'treelite>=4.8'), which the Python package calls "
      "(Booster.export, or the program kauri with it); target=treelite_source writes the tables from which it builds "
      "the checkpoint."}}};

bool EndsWith(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
}

/// Returns the names of the targets with the longest ending that a path has.
std::vector<std::string> TargetsOf(std::string_view path) {
  std::vector<std::string> names;
  std::size_t longest = 0;
  for (auto const& target : kTargets) {
    std::string_view const ending = target.ending;
    if (!EndsWith(path, ending) || ending.size() < longest) continue;
    if (ending.size() > longest) names.clear();
    longest = ending.size();
    names.emplace_back(target.name);
  }
  return names;
}

/// Returns the names of all targets, or of those that can compute contributions.
std::vector<std::string> AllTargets(bool explains = false) {
  std::vector<std::string> names;
  for (auto const& target : kTargets) {
    if (target.explains || !explains) names.emplace_back(target.name);
  }
  for (auto const& target : kPythonTargets) {
    if (target.explains || !explains) names.emplace_back(target.name);
  }
  return names;
}

std::string Counted(std::uint64_t count, char const* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string Summary(ExportedModel const& model) {
  return std::string("A model of Kauri " KAURI_VERSION ": ") + model.objective + ", " + model.booster + ", " +
         Counted(ToSize(model.n_rounds), "round") + ", " + Counted(model.NumTrees(), "tree") + ", " +
         std::to_string(model.NumLeaves()) + (model.NumLeaves() == 1 ? " leaf, " : " leaves, ") +
         Counted(model.columns.size(), "column") + ", " + Counted(ToSize(model.n_outputs), "output") + '.';
}

std::string Summary(TestVector const& test) {
  return Counted(ToSize(test.n_rows), "test row") +
         (test.is_complete ? " with every threshold, the floats next to it, NaN, infinities and new categories."
                           : " with a selection of the thresholds, the floats next to them, NaN, infinities and new "
                             "categories; the model has too many for all.");
}

std::vector<std::size_t> TestedColumns(TestVector const& test, ExportedModel const& model) {
  std::vector<std::size_t> tested;
  for (std::size_t column = 0; column < model.columns.size(); ++column) {
    auto place = column;
    while (place < test.rows.size() && std::isnan(test.rows[place])) place += model.columns.size();
    if (place < test.rows.size()) tested.push_back(column);
  }
  return tested;
}

std::map<std::string, std::string> Metadata(ExportedModel const& model, TestVector const& test) {
  std::vector<std::string> names;
  std::vector<std::string> categories;
  for (auto const& column : model.columns) {
    names.push_back(JsonQuoted(column.name));
    std::vector<std::string> of_column;
    for (auto const& name : CategoryTexts(column)) of_column.push_back(JsonQuoted(name));
    categories.push_back(JsonArray(of_column));
  }
  auto const table = [&test](std::vector<float> const& from, std::int64_t width) {
    std::vector<std::string> rows;
    for (std::int64_t row = 0; row < test.n_rows; ++row) {
      std::vector<std::string> cells;
      for (std::int64_t k = 0; k < width; ++k) cells.push_back(TestNumber(from[ToSize(row * width + k)]));
      rows.push_back(JsonArray(cells));
    }
    return JsonArray(rows);
  };
  return {{"kauri.columns", JsonArray(names)},
          {"kauri.categories", JsonArray(categories)},
          {"kauri.objective", model.objective},
          {"kauri.test", JsonObject({{"rows", table(test.rows, static_cast<std::int64_t>(model.columns.size()))},
                                     {"margins", table(test.margins, model.n_outputs)},
                                     {"values", table(test.values, model.n_values)}})}};
}

}  // namespace kauri::model_export

namespace kauri {

std::string ExportTargetOf(std::string const& path) {
  auto const fitting = model_export::TargetsOf(path);
  if (fitting.size() == 1) return fitting[0];
  for (auto const& target : model_export::kPythonTargets) {
    if (model_export::EndsWith(path, target.ending)) return target.name;
  }
  auto const* const what = fitting.empty() ? " names no target" : " fits several targets";
  auto const names = fitting.empty() ? model_export::AllTargets() : fitting;
  Fail(ErrorKind::kParameter, "the ending of ", Quoted(path), what, "; give target= one of ",
       model_export::Joined(names, ", "), " (export_target= in the program kauri).");
}

bool IsMadeByPython(std::string const& target) {
  auto const& targets = model_export::kPythonTargets;
  return std::any_of(targets.begin(), targets.end(), [&](auto const& made) { return target == made.name; });
}

std::string ExportModel(ReadyModel const& ready, ExportRequest const& request) {
  auto const& name = request.target;
  for (auto const& target : model_export::kTargets) {
    if (name != target.name) continue;
    if (request.contributions && !target.explains) {
      Fail(ErrorKind::kParameter, "target=", name, " does not compute contributions; expected one of ",
           model_export::Joined(model_export::AllTargets(true), ", "), ", or leave contributions out.");
    }
    auto model = model_export::DescribeModel(ready);
    auto const test = model_export::MakeTestVector(ready, model);
    if (request.contributions) model.explanation = model_export::MakeExplanation(ready, model, test);
    return target.write(model, test);
  }
  for (auto const& target : model_export::kPythonTargets) {
    if (name == target.name) Fail(ErrorKind::kParameter, target.refusal);
  }
  auto const names = model_export::AllTargets();
  auto const nearest = NearestName(name, names);
  Fail(ErrorKind::kParameter, "there is no export target ", Quoted(name), "; expected one of ",
       model_export::Joined(names, ", "), nearest.empty() ? "." : " (did you mean " + Quoted(nearest) + "?).");
}

}  // namespace kauri
