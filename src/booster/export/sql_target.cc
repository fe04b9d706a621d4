/// One SELECT that adds margins and predictions to the rows of a table. Common table expressions number the rows, read
/// the model's columns, add up the trees and map margins to values.
///
/// DuckDB and PostgreSQL add float32 numbers, so their sums are Kauri's. SQLite has float64 alone: a recursive
/// expression adds one tree at a time and rounds each sum to float32, to the nearest and ties to even. For a sum s with
/// the leading power of two u (Rump, "Ultimately fast accurate summation", 2009, algorithm 3.5), adding and subtracting
/// 1.5 * 2^29 * u rounds it to 24 bits.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "booster/export/sql_text.h"
#include "booster/export/targets.h"
#include "common/text/json_text.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::model_export {
namespace {

std::string LowerCase(std::string text) {
  for (auto& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

constexpr char kBlanks[] = "\t\n\r ";

std::string Trimmed(std::string const& text) {
  auto const first = text.find_first_not_of(kBlanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Returns the expression of a text without the blanks around it, as Trimmed does.
std::string SqliteTrimmed(std::string const& text) { return "trim(" + text + ", char(9, 10, 13, 32))"; }

constexpr char const* kSqliteTexts =
    "-- Columns may hold texts, as .import makes them. The empty text and 'nan' are missing values. Where the model "
    "reads\n"
    "-- numbers, texts of numbers are numbers, and any other text is an error that names the column (\"JSON path\").\n";

std::string SqlHead(ExportedModel const& model, SqlDialect dialect) {
  constexpr char const* kNames[] = {"DuckDB", "PostgreSQL", "SQLite"};
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  return "-- " + Summary(model) + "\n-- For " + kNames[static_cast<int>(dialect)] +
         (is_sqlite ? " 3.35 or later, with its mathematical and JSON functions" : "") +
         ".\n--\n"
         "-- Write the name of a table or view in the place of kauri_rows. Its columns have the model's names. NULL "
         "and\n"
         "-- NaN are missing values. Categorical columns hold names of categories, or their numbers if they have no\n"
         "-- names. The result has kauri_row, all columns of the table, the margins and the predictions "
         "(kauri_value).\n" +
         (is_sqlite ? kSqliteTexts : "") +
         (model.RefusesCategories() ? "-- A row with a category that the model refuses gets NULL.\n" : "") + "--\n";
}

/// Returns the value of s rounded to float32, for SQLite. s: a name, not an expression.
std::string RoundedBySqlite(std::string const& s) {
  auto const times = "4503599627370497.0 * " + s;
  auto const unit = "805306368.0 * abs(" + times + " - 0.99999999999999988898 * (" + times + "))";
  return "((" + s + " + " + unit + ") - " + unit + ')';
}

/// Returns a column of the table. PostgreSQL finds it in the whole row, the others in the CTE that numbers the rows: a
/// bare "c" would be the text 'c' in SQLite if the table had no such column.
std::string TableColumn(std::string const& name, SqlDialect dialect) {
  return (dialect == SqlDialect::kPostgreSql ? "(kauri_data.kauri_table)." : "kauri_data.") + SqlName(name);
}

/// Returns the expression of a column of numbers in SQLite: NULL if missing, an error for a text that is no number.
///
/// A comparison with a REAL reads a text as a number if all of it is one, and every other text is above all numbers.
/// A wrong path of JSON is the one error whose message a query can choose.
std::string SqliteNumber(std::string const& column, char const* type) {
  auto const value = TableColumn(column, SqlDialect::kSqlite);
  return "CASE WHEN " + value + " <= CAST(9e999 AS REAL) THEN CAST(" + value + " AS " + type + ")\n      WHEN lower(" +
         SqliteTrimmed(value) + ") NOT IN ('', 'nan') THEN json_extract('{}', " +
         SqlString("Kauri: column " + column + " has a text that is no number: ") + " || " + value + ") END";
}

/// Returns the expression of a column of names of categories in SQLite: NULL for an empty text and 'nan', unless the
/// model has such a category.
std::string SqliteText(Column const& column) {
  std::set<std::string> missing{"", "nan"};
  for (auto const& name : column.names.texts) missing.erase(LowerCase(Trimmed(name)));
  auto const value = TableColumn(column.name, SqlDialect::kSqlite);
  if (missing.empty()) return "CAST(" + value + " AS TEXT)";
  std::vector<std::string> texts;
  for (auto const& text : missing) texts.push_back(SqlString(text));
  return "CASE WHEN lower(" + SqliteTrimmed(value) + ") NOT IN (" + Joined(texts, ", ") + ") THEN CAST(" + value +
         " AS TEXT) END";
}

/// Returns the expression of a column of numbers: NULL if missing, and float32 but for SQLite.
std::string NumberColumn(std::string const& name, SqlDialect dialect) {
  if (dialect == SqlDialect::kSqlite) return SqliteNumber(name, "REAL");
  return "NULLIF(CAST(" + TableColumn(name, dialect) + " AS REAL), CAST('NaN' AS REAL))";
}

/// Returns whether the numbers of a column are its categories: XGBoost's rule takes the integer part from 0 on.
bool HasIntegerParts(Column const& column) {
  return column.is_categorical && column.names.Size() == 0 && !column.needs_whole;
}

std::string InputColumn(Column const& column, SqlDialect dialect) {
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  if (!column.names.texts.empty()) {
    return is_sqlite ? SqliteText(column) : "CAST(" + TableColumn(column.name, dialect) + " AS TEXT)";
  }
  if (column.names.Size() > 0) {
    return is_sqlite ? SqliteNumber(column.name, "NUMERIC") : TableColumn(column.name, dialect);
  }
  auto const number = NumberColumn(column.name, dialect);
  return HasIntegerParts(column) && !is_sqlite ? "floor(" + number + ')' : number;
}

/// Returns the float32 number of a column of the CTE kauri_raw, or its category.
std::string SqliteInput(Column const& column, std::string const& name) {
  if (column.names.Size() > 0) return name;
  auto const rounded =
      "CASE WHEN abs(" + name + ") < 3.4028235677973366e38 THEN " + RoundedBySqlite(name) + " ELSE " + name + " END";
  if (!HasIntegerParts(column)) return rounded + " AS " + name;
  return "CASE WHEN " + name + " >= 16777216 OR " + name + " < 0 THEN -1 ELSE CAST(" + rounded +
         " AS INTEGER) END AS " + name;
}

/// Returns the CTEs kauri_data, the table with numbered rows, and kauri_input, the columns that the model reads.
///
/// The table may have a column kauri_row, the result of an earlier statement. In DuckDB and SQLite the first of two
/// columns keeps the name, so ours is the first. PostgreSQL would refuse the name, so it gets each row as one value.
std::string InputCtes(ExportedModel const& model, SqlDialect dialect) {
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  std::vector<std::string> columns{"kauri_row"};
  std::vector<std::string> rounded{"kauri_row"};
  for (auto const number : UsedColumns(model)) {
    auto const& column = model.columns[number];
    columns.push_back(InputColumn(column, dialect) + " AS " + SqlInput(number));
    rounded.push_back(SqliteInput(column, SqlInput(number)));
  }
  std::string const row = dialect == SqlDialect::kPostgreSql ? "kauri_table" : "*";
  auto text = "kauri_data AS MATERIALIZED (\n  SELECT row_number() OVER () AS kauri_row, " + row +
              "\n  FROM kauri_rows" + (dialect == SqlDialect::kPostgreSql ? " AS kauri_table" : "") + "\n),\n" +
              (is_sqlite ? "kauri_raw" : "kauri_input") + " AS MATERIALIZED (\n  SELECT\n    " +
              Joined(columns, ",\n    ") + "\n  FROM kauri_data\n),\n";
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
        sum += "\n    + CAST(" + SqlTree(model, dialect, tree, model.leaf_width > 1 ? output : 0, 6) + " AS REAL)";
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
      auto const leaf = AddsTo(model, tree, output)
                            ? SqlTree(model, SqlDialect::kSqlite, tree, model.leaf_width > 1 ? output : 0, 10)
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

std::string Final(ExportedModel const& model, SqlDialect dialect) {
  std::vector<std::string> columns{"kauri_data.*"};
  if (dialect == SqlDialect::kPostgreSql) columns = {"kauri_data.kauri_row", "(kauri_data.kauri_table).*"};
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

/// \throws Error(kParameter) for columns whose names a table cannot have beside each other or beside kauri_row.
void CheckNames(ExportedModel const& model, SqlDialect dialect) {
  if (dialect == SqlDialect::kPostgreSql) return;  // it tells letters in both cases apart, and takes rows as one value
  std::set<std::string> names{"kauri_row"};
  for (auto const& column : model.columns) {
    if (names.insert(LowerCase(column.name)).second) continue;
    Fail(ErrorKind::kParameter, "SQL would not find the column ", Quoted(column.name),
         ": the statement names rows kauri_row, and databases take names that differ in the case of letters for one; "
         "give the column another name.");
  }
}

/// \throws Error(kParameter) for more columns than a table or a result may have.
void CheckWidth(ExportedModel const& model, SqlDialect dialect) {
  constexpr std::int64_t kMostOfSqlite = 1999;  // SQLITE_MAX_COLUMN is 2000, and the test adds a number of the row
  constexpr std::int64_t kMostOfPostgreSql = 1600;
  if (dialect == SqlDialect::kDuckDb) return;
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  auto const limit = is_sqlite ? kMostOfSqlite : kMostOfPostgreSql;
  auto const width = 1 + static_cast<std::int64_t>(model.columns.size()) + model.n_outputs + model.n_values;
  if (width <= limit) return;
  Fail(ErrorKind::kParameter, "the result would have ", width, " columns: kauri_row, ", model.columns.size(),
       " of the model, ", model.n_outputs, " of margins and ", model.n_values, " of predictions. ",
       is_sqlite ? "SQLite" : "PostgreSQL", " takes at most ", limit,
       "; train with fewer columns, or export to DuckDB, ONNX or C.");
}

std::string WriteSql(ExportedModel const& model, TestVector const& test, SqlDialect dialect) {
  CheckNames(model, dialect);
  CheckWidth(model, dialect);
  auto const is_sqlite = dialect == SqlDialect::kSqlite;
  return SqlHead(model, dialect) + (is_sqlite ? "WITH RECURSIVE\n" : "WITH\n") + InputCtes(model, dialect) +
         (is_sqlite ? RecursiveSums(model) : Float32Sums(model, dialect)) + SqlValues(model, dialect) +
         Final(model, dialect) + TestLines(model, test);
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
