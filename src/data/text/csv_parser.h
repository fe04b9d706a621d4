/// \file Lines of fields between delimiters. Blank lines are skipped. The first line may name the columns.
///
/// A quoted field may hold delimiters, and doubled quotes (RFC 4180), but no end of a line, because files are divided
/// at line ends. A field is missing if it is empty, nan, or, as in pandas, one of #N/A, #N/A N/A, #NA, -1.#IND,
/// -1.#QNAN, -NaN, -nan, 1.#IND, 1.#QNAN, <NA>, N/A, NA, NULL, NaN, None, n/a, nan, null, or a question mark, which UCI
/// data sets use. Other texts are names of categories, or labels if the reader accepts them.
#pragma once

#include <dmlc/parameter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/text/text_lines.h"
#include "kauri/span.h"
#include "kauri/uninitialised.h"

namespace kauri {

struct CsvParam : public dmlc::Parameter<CsvParam> {
  int header;  ///< one of Header
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
            "Columns that hold categories, by number or name, with commas between them: whole numbers from 0 on, or "
            "texts, whose names the model keeps. Columns of texts alone are categories without being named here.");
    DMLC_DECLARE_FIELD(delimiter).set_default(",").describe("The character between fields; \\t is the tabulator.");
  }
  /// \throws Error(kParameter): a delimiter that is not one character or is part of numbers.
  void Validate() const;
  char Delimiter() const { return delimiter == "\\t" ? '\t' : delimiter[0]; }
};

/// The role of a field in each line.
enum class CsvRole : std::uint8_t { kFeature, kLabel, kWeight, kQuery, kIgnored };

/// The meaning of a field that is not a number. kRefused: the field is a mistake. kPossible: it may be a name, and all
/// fields of its column must be read as names. kNames: it is a name, like every other field of its column.
enum class CsvTexts : std::uint8_t { kRefused, kPossible, kNames };

/// The layout of a text.
struct CsvFormat {
  std::vector<CsvRole> roles;       ///< [n_fields]
  std::vector<CsvTexts> texts;      ///< [n_fields]
  std::vector<std::string> fields;  ///< [n_fields] names; empty without a header
  char delimiter = ',';
  std::int64_t header_block = -1;          ///< the block whose first non-blank line is a header; -1: none
  std::int64_t first_block = 0;            ///< the block of the first line that is not blank
  std::int64_t line_without_header = 0;    ///< that line if it holds values, from 1; 0 if it is a header
  std::vector<bool> are_declared;          ///< [n_fields]: whether categorical_columns has the field
  std::vector<std::string> feature_names;  ///< [NumFeatures()], or empty without a header
  std::vector<std::string> feature_types;  ///< [NumFeatures()], or empty without categories

  std::int64_t NumFields() const { return static_cast<std::int64_t>(roles.size()); }
  std::int64_t NumFeatures() const;
  bool Has(CsvRole role) const;
};

/// The names in a column of a block, numbered in the order of their first appearance.
class CsvDictionary {
 public:
  float Code(std::string const& name) {
    auto const found = codes_.emplace(name, names_.size());
    if (found.second) names_.push_back(name);
    return static_cast<float>(found.first->second);
  }
  std::vector<std::string> const& Names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> codes_;
  std::vector<std::string> names_;
};

/// The first text in a field of a block.
struct CsvText {
  std::int64_t field = 0;
  std::int64_t line = 0;  ///< from 1 within the block
  std::string shown;      ///< for a message
};

/// Rows of a text, in its order.
struct CsvRows {
  /// [n_fields] or empty: dictionaries of the fields that hold names (CsvTexts::kNames).
  std::vector<CsvDictionary> dictionaries;
  std::vector<CsvText> first_texts;  ///< of the fields with CsvTexts::kPossible in which a text was found; ascending

  std::vector<float> labels;            ///< [n_rows] or empty
  std::vector<float> weights;           ///< [n_rows] or empty
  FloatVector values;                   ///< [n_rows, NumFeatures()], NaN = missing
  std::vector<std::int64_t> query_ids;  ///< [n_rows] or empty
  std::int64_t n_rows = 0;
  std::int64_t n_lines = 0;
};

/// The first line that is not blank.
struct CsvFirstLine {
  std::int64_t line = 0;            ///< from 1
  std::vector<std::string> fields;  ///< without surrounding quotes
  std::vector<bool> is_text;        ///< [n_fields]: true if neither a number nor missing
  std::vector<bool> is_quoted;      ///< [n_fields]
  std::int64_t n_numbers = 0;       ///< number of numeric fields; missing ones are not counted
  std::string fault;                ///< description of the error in the line; empty if there is none
};
/// Returns nothing if all lines are blank. Sets *n_lines to the number of lines read.
std::optional<CsvFirstLine> FindCsvFirstLine(Span<char const> text, char delimiter, std::int64_t* n_lines);

/// Returns whether a text is a number.
bool IsNumber(std::string const& text);

/// Returns the message for a text in a field that must be a number. line: the text's line in the file, or 0 if it is
/// not the line without a header.
std::string DescribeWrongText(CsvFormat const& format, CsvText const& text, std::int64_t line);

/// Parses the lines of a block. Returns the error of the first wrong line.
std::optional<LineFault> ParseCsvText(Span<char const> text, std::int64_t block, CsvFormat const& format,
                                      CsvRows* rows);

}  // namespace kauri
