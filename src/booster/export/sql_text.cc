#include "booster/export/sql_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "booster/export/targets.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::model_export {
namespace {

/// Returns the text with all quotation marks doubled, between such marks.
std::string QuotedForSql(std::string_view text, char mark) {
  for (std::size_t i = 0; i < text.size();) {
    auto const length = Utf8Length(text.substr(i));
    if (length == 0 || text[i] == '\0') {
      Fail(ErrorKind::kParameter, "SQL cannot hold the name ", Quoted(text),
           ", which is not UTF-8 or has a zero byte; give the columns and categories other names.");
    }
    i += length;
  }
  std::string quoted(1, mark);
  for (auto const character : text) {
    if (character == mark) quoted += mark;
    quoted += character;
  }
  return quoted + mark;
}

constexpr std::size_t kMostLevels = 100;
constexpr std::size_t kMostLevelsOfSqlite = 14;  // its parser's stack has 100 places, and a level takes up to 6

/// Writes one tree; one object per tree.
class TreeText {
 public:
  TreeText(ExportedModel const& model, std::size_t tree, std::int64_t place, std::size_t indent,
           std::size_t most_levels)
      : model_(model),
        place_(place),
        most_levels_(most_levels),
        deepest_(indent + 2 * (most_levels - 1)),
        split_(model.tree_leaf[tree] - tree),
        leaf_(model.tree_leaf[tree]) {}

  /// Writes the subtree with the next `n_leaves` leaves.
  std::string Write(std::uint32_t n_leaves, std::size_t indent) {
    if (n_leaves == 1)
      return SqlNumber(static_cast<double>(model_.leaves[leaf_++ * ToSize(model_.leaf_width) + place_]));
    if (indent > deepest_) {
      Fail(ErrorKind::kParameter, "a tree has more than ", most_levels_,
           " levels, which the database's parser refuses; train with a smaller max_depth, or export C.");
    }
    auto const& split = model_.splits[split_++];
    auto const& condition = model_.conditions[split.condition];
    auto const left = Write(split.left_leaves, indent + 2);
    auto const right = Write(n_leaves - split.left_leaves, indent + 2);
    auto const asks_right = !condition.missing_right;  // the condition is that of the side without missing values
    std::string const line = '\n' + std::string(indent, ' ');
    return "CASE WHEN " + Text(condition, asks_right) + line + "THEN " + (asks_right ? right : left) + line + "ELSE " +
           (asks_right ? left : right) + " END";
  }

 private:
  std::string Text(Condition const& condition, bool asks_right) const {
    auto const column = SqlInput(condition.feature);
    if (!condition.is_categorical) {
      return column + (asks_right ? " >= " : " < ") + SqlNumber(static_cast<double>(condition.threshold));
    }
    auto const listed = SqlCategories(model_.columns[condition.feature], condition.categories);
    auto const is_listed = asks_right == condition.listed_right;
    if (listed.empty()) return is_listed ? "1 = 0" : column + " IS NOT NULL";
    return column + (is_listed ? " IN (" : " NOT IN (") + Joined(listed, ", ") + ')';
  }

  ExportedModel const& model_;
  std::int64_t place_;
  std::size_t most_levels_;
  std::size_t deepest_;  ///< the largest indentation of a split
  std::size_t split_;
  std::size_t leaf_;
};

/// Returns the largest of many expressions, in calls of at most 100 arguments.
std::string Largest(std::vector<std::string> texts, SqlDialect dialect) {
  constexpr std::size_t kMostArguments = 100;
  std::string const name = dialect == SqlDialect::kSqlite ? "max(" : "GREATEST(";
  while (texts.size() > 1) {
    std::vector<std::string> next;
    for (std::size_t begin = 0; begin < texts.size(); begin += kMostArguments) {
      auto const end = std::min(begin + kMostArguments, texts.size());
      std::vector<std::string> const part(texts.begin() + static_cast<std::ptrdiff_t>(begin),
                                          texts.begin() + static_cast<std::ptrdiff_t>(end));
      next.push_back(part.size() == 1 ? part[0] : name + Joined(part, ", ") + ')');
    }
    texts = next;
  }
  return texts[0];
}

/// Returns e^text; PostgreSQL would refuse results below 1e-307 and above 1e308.
std::string ExpOf(std::string const& text, SqlDialect dialect) {
  if (dialect == SqlDialect::kSqlite) return "exp(min(700.0, max(-700.0, " + text + ")))";
  return "exp(LEAST(700.0, GREATEST(-700.0, " + text + ")))";
}

std::vector<std::string> OutputNames(char const* name, ExportedModel const& model) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < model.n_outputs; ++k) names.push_back(SqlOutput(name, k, model.n_outputs));
  return names;
}

/// Returns a float64 of a margin.
std::string WideMargin(std::string const& margin, SqlDialect dialect) {
  return dialect == SqlDialect::kSqlite ? margin : "CAST(" + margin + " AS DOUBLE PRECISION)";
}

/// Returns the k-th smallest of texts.
std::string KthSmallest(std::vector<std::string> const& texts, std::size_t k, SqlDialect dialect) {
  if (dialect == SqlDialect::kDuckDb) return "list_sort([" + Joined(texts, ", ") + "])[" + std::to_string(k + 1) + ']';
  std::string rows;
  for (auto const& text : texts) rows += (rows.empty() ? "SELECT " : " UNION ALL SELECT ") + text + " AS kauri_v";
  return "(SELECT kauri_v FROM (" + rows + ") AS kauri_s ORDER BY kauri_v LIMIT 1 OFFSET " + std::to_string(k) + ')';
}

/// Returns the CTEs of probabilities: kauri_p_0, ... in the CTE kauri_probabilities.
std::string ProbabilityCtes(ExportedModel const& model, std::vector<std::string> const& margins, SqlDialect dialect) {
  std::vector<std::string> exponents;
  std::vector<std::string> names;
  std::vector<std::string> shares;
  for (std::int64_t k = 0; k < model.n_outputs; ++k) {
    auto const number = std::to_string(k);
    auto const distance = WideMargin(margins[ToSize(k)], dialect) + " - kauri_top";
    exponents.push_back(ExpOf(distance, dialect) + " AS kauri_e_" + number);
    names.push_back("kauri_e_" + number);
    shares.push_back("kauri_e_" + number + " / kauri_sum AS kauri_p_" + number);
  }
  return "kauri_top AS MATERIALIZED (\n  SELECT *, " + Largest(margins, dialect) +
         " AS kauri_top\n  FROM kauri_margins\n),\n" + "kauri_exponents AS MATERIALIZED (\n  SELECT *,\n    " +
         Joined(exponents, ",\n    ") + "\n  FROM kauri_top\n),\n" + "kauri_sum AS MATERIALIZED (\n  SELECT *, " +
         Joined(names, " + ") + " AS kauri_sum\n  FROM kauri_exponents\n),\n" +
         "kauri_probabilities AS MATERIALIZED (\n  SELECT *,\n    " + Joined(shares, ",\n    ") +
         "\n  FROM kauri_sum\n),\n";
}

/// Returns the number of the first class with the largest probability.
std::string LikeliestOf(std::int64_t n_classes, SqlDialect dialect) {
  std::vector<std::string> names;
  for (std::int64_t k = 0; k < n_classes; ++k) names.push_back("kauri_p_" + std::to_string(k));
  auto const largest = Largest(names, dialect);
  std::string text = "CASE " + largest;
  for (std::int64_t k = 0; k < n_classes; ++k) text += " WHEN " + names[ToSize(k)] + " THEN " + std::to_string(k);
  return text + " END";
}

/// Returns the expression of value k from the margins' names.
std::string ValueText(ExportedModel const& model, std::vector<std::string> const& margins, std::size_t k,
                      SqlDialect dialect) {
  auto const wide = WideMargin(margins[k], dialect);
  switch (model.transform) {
    case Transform::kIdentity:
      return margins[k];
    case Transform::kLogistic:
      return "1.0 / (1.0 + " + ExpOf("-" + wide, dialect) + ')';
    case Transform::kHalfLogistic:
      return "1.0 / (1.0 + " + ExpOf("-2.0 * " + wide, dialect) + ')';
    case Transform::kExponential:
      return ExpOf(wide, dialect);
    case Transform::kClass:
      return "CASE WHEN " + margins[k] + " > 0 THEN 1 WHEN " + margins[k] + " <= 0 THEN 0 END";
    case Transform::kSoftmax:
      return "kauri_p_" + std::to_string(k);
    case Transform::kLikeliest:
      return LikeliestOf(model.n_outputs, dialect);
    case Transform::kSorted:
      return KthSmallest(margins, k, dialect);
    case Transform::kSoftplusSteps:
      break;
  }
  auto text = WideMargin(margins[0], dialect);
  for (std::size_t step = 1; step <= k; ++step) {
    auto const of_step = WideMargin(margins[step], dialect);
    text += " + CASE WHEN " + of_step + " > 0 THEN " + of_step + " ELSE 0 END + ln(1.0 + " +
            ExpOf("-abs(" + of_step + ')', dialect) + ')';
  }
  return text;
}

}  // namespace

std::string SqlNumber(double value) {
  if (std::isinf(value)) {
    Fail(ErrorKind::kParameter, "SQL cannot express the infinite base_score of this model; give another base_score.");
  }
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr};
}

std::string SqlString(std::string_view text) { return QuotedForSql(text, '\''); }

std::string SqlName(std::string_view name) {
  if (name.empty()) {
    Fail(ErrorKind::kParameter, "SQL cannot name a column by an empty name; give all columns names.");
  }
  return QuotedForSql(name, '"');
}

std::string Joined(std::vector<std::string> const& texts, std::string const& separator) {
  std::string joined;
  for (std::size_t i = 0; i < texts.size(); ++i) joined += (i == 0 ? "" : separator) + texts[i];
  return joined;
}

std::string SqlOutput(char const* name, std::int64_t output, std::int64_t n_outputs) {
  return "kauri_" + std::string(name) + (n_outputs == 1 ? "" : "_" + std::to_string(output));
}

std::vector<std::string> SqlCategories(Column const& column, std::vector<std::int32_t> const& categories) {
  auto const names = CategoryTexts(column);
  std::vector<std::string> texts;
  for (auto const category : categories) {
    if (names.empty()) {
      texts.push_back(std::to_string(category));
    } else if (ToSize(category) < names.size()) {  // no data have a category without a name
      auto const& name = names[ToSize(category)];
      texts.push_back(column.names.texts.empty() ? name : SqlString(name));
    }
  }
  return texts;
}

std::vector<std::size_t> UsedColumns(ExportedModel const& model) {
  std::set<std::size_t> used;
  for (auto const& condition : model.conditions) used.insert(condition.feature);
  for (std::size_t column = 0; column < model.columns.size(); ++column) {
    if (!model.columns[column].accepted.empty()) used.insert(column);
  }
  return {used.begin(), used.end()};
}

std::string SqlTree(ExportedModel const& model, SqlDialect dialect, std::size_t tree, std::int64_t place,
                    std::size_t indent) {
  auto const most_levels = dialect == SqlDialect::kSqlite ? kMostLevelsOfSqlite : kMostLevels;
  TreeText text(model, tree, place, indent, most_levels);
  return text.Write(model.tree_leaf[tree + 1] - model.tree_leaf[tree], indent);
}

std::string SqlValues(ExportedModel const& model, SqlDialect dialect) {
  auto const margins = OutputNames("margin", model);
  auto const has_classes = model.transform == Transform::kSoftmax || model.transform == Transform::kLikeliest;
  std::vector<std::string> values;
  for (std::int64_t k = 0; k < model.n_values; ++k) {
    values.push_back(ValueText(model, margins, ToSize(k), dialect) + " AS " + SqlOutput("value", k, model.n_values));
  }
  return (has_classes ? ProbabilityCtes(model, margins, dialect) : "") + "kauri_values AS (\n  SELECT *,\n    " +
         Joined(values, ",\n    ") + "\n  FROM " + (has_classes ? "kauri_probabilities" : "kauri_margins") + "\n)\n";
}

}  // namespace kauri::model_export
