/// One C99 file: tables, one loop over trees and splits, the objective's mapping, contributions if they are wanted, and
/// a test. The source of a WebAssembly module is the same code over packed tables.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "booster/export/c_code.h"
#include "booster/export/c_literals.h"
#include "booster/export/contributions_code.h"
#include "booster/export/targets.h"
#include "booster/export/wasm_code.h"
#include "predictor/shap/quadrature_rule.h"

namespace kauri::model_export {
namespace {

std::string Define(char const* name, std::uint64_t value) {
  return "#define KAURI_" + std::string(name) + ' ' + std::to_string(value) + '\n';
}

/// C has no arrays without elements.
std::size_t NumColumns(ExportedModel const& model) { return std::max<std::size_t>(model.columns.size(), 1); }

constexpr char kContributionsHead[] =
    " *   int kauri_contributions(const float *row, double *contributions);\n"
    " *                                                          writes KAURI_CONTRIBUTIONS Shapley values of the "
    "margins:\n"
    " *                                                          for each output, those of the columns and the bias\n";

std::string CHead(ExportedModel const& model, bool explains) {
  return "/*\n * " + Summary(model) +
         "\n *\n"
         " *   int kauri_margins(const float *row, float *margins);  writes KAURI_OUTPUTS margins\n"
         " *   int kauri_predict(const float *row, float *values);   writes KAURI_VALUES predictions\n" +
         (explains ? kContributionsHead : "") +
         " *\n"
         " * row holds KAURI_COLUMNS numbers in the order of kauri_column_names. A missing value is NaN. A "
         "categorical\n"
         " * column holds the number of the category, which kauri_category finds by its name. The functions return "
         "0,\n"
         " * or 1 plus the number of a column whose category the model refuses. They allocate nothing and change no\n"
         " * global data, so any number of threads may call them. Margins and predictions are Kauri's, bit for bit.\n"
         " *\n"
         " * To test a compiler and its options: compile with -DKAURI_TEST and run the program. It returns 0 if the\n"
         " * rows at the end of this file get exactly Kauri's margins and predictions.\n */\n";
}

/// The categories of conditions and of columns that refuse others, as words of 32 bits that are not 0.
struct SetTables {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> word;
  std::vector<std::uint32_t> bits;

  void Add(std::vector<std::int32_t> const& categories) {
    auto const first = word.size();
    for (auto const category : categories) {
      auto const number = static_cast<std::uint32_t>(category);
      if (word.size() == first || word.back() != number / 32) {
        word.push_back(number / 32);
        bits.push_back(0);
      }
      bits.back() |= std::uint32_t{1} << (number % 32);
    }
    begin.push_back(static_cast<std::uint32_t>(word.size()));
  }
};

constexpr unsigned kMissingRight = 1;
constexpr unsigned kListedRight = 2;
constexpr unsigned kWhole = 4;

std::string ConditionTables(ExportedModel const& model, CTables* tables) {
  std::vector<std::uint32_t> columns;
  std::vector<unsigned> flags;
  std::vector<float> thresholds;
  for (auto const& condition : model.conditions) {
    columns.push_back(condition.feature);
    auto const whole = condition.is_categorical && model.columns[condition.feature].needs_whole;
    flags.push_back((condition.missing_right ? kMissingRight : 0U) |
                    (condition.is_categorical && condition.listed_right ? kListedRight : 0U) | (whole ? kWhole : 0U));
    if (!condition.is_categorical) thresholds.push_back(condition.threshold);
  }
  std::string text =
      "/* Conditions of splits: a column, then a threshold below which a value goes left, or a set of categories. */\n";
  text += Define("MISSING_RIGHT", kMissingRight) + Define("LISTED_RIGHT", kListedRight) + Define("WHOLE", kWhole) +
          Define("NUMERIC", thresholds.size());
  text += tables->Numbers("kauri_column", columns);
  text += tables->Numbers("kauri_flags", flags);
  return text + tables->Floats("kauri_threshold", thresholds);
}

std::string TreeTables(ExportedModel const& model, CTables* tables) {
  std::vector<std::uint32_t> conditions;
  std::vector<std::uint32_t> left_leaves;
  for (auto const& split : model.splits) {
    conditions.push_back(split.condition);
    left_leaves.push_back(split.left_leaves);
  }
  std::string text =
      "/* First leaf of each tree; condition of each split, and number of leaves on its left side; leaves. */\n";
  text += tables->Numbers("kauri_tree", model.tree_leaf);
  text += tables->Numbers("kauri_condition", conditions);
  text += tables->Numbers("kauri_left_leaves", left_leaves);
  text += tables->Floats("kauri_leaf", model.leaves);
  text += tables->Floats("kauri_start", model.start);
  if (model.n_outputs > 1 && model.leaf_width == 1) text += tables->Numbers("kauri_output", model.output_of_tree);
  return text;
}

/// Returns the tables of sets; sets of refusing columns follow those of conditions. Empty if there are none.
std::string CategoryTables(ExportedModel const& model, CTables* tables) {
  SetTables sets;
  std::vector<std::size_t> checked_columns;
  std::vector<std::size_t> checked_sets;
  for (auto i = model.NumNumeric(); i < model.conditions.size(); ++i) sets.Add(model.conditions[i].categories);
  for (std::size_t column = 0; column < model.columns.size(); ++column) {
    if (model.columns[column].accepted.empty()) continue;
    checked_columns.push_back(column);
    checked_sets.push_back(sets.begin.size() - 1);
    sets.Add(model.columns[column].accepted);
  }
  if (sets.begin.size() == 1) return "";
  std::string text = "/* Sets of categories: words of 32 bits that are not 0, and their numbers. */\n";
  text += tables->Numbers("kauri_set", sets.begin);
  text += tables->Numbers("kauri_set_word", sets.word);
  text += tables->Numbers("kauri_set_bits", sets.bits);
  if (checked_columns.empty()) return text;
  text += Define("CHECKED", checked_columns.size());
  text += tables->Numbers("kauri_checked_column", checked_columns);
  return text + tables->Numbers("kauri_checked_set", checked_sets);
}

std::string NameTables(ExportedModel const& model, CTables* tables) {
  std::vector<std::string> columns;
  std::vector<std::string> names;
  std::vector<std::size_t> first{0};
  for (auto const& column : model.columns) {
    columns.push_back(CString(column.name));
    for (auto const& name : CategoryTexts(column)) names.push_back(CString(name));
    first.push_back(names.size());
  }
  std::vector<std::string> classes;
  for (auto const& name : model.classes) classes.push_back(CString(name));
  std::string text;
  auto const add = [&text](char const* name, std::vector<std::string> const& texts) {
    auto const whole = CTable("const char *const", name, texts);
    text += whole.substr(sizeof("static ") - 1);  // callers may read the names
  };
  add("kauri_column_names", columns);
  if (!classes.empty()) add("kauri_class_names", classes);
  if (names.empty()) return text;
  return text + CTable("const char *const", "kauri_category_names", names) +
         tables->Numbers("kauri_first_name", first) + kCCategory;
}

std::string MarginsFunction(ExportedModel const& model, bool has_sets) {
  std::string text = has_sets ? kCSets : "";
  text += has_sets ? kCRightWithSets : kCRight;
  if (model.RefusesCategories()) text += kCRefusal;
  text += kCMarginsBegin;
  if (model.RefusesCategories()) text += kCRefuse;
  text += kCMarginsLoop;
  if (model.leaf_width > 1) {
    text += "    for (k = 0; k < KAURI_OUTPUTS; ++k) margins[k] += kauri_leaf[leaf * KAURI_OUTPUTS + k];\n";
  } else {
    text += model.n_outputs > 1 ? "    margins[kauri_output[tree]] += kauri_leaf[leaf];\n"
                                : "    margins[0] += kauri_leaf[leaf];\n";
  }
  return text + kCMarginsEnd;
}

std::string PredictFunction(Transform transform) {
  std::string functions;
  std::string body;
  switch (transform) {
    case Transform::kIdentity:
      body = kCIdentity;
      break;
    case Transform::kLogistic:
      functions = kCExp;
      body = kCLogistic;
      break;
    case Transform::kHalfLogistic:
      functions = kCExp;
      body = kCHalfLogistic;
      break;
    case Transform::kExponential:
      functions = kCExp;
      body = kCExponential;
      break;
    case Transform::kClass:
      body = kCClass;
      break;
    case Transform::kSoftmax:
      functions = kCExp;
      body = std::string(kCSoftmax) + kCIdentity;
      break;
    case Transform::kLikeliest:
      functions = kCExp;
      body = std::string(kCSoftmax) + kCLikeliest;
      break;
    case Transform::kSorted:
      body = kCSorted;
      break;
    case Transform::kSoftplusSteps:
      functions = std::string(kCExp) + kCSoftPlus;
      body = kCSoftplusSteps;
      break;
  }
  return functions + kCPredictBegin + body + kCPredictEnd;
}

std::string TestTables(ExportedModel const& model, TestVector const& test, CTables* tables) {
  auto columns = TestedColumns(test, model);
  if (columns.empty() && !model.columns.empty()) columns.push_back(0);
  std::vector<float> rows;
  std::vector<float> results;
  for (std::int64_t row = 0; row < test.n_rows; ++row) {
    for (auto const column : columns) rows.push_back(test.rows[ToSize(row) * model.columns.size() + column]);
    auto const add = [row](std::vector<float> const& from, std::int64_t width, std::vector<float>* to) {
      to->insert(to->end(), from.begin() + row * width, from.begin() + (row + 1) * width);
    };
    add(test.margins, model.n_outputs, &results);
    add(test.values, model.n_values, &results);
  }
  auto text = "\n/* " + Summary(test) + " */\n" + Define("TEST_ROWS", ToSize(test.n_rows)) +
              Define("TEST_COLUMNS", columns.size());
  text += tables->Numbers("kauri_test_column", columns);
  text += tables->Bits("kauri_test_row", rows);
  return text + tables->Bits("kauri_test_result", results);
}

std::string ContributionsTables(ExportedModel const& model, Explanation const& explanation, CTables* tables) {
  auto const nodes = MakeGaussLegendre(explanation.n_points);
  auto text = "\n/* Shares of the training rows on the left side of each split, in units of 2^-24. */\n" +
              Define("CONTRIBUTIONS", ToSize(model.n_outputs) * (NumColumns(model) + 1)) +
              Define("LEAF_WIDTH", ToSize(model.leaf_width)) + Define("STEPS", ToSize(explanation.n_steps)) +
              Define("POINTS", ToSize(explanation.n_points));
  text += tables->Numbers("kauri_left_share", explanation.left_share);
  if (explanation.right_share.empty()) {
    text += "#define KAURI_RIGHT_SHARE(split) (16777216U - kauri_left_share[split])\n";
  } else {
    text += tables->Numbers("kauri_right_share", explanation.right_share);
    text += "#define KAURI_RIGHT_SHARE(split) kauri_right_share[split]\n";
  }
  text += tables->Floats("kauri_bias", explanation.bias);
  return text + CDoubles("kauri_point", nodes.node) + CDoubles("kauri_weight", nodes.weight);
}

std::string ContributionsFunction(ExportedModel const& model) {
  std::string text = kCContributions;
  text += kCContributionsBegin;
  if (model.RefusesCategories()) text += kCRefuse;
  text += kCContributionsLoop;
  std::string const call = "kauri_explain_tree(row, tree, ";
  if (model.leaf_width > 1) {
    text += "    for (k = 0; k < KAURI_OUTPUTS; ++k) {\n      " + call +
            "k, contributions + k * (KAURI_COLUMNS + 1));\n    }\n";
  } else {
    text += "    " + call +
            (model.n_outputs > 1 ? "0, contributions + kauri_output[tree] * (KAURI_COLUMNS + 1));\n"
                                 : "0, contributions);\n");
  }
  return text + kCContributionsEnd;
}

/// Returns the tables of all that predicts and explains, and its functions.
std::string CModel(ExportedModel const& model, CTables* tables) {
  auto text = ConditionTables(model, tables);
  auto const sets = CategoryTables(model, tables);
  text += sets;
  text += TreeTables(model, tables);
  text += MarginsFunction(model, !sets.empty());
  text += PredictFunction(model.transform);
  return text;
}

/// Returns the test, a function.
std::string CTest(ExportedModel const& model, TestVector const& test, CTables* tables) {
  auto text = TestTables(model, test, tables) + kCBitsOf;
  auto const explains = model.explanation.has_value();
  if (explains) {
    text += Define("EXPLAINED_ROWS", ToSize(model.explanation->n_test_rows));
    text += tables->Floats("kauri_test_contributions", model.explanation->contributions);
    text += kCTestContributions;
  }
  text += kCTestBegin;
  if (explains) text += "    if (i < KAURI_EXPLAINED_ROWS && kauri_contributions_differ(row, i)) differs = 1;\n";
  return text + kCTestEnd;
}

std::string CSizes(ExportedModel const& model) {
  return Define("COLUMNS", NumColumns(model)) + Define("OUTPUTS", ToSize(model.n_outputs)) +
         Define("VALUES", ToSize(model.n_values)) + Define("TREES", model.NumTrees()) + '\n';
}

}  // namespace

std::string WriteC(ExportedModel const& model, TestVector const& test) {
  CTables tables(false);
  auto text = CHead(model, model.explanation.has_value()) + kCBegin + CSizes(model);
  text += NameTables(model, &tables) + '\n';
  text += CModel(model, &tables);
  if (model.explanation.has_value()) {
    text += ContributionsTables(model, *model.explanation, &tables) + ContributionsFunction(model);
  }
  text += "\n#ifdef KAURI_TEST\n";
  text += CTest(model, test, &tables);
  return text + kCTestProgram + "#endif\n";
}

std::string WriteWasmSource(ExportedModel const& model, TestVector const& test) {
  CTables tables(true);
  auto text = "/* " + Summary(model) + kWasmHead + kCBegin + CSizes(model) + CModel(model, &tables);
  auto const explains = model.explanation.has_value();
  if (explains) text += ContributionsTables(model, *model.explanation, &tables) + ContributionsFunction(model);
  text += CTest(model, test, &tables);
  text += tables.Unpacker();
  return text + kCWasm + (explains ? kCWasmContributions : "");
}

}  // namespace kauri::model_export
