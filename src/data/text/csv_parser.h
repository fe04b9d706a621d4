/// \file Lines of numbers between delimiters; an empty field or nan is a missing value. Blank lines are skipped.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/text/text_lines.h"
#include "kauri/span.h"

namespace kauri {

struct CsvParam : public dmlc::Parameter<CsvParam> {
  int label_column;
  int weight_column;
  std::string delimiter;

  DMLC_DECLARE_PARAMETER(CsvParam) {
    DMLC_DECLARE_FIELD(label_column)
        .set_default(-1)
        .set_lower_bound(-1)
        .describe("Column of the labels, from 0; -1 when there is none.");
    DMLC_DECLARE_FIELD(weight_column)
        .set_default(-1)
        .set_lower_bound(-1)
        .describe("Column of the weights, from 0; -1 when there is none.");
    DMLC_DECLARE_FIELD(delimiter).set_default(",").describe("The character between fields; \\t is the tabulator.");
  }
  /// \throws Error(kParameter): a delimiter that is not one character or is part of numbers; label_column ==
  /// weight_column.
  void Validate() const;
  char Delimiter() const { return delimiter == "\\t" ? '\t' : delimiter[0]; }
};

/// What a text looks like.
struct CsvFormat {
  std::int64_t n_fields = 0;  ///< of every line
  std::int64_t label_column = -1;
  std::int64_t weight_column = -1;
  char delimiter = ',';

  std::int64_t NumFeatures() const { return n_fields - (label_column >= 0 ? 1 : 0) - (weight_column >= 0 ? 1 : 0); }
};

/// Rows of a text, in its order.
struct CsvRows {
  std::vector<float> labels;   ///< [n_rows] or empty
  std::vector<float> weights;  ///< [n_rows] or empty
  std::vector<float> values;   ///< [n_rows, NumFeatures()], NaN = missing
  std::int64_t n_rows = 0;
  std::int64_t n_lines = 0;
};

/// The first line that is not blank.
struct CsvFirstLine {
  std::int64_t line = 0;  ///< from 1
  std::int64_t n_fields = 0;
  std::string not_a_number;  ///< the first field that is none, quoted; empty: there is no such field
  std::int64_t field = 0;    ///< its number, from 1
};
/// Nothing when all lines are blank; n_lines counts them.
std::optional<CsvFirstLine> FindCsvFirstLine(Span<char const> text, char delimiter, std::int64_t* n_lines);

/// Parses the lines of a text; returns what is wrong with the first wrong one.
std::optional<LineFault> ParseCsvText(Span<char const> text, CsvFormat const& format, CsvRows* rows);

}  // namespace kauri
