/// \file Expressions of SQL that the dialects share.
///
/// Numbers. A float32 is written as the shortest decimal of the double with its value, in scientific form: a literal of
/// a float64 in DuckDB and SQLite, and an exact decimal in PostgreSQL. Missing values are NULL. A comparison with NULL
/// is not true, so the side of missing values is the ELSE of each CASE.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "booster/export/exported_model.h"

namespace kauri::model_export {

enum class SqlDialect { kDuckDb, kPostgreSql, kSqlite };

std::string SqlNumber(double value);
/// Returns a string literal. \throws Error(kParameter) for text that is not UTF-8 or has a zero byte.
std::string SqlString(std::string_view text);
/// Returns a quoted identifier. \throws as SqlString, and for an empty name.
std::string SqlName(std::string_view name);
/// Joins texts with a separator.
std::string Joined(std::vector<std::string> const& texts, std::string const& separator);
/// Returns "kauri_NAME" for a single output, else "kauri_NAME_0".
std::string SqlOutput(char const* name, std::int64_t output, std::int64_t n_outputs);

/// Returns categories as data hold them: texts or numbers. Categories that have no name, where others do, are left out.
std::vector<std::string> SqlCategories(Column const& column, std::vector<std::int32_t> const& categories);
/// Returns the column of the CTE kauri_input that holds a column of the model.
inline std::string SqlInput(std::size_t column) { return "kauri_c" + std::to_string(column); }
/// Returns the columns that conditions or refusals read, ascending.
std::vector<std::size_t> UsedColumns(ExportedModel const& model);

/// Returns a tree as nested CASEs: the leaf's number at `place` of its vector. indent: of the first line.
/// \throws Error(kParameter) for a tree too deep for the parsers of databases.
std::string SqlTree(ExportedModel const& model, SqlDialect dialect, std::size_t tree, std::int64_t place,
                    std::size_t indent);

/// Returns the CTEs after the margins, which compute the values from the margins of the CTE kauri_margins and end with
/// the CTE kauri_values.
std::string SqlValues(ExportedModel const& model, SqlDialect dialect);

}  // namespace kauri::model_export
