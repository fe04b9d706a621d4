/// One SELECT that adds margins and predictions to the rows of a table. Common table expressions number the rows, read
/// the model's columns, add up the trees and map margins to values.
///
/// DuckDB and PostgreSQL add float32 numbers, so their sums are Kauri's. SQLite has float64 alone: a recursive
/// expression adds one tree at a time and rounds each sum to float32, to the nearest and ties to even. For a sum s with
/// the leading power of two u (Rump, "Ultimately fast accurate summation", 2009, algorithm 3.5), adding and subtracting
/// 1.5 * 2^29 * u rounds it to 24 bits.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "booster/export/sql_text.h"
#include "booster/export/targets.h"
#include "common/text/json_text.h"

namespace kauri::model_export {
namespace {

std::string SqlHead(ExportedModel const& model, SqlDialect dialect) {
  constexpr char const* kNames[] = {"DuckDB", "PostgreSQL", "SQLite"};
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  return "-- " + Summary(model) + "\n-- For " + kNames[static_cast<int>(dialect)] +
         (is_sqlite ? " 3.35 or later, with its mathematical functions" : "") +
         ".\n--\n"
         "-- Write the name of a table or view in the place of kauri_rows. Its columns have the model's names. NULL "
         "and\n"
         "-- NaN are missing values. Categorical columns hold names of categories, or their numbers if they have no\n"
         "-- names. The result has all columns of the table, kauri_row, the margins and the predictions "
         "(kauri_value).\n" +
         (model.RefusesCategories() ? "-- A row with a category that the model refuses gets NULL.\n" : "") + "--\n";
}

/// Returns the value of s rounded to float32, for SQLite. s: a name, not an expression.
std::string RoundedBySqlite(std::string const& s) {
  auto const times = "4503599627370497.0 * " + s;
  auto const unit = "805306368.0 * abs(" + times + " - 0.99999999999999988898 * (" + times + "))";
  return "((" + s + " + " + unit + ") - " + unit + ')';
}

/// Returns the expression of a column of numbers: float32, NULL if missing.
std::string NumberColumn32(std::string const& name, SqlDialect dialect) {
  if (dialect == SqlDialect::kSqlite) return "CAST(" + name + " AS REAL)";
  return "NULLIF(CAST(" + name + " AS REAL), CAST('NaN' AS REAL))";
}

std::string InputColumn(ExportedModel const& model, std::size_t number, SqlDialect dialect) {
  auto const& column = model.columns[number];
  auto const name = SqlName(column.name);
  auto const as = " AS " + SqlInput(number);
  if (!column.is_categorical) return NumberColumn32(name, dialect) + as;
  if (!column.names.texts.empty()) return "CAST(" + name + " AS TEXT)" + as;
  if (column.names.Size() > 0) return name + as;
  if (column.needs_whole) return NumberColumn32(name, dialect) + as;
  // XGBoost's rule: the integer part of a number from 0 on is the category.
  return (dialect == SqlDialect::kSqlite
              ? "CASE WHEN " + name + " >= 16777216 OR " + name + " < 0 THEN -1 ELSE CAST(" + name + " AS INTEGER) END"
              : "floor(" + NumberColumn32(name, dialect) + ')') +
         as;
}

/// Returns the CTEs kauri_data, the table with numbered rows, and kauri_input, the columns that the model reads.
std::string InputCtes(ExportedModel const& model, SqlDialect dialect) {
  std::vector<std::string> columns{"kauri_row"};
  std::vector<std::string> rounded{"kauri_row"};
  for (auto const number : UsedColumns(model)) {
    columns.push_back(InputColumn(model, number, dialect));
    auto const name = SqlInput(number);
    auto const fits = "CASE WHEN abs(" + name + ") < 3.4028235677973366e38 THEN " + RoundedBySqlite(name) + " ELSE " +
                      name + " END AS " + name;
    rounded.push_back(model.columns[number].is_categorical ? name : fits);
  }
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  std::string const name = is_sqlite ? "kauri_raw" : "kauri_input";
  auto text = "kauri_data AS MATERIALIZED (\n  SELECT *, row_number() OVER () AS kauri_row\n  FROM kauri_rows\n),\n" +
              name + " AS MATERIALIZED (\n  SELECT\n    " + Joined(columns, ",\n    ") + "\n  FROM kauri_data\n),\n";
  if (is_sqlite) {
    text += "kauri_input AS MATERIALIZED (\n  SELECT\n    " + Joined(rounded, ",\n    ") + "\n  FROM kauri_raw\n),\n";
  }
  return text;
}

/// Returns the start of an output's sum; NULL for rows that are refused.
std::string StartText(ExportedModel const& model, std::int64_t output, SqlDialect dialect) {
  auto start = SqlNumber(static_cast<double>(model.start[ToSize(output)]));
  if (dialect != SqlDialect::kSqlite) start = "CAST(" + start + " AS REAL)";
  std::vector<std::string> refusals;
  for (std::size_t column = 0; column < model.columns.size(); ++column) {
    auto const& accepted = model.columns[column].accepted;
    if (accepted.empty()) continue;
    refusals.push_back(SqlInput(column) + " NOT IN (" + Joined(SqlCategories(model.columns[column], accepted), ", ") +
                       ')');
  }
  return refusals.empty() ? start : "CASE WHEN " + Joined(refusals, " OR ") + " THEN NULL ELSE " + start + " END";
}

bool AddsTo(ExportedModel const& model, std::size_t tree, std::int64_t output) {
  return model.leaf_width > 1 || model.output_of_tree[tree] == output;
}

/// Returns the CTEs of sums of float32 numbers, some trees at a time, and the CTE kauri_margins.
std::string Float32Sums(ExportedModel const& model, SqlDialect dialect) {
  constexpr std::size_t kTreesAtATime = 50;
  std::string text;
  std::string from = "kauri_input";
  std::vector<std::string> sums;
  for (std::int64_t output = 0; output < model.n_outputs; ++output) sums.push_back(StartText(model, output, dialect));
  for (std::size_t begin = 0; begin == 0 || begin < model.NumTrees(); begin += kTreesAtATime) {
    auto const end = std::min(begin + kTreesAtATime, model.NumTrees());
    auto const part = std::to_string(begin / kTreesAtATime);
    std::vector<std::string> columns;
    for (std::int64_t output = 0; output < model.n_outputs; ++output) {
      auto sum = sums[ToSize(output)];
      for (auto tree = begin; tree < end; ++tree) {
        if (!AddsTo(model, tree, output)) continue;
        sum += "\n    + CAST(" + SqlTree(model, tree, model.leaf_width > 1 ? output : 0, 6) + " AS REAL)";
      }
      sums[ToSize(output)] = "kauri_s" + part + '_' + std::to_string(output);
      columns.push_back(sum + "\n    AS " + sums[ToSize(output)]);
    }
    text +=
        "kauri_sum_" + part + " AS (\n  SELECT *,\n    " + Joined(columns, ",\n    ") + "\n  FROM " + from + "\n),\n";
    from = "kauri_sum_" + part;
  }
  std::vector<std::string> margins{"kauri_row"};
  for (std::int64_t output = 0; output < model.n_outputs; ++output) {
    margins.push_back(sums[ToSize(output)] + " AS " + SqlOutput("margin", output, model.n_outputs));
  }
  return text + "kauri_margins AS MATERIALIZED (\n  SELECT " + Joined(margins, ", ") + "\n  FROM " + from + "\n),\n";
}

/// Returns the leaf of tree number kauri_tree for an output, 0 if the tree belongs to another one.
std::string LeafOfTree(ExportedModel const& model, std::int64_t output) {
  constexpr std::size_t kPerCase = 32;  // a CASE tries its branches one after the other
  std::string text = "CASE kauri_tree / " + std::to_string(kPerCase);
  for (std::size_t begin = 0; begin < model.NumTrees(); begin += kPerCase) {
    text += "\n      WHEN " + std::to_string(begin / kPerCase) + " THEN CASE kauri_tree";
    for (auto tree = begin; tree < std::min(begin + kPerCase, model.NumTrees()); ++tree) {
      auto const leaf = AddsTo(model, tree, output) ? SqlTree(model, tree, model.leaf_width > 1 ? output : 0, 10)
                                                    : std::string("0.0");
      text += "\n        WHEN " + std::to_string(tree) + " THEN " + leaf;
    }
    text += " END";
  }
  return text + " END";
}

/// Returns the recursive CTE that adds the trees one after the other, and the CTE kauri_margins.
std::string RecursiveSums(ExportedModel const& model) {
  std::vector<std::string> names{"kauri_row"};
  for (auto const column : UsedColumns(model)) names.push_back(SqlInput(column));
  auto const carried = Joined(names, ", ");
  std::vector<std::string> sums;
  std::vector<std::string> starts;
  std::vector<std::string> steps;
  std::vector<std::string> margins;
  for (std::int64_t output = 0; output < model.n_outputs; ++output) {
    auto const sum = "kauri_s_" + std::to_string(output);
    sums.push_back(sum);
    starts.push_back(StartText(model, output, SqlDialect::kSqlite));
    steps.push_back(RoundedBySqlite(sum) + " + " + (model.NumTrees() == 0 ? "0.0" : LeafOfTree(model, output)));
    margins.push_back(RoundedBySqlite(sum) + " AS " + SqlOutput("margin", output, model.n_outputs));
  }
  auto const n_trees = std::to_string(model.NumTrees());
  return "kauri_walk(kauri_tree, " + carried + ", " + Joined(sums, ", ") + ") AS (\n  SELECT 0, " + carried + ", " +
         Joined(starts, ", ") + "\n  FROM kauri_input\n  UNION ALL\n  SELECT kauri_tree + 1, " + carried + ",\n    " +
         Joined(steps, ",\n    ") + "\n  FROM kauri_walk\n  WHERE kauri_tree < " + n_trees + "\n),\n" +
         "kauri_margins AS MATERIALIZED (\n  SELECT kauri_row,\n    " + Joined(margins, ",\n    ") +
         "\n  FROM kauri_walk\n  WHERE kauri_tree = " + n_trees + "\n),\n";
}

std::string Final(ExportedModel const& model) {
  std::vector<std::string> columns{"kauri_data.*"};
  for (std::int64_t k = 0; k < model.n_outputs; ++k) {
    columns.push_back("kauri_values." + SqlOutput("margin", k, model.n_outputs));
  }
  for (std::int64_t k = 0; k < model.n_values; ++k) {
    columns.push_back("kauri_values." + SqlOutput("value", k, model.n_values));
  }
  return "SELECT " + Joined(columns, ", ") +
         "\nFROM kauri_data JOIN kauri_values ON kauri_values.kauri_row = kauri_data.kauri_row;\n";
}

/// Returns the test as comments, in lines of JSON: the columns of the table with their types, then rows with margins
/// and values.
std::string TestLines(ExportedModel const& model, TestVector const& test) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < model.columns.size(); ++i) columns.push_back(TestColumn(model.columns[i]));
  auto text = "\n-- " + Summary(test) + "\n-- kauri-test " + JsonArray(columns) + '\n';
  for (std::int64_t row = 0; row < test.n_rows; ++row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
      cells.push_back(TestCell(model.columns[i], test.rows[ToSize(row) * model.columns.size() + i]));
    }
    auto const numbers = [row](std::vector<float> const& from, std::int64_t width) {
      std::vector<std::string> texts;
      for (std::int64_t k = 0; k < width; ++k) texts.push_back(TestNumber(from[ToSize(row * width + k)]));
      return JsonArray(texts);
    };
    text +=
        "-- kauri-test " +
        JsonArray({JsonArray(cells), numbers(test.margins, model.n_outputs), numbers(test.values, model.n_values)}) +
        '\n';
  }
  return text;
}

std::string WriteSql(ExportedModel const& model, TestVector const& test, SqlDialect dialect) {
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  return SqlHead(model, dialect) + (is_sqlite ? "WITH RECURSIVE\n" : "WITH\n") + InputCtes(model, dialect) +
         (is_sqlite ? RecursiveSums(model) : Float32Sums(model, dialect)) + SqlValues(model, dialect) + Final(model) +
         TestLines(model, test);
}

}  // namespace

std::string WriteDuckDb(ExportedModel const& model, TestVector const& test) {
  return WriteSql(model, test, SqlDialect::kDuckDb);
}

std::string WritePostgreSql(ExportedModel const& model, TestVector const& test) {
  return WriteSql(model, test, SqlDialect::kPostgreSql);
}

std::string WriteSqlite(ExportedModel const& model, TestVector const& test) {
  return WriteSql(model, test, SqlDialect::kSqlite);
}

}  // namespace kauri::model_export
