/// \file What the program tells a person: a line of metrics per round, and what it has written where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"

namespace kauri::cli {

/// "data-metric:value", with six significant digits.
std::string EvaluationText(EvaluationResult const& result);

/// "[0]\ttrain-logloss:0.524731\ttest-logloss:0.531277".
std::string EvaluationLine(std::int64_t iteration, std::vector<EvaluationResult> const& results);

/// "0.524731": six significant digits.
std::string MetricText(double value);

/// The text as a cell of CSV, in quotes where it needs them.
std::string CsvText(std::string const& text);

/// "1 round", "5 rounds".
std::string Counted(std::int64_t n, std::string const& noun);

/// Says on standard error where `contents` went; nothing of standard output, and nothing with verbosity=0.
void SayWritten(std::string const& contents, std::string const& path);

}  // namespace kauri::cli
