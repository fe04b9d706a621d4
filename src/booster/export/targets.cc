#include "booster/export/targets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "booster/export/sql_text.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/parameter.h"
#include "kauri/version.h"

namespace kauri::model_export {
namespace {

struct Target {
  char const* name;
  char const* ending;
  std::string (*write)(ExportedModel const& model, TestVector const& test);
};

constexpr std::array<Target, 5> kTargets{{{"c", ".c", WriteC},
                                          {"duckdb", ".sql", WriteDuckDb},
                                          {"postgresql", ".sql", WritePostgreSql},
                                          {"sqlite", ".sql", WriteSqlite},
                                          {"onnx", ".onnx", WriteOnnx}}};

/// Returns the names of the targets whose ending a path has; all of them for no path.
std::vector<std::string> NamesOfTargets(std::string_view path = "") {
  std::vector<std::string> names;
  for (auto const& target : kTargets) {
    std::string_view const ending = target.ending;
    auto const fits = path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
    if (path.empty() || fits) names.emplace_back(target.name);
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

}  // namespace kauri::model_export

namespace kauri {

std::string ExportTargetOf(std::string const& path) {
  auto const fitting = path.empty() ? std::vector<std::string>() : model_export::NamesOfTargets(path);
  if (fitting.size() == 1) return fitting[0];
  auto const* const what = fitting.empty() ? " names no target" : " fits several targets";
  auto const names = fitting.empty() ? model_export::NamesOfTargets() : fitting;
  Fail(ErrorKind::kParameter, "the ending of ", Quoted(path), what, "; give target= one of ",
       model_export::Joined(names, ", "), " (export_target= in the program kauri).");
}

std::string ExportModel(ReadyModel const& ready, std::string const& target) {
  for (auto const& [name, ending, write] : model_export::kTargets) {
    if (target != name) continue;
    auto const model = model_export::DescribeModel(ready);
    return write(model, model_export::MakeTestVector(ready, model));
  }
  auto const names = model_export::NamesOfTargets();
  auto const nearest = NearestName(target, names);
  Fail(ErrorKind::kParameter, "there is no export target ", Quoted(target), "; expected one of ",
       model_export::Joined(names, ", "),
       target == "treelite" ? ". Treelite reads Kauri's model files itself: save the model as .json or .ubj, and give "
                              "the file to treelite.frontend.load_xgboost_model."
       : nearest.empty()    ? "."
                            : " (did you mean " + Quoted(nearest) + "?).");
}

}  // namespace kauri
