/// \file Lines of numbers between delimiters; an empty field or nan is a missing value. Blank lines are skipped. The
/// first line may name the columns.
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
  int header;  ///< Header
  std::string label_column;
  std::string weight_column;
  std::string qid_column;
  std::string ignore_columns;
  std::string categorical_columns;
  std::string delimiter;

  enum Header { kNo = 0, kYes = 1, kAuto = 2 };

  DMLC_DECLARE_PARAMETER(CsvParam) {
    DMLC_DECLARE_FIELD(header)
        .set_default(kAuto)
        .add_enum("false", kNo)
        .add_enum("true", kYes)
        .add_enum("auto", kAuto)
        .describe(
            "Whether the first line names the columns; auto: if none of its fields is a number or begins as one.");
    DMLC_DECLARE_FIELD(label_column)
        .set_default("-1")
        .describe("Column of the labels, by number from 0 or by name; -1 when there is none.");
    DMLC_DECLARE_FIELD(weight_column)
        .set_default("-1")
        .describe("Column of the weights, by number from 0 or by name; -1 when there is none.");
    DMLC_DECLARE_FIELD(qid_column)
        .set_default("-1")
        .describe(
            "Column of the queries, by number from 0 or by name: rows of a query have the same whole number, and "
            "numbers ascend; -1 when there is none.");
    DMLC_DECLARE_FIELD(ignore_columns)
        .set_default("")
        .describe("Columns that are not read, by number or name, with commas between them.");
    DMLC_DECLARE_FIELD(categorical_columns)
        .set_default("")
        .describe(
            "Columns that hold categories, whole numbers from 0 on, by number or name, with commas between them.");
    DMLC_DECLARE_FIELD(delimiter).set_default(",").describe("The character between fields; \\t is the tabulator.");
  }
  /// \throws Error(kParameter): a delimiter that is not one character or is part of numbers.
  void Validate() const;
  char Delimiter() const { return delimiter == "\\t" ? '\t' : delimiter[0]; }
};

/// What a field of each line is.
enum class CsvRole : std::uint8_t { kFeature, kLabel, kWeight, kQuery, kIgnored };

/// What a text looks like.
struct CsvFormat {
  std::vector<CsvRole> roles;  ///< [n_fields]
  char delimiter = ',';
  std::int64_t header_block = -1;          ///< the block whose first line that is not blank is a header; -1: none
  std::vector<std::string> feature_names;  ///< [NumFeatures()], or empty without a header
  std::vector<std::string> feature_types;  ///< [NumFeatures()], or empty without categories

  std::int64_t NumFields() const { return static_cast<std::int64_t>(roles.size()); }
  std::int64_t NumFeatures() const;
  bool Has(CsvRole role) const;
};

/// Rows of a text, in its order.
struct CsvRows {
  std::vector<float> labels;            ///< [n_rows] or empty
  std::vector<float> weights;           ///< [n_rows] or empty
  std::vector<float> values;            ///< [n_rows, NumFeatures()], NaN = missing
  std::vector<std::int64_t> query_ids;  ///< [n_rows] or empty
  std::int64_t n_rows = 0;
  std::int64_t n_lines = 0;
};

/// The first line that is not blank.
struct CsvFirstLine {
  std::int64_t line = 0;            ///< from 1
  std::vector<std::string> fields;  ///< without quotes around them
  std::int64_t n_numbers = 0;       ///< fields that are numbers; empty ones are not counted
  std::string not_a_number;         ///< the first field that is none, quoted; empty: there is no such field
  std::int64_t field = 0;           ///< its number, from 1
};
/// Nothing when all lines are blank; n_lines counts them.
std::optional<CsvFirstLine> FindCsvFirstLine(Span<char const> text, char delimiter, std::int64_t* n_lines);

/// Parses the lines of a block; returns what is wrong with the first wrong one.
std::optional<LineFault> ParseCsvText(Span<char const> text, std::int64_t block, CsvFormat const& format,
                                      CsvRows* rows);

}  // namespace kauri
