/// \file task=summary.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "data/bins/derived_bins.h"
#include "data/sketch/cut_weights.h"
#include "data/summary/column_summary.h"

namespace kauri::cli {
namespace {

/// Parses a list of fractions. \throws Error(kParameter) for a text that is not a list of numbers.
std::vector<double> SharesIn(std::string const& text) {
  std::vector<double> shares;
  std::istringstream stream(text);
  for (std::string cell; std::getline(stream, cell, ',');) {
    char* end = nullptr;
    shares.push_back(std::strtod(cell.c_str(), &end));
    if (end != cell.c_str() && *end == '\0') continue;
    Fail(ErrorKind::kParameter, "quantiles=", text, ": ", Quoted(cell),
         " is no number; expected shares as in 0.1,0.5.");
  }
  return shares;
}

/// Formats a cell: whole numbers exactly, others with nine digits, which distinguish all float32 values; empty for NaN.
std::string CellText(double value) {
  constexpr double kWhole = 1e15;
  if (std::isnan(value)) return {};
  if (std::fabs(value) < kWhole && value == std::floor(value)) return std::to_string(static_cast<std::int64_t>(value));
  std::ostringstream text;
  text.precision(9);
  text << value;
  return text.str();
}

std::vector<std::string> ColumnNames(Options const& options, DataMatrix const& data) {
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  auto names = options.feature_names.empty() ? data.Info().feature_names : options.feature_names;
  if (names.size() > n_cols) names.resize(n_cols);
  for (auto column = static_cast<std::int64_t>(names.size()); column < data.NumCols(); ++column) {
    names.push_back("f" + std::to_string(column));
  }
  return names;
}

}  // namespace

void Summarize(Options const& options) {
  OutputFile file(options.cli.name_summary, "summary");
  auto const shares = SharesIn(options.cli.quantiles);
  Learner learner;
  SetUpLearner(options, &learner);  // reports wrong parameters with the same messages as other tasks
  auto const ctx = MakeContext(options);
  ColumnSummaries summaries({shares, SketchOf(ParseParameters<TreeParam>(LearnerParams(options)))});
  TextNames of_texts;
  auto const data = ReadValues(options, "data", options.cli.data, &of_texts);
  summaries.Add(ctx, *data->View(), WeightPerRow(data->Info()));
  auto const n_fields = static_cast<std::size_t>(summaries.NumFields());
  auto const table = summaries.Finish(ctx);
  file.Stream() << "column";
  for (auto const& field : SummaryFields()) file.Stream() << ',' << field;
  for (auto const share : shares) file.Stream() << ',' << CellText(share);
  file.Stream() << '\n';
  auto const names = ColumnNames(options, *data);
  for (std::size_t column = 0; column < names.size(); ++column) {
    file.Stream() << CsvText(names[column]);
    for (std::size_t field = 0; field < n_fields; ++field) {
      file.Stream() << ',' << CellText(table[column * n_fields + field]);
    }
    file.Stream() << '\n';
  }
  file.Close("summary of " + Counted(data->NumCols(), "column"));
}

}  // namespace kauri::cli
