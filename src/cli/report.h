/// \file Messages of the program to a person: a line of metrics per round, and the files written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"

namespace kauri::cli {

/// Returns "data-metric:value", with six significant digits.
std::string EvaluationText(EvaluationResult const& result);

/// Returns "[0]\ttrain-logloss:0.524731\ttest-logloss:0.531277".
std::string EvaluationLine(std::int64_t iteration, std::vector<EvaluationResult> const& results);

/// Returns "0.524731": six significant digits.
std::string MetricText(double value);

/// Returns the text as a cell of CSV, in quotes if it needs them.
std::string CsvText(std::string const& text);

/// Returns "1 round", "5 rounds".
std::string Counted(std::int64_t n, std::string const& noun);

/// Reports on standard error where `contents` went; nothing for standard output, and nothing with verbosity=0.
void SayWritten(std::string const& contents, std::string const& path);

}  // namespace kauri::cli
