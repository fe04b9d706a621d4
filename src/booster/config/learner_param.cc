#include "booster/config/learner_param.h"

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "booster/boosters/gbtree.h"
#include "common/threads/threads.h"
#include "data/categories/category_names.h"
#include "kauri/error.h"
#include "kauri/registry.h"
#include "kauri/tree_param.h"

namespace kauri {

DMLC_REGISTER_PARAMETER(LearnerParam);

void LearnerParam::Validate() const {
  UnseenCategory policy;
  if (!unseen_category.empty() && !ParsePolicy(unseen_category, &policy)) {
    Fail(ErrorKind::kParameter, "parameter unseen_category='", unseen_category,
         "' is not valid; expected xgboost, missing or error.");
  }
  auto const& encoding = categorical_encoding;
  if (!encoding.empty() && encoding != "partition" && encoding != "ordered") {
    Fail(ErrorKind::kParameter, "parameter categorical_encoding='", encoding,
         "' is not valid; expected partition or ordered.");
  }
  if (!(ordered_strength > 0.0F) || !std::isfinite(ordered_strength)) {
    Fail(ErrorKind::kParameter, "parameter ordered_strength=", ordered_strength,
         " is not valid; expected a number above 0.");
  }
}

int LearnerParam::Threads() const { return NumThreadsFor(nthread); }

namespace {

[[noreturn]] void RefuseBaseScore(std::string const& text) {
  Fail(ErrorKind::kParameter, "parameter base_score='", text,
       "' is not valid; expected a finite number, or one per output as [a, b, ..].");
}

/// Parses one number at `*cursor`, skipping blanks around it.
float TakeNumber(std::string const& text, char const** cursor) {
  auto const* end = text.data() + text.size();
  auto const skip = [&] {
    while (*cursor != end && (**cursor == ' ' || **cursor == '\t')) ++*cursor;
  };
  skip();
  if (*cursor != end && **cursor == '+') ++*cursor;
  float value = 0.0F;
  auto const result = std::from_chars(*cursor, end, value);
  if (result.ec != std::errc() || !std::isfinite(value)) RefuseBaseScore(text);
  *cursor = result.ptr;
  skip();
  return value;
}

/// Returns the aliases of parameters. dmlc lists a field without them, so they are repeated here: a later setting must
/// replace an earlier one under the other name.
std::map<std::string, std::string> const& Aliases() {
  static std::map<std::string, std::string> const kAliases{
      {"learning_rate", "eta"}, {"min_split_loss", "gamma"}, {"reg_lambda", "lambda"},
      {"reg_alpha", "alpha"},   {"n_jobs", "nthread"},       {"random_state", "seed"},
  };
  return kAliases;
}

template <typename Entries>
void AppendTables(std::string const& role, Entries const& entries,
                  std::vector<std::pair<std::string, ParameterTable>>* out) {
  for (auto const& entry : entries) {
    if (entry.parameters != nullptr) out->emplace_back(role + " " + entry.name, entry.parameters());
  }
}

}  // namespace

std::vector<float> ParseBaseScore(std::string const& text) {
  if (text.empty()) return {};
  auto const* cursor = text.data();
  auto const* end = text.data() + text.size();
  auto const bracketed = text.front() == '[' || text.front() == '(';
  if (bracketed) ++cursor;
  std::vector<float> values{TakeNumber(text, &cursor)};
  while (bracketed && cursor != end && *cursor == ',') {
    ++cursor;
    values.push_back(TakeNumber(text, &cursor));
  }
  if (bracketed && (cursor == end || (*cursor != ']' && *cursor != ')'))) RefuseBaseScore(text);
  if (bracketed) ++cursor;
  if (cursor != end) RefuseBaseScore(text);
  return values;
}

std::vector<float> BaseScoresOf(std::string const& text, std::size_t n_outputs) {
  auto given = ParseBaseScore(text);
  if (given.size() == 1) given.assign(n_outputs, given[0]);
  if (given.empty() || given.size() == n_outputs) return given;
  Fail(ErrorKind::kParameter, "base_score has ", given.size(), " values for ", n_outputs,
       " outputs; give one number, or one per output.");
}

std::vector<std::pair<std::string, ParameterTable>> AllParameters() {
  auto const& registries = GetRegistries();
  std::vector<std::pair<std::string, ParameterTable>> all;
  all.emplace_back("general", DescribeParameters<LearnerParam>());
  AppendTables("booster", registries.boosters.Entries(), &all);
  AppendTables("tree_method", registries.tree_methods.Entries(), &all);
  AppendTables("updater", registries.tree_updaters.Entries(), &all);
  AppendTables("predictor", registries.predictors.Entries(), &all);
  AppendTables("objective", registries.objectives.Entries(), &all);
  AppendTables("metric", registries.metrics.Entries(), &all);
  return all;
}

std::string CanonicalParameterName(std::string const& name) {
  auto const found = Aliases().find(name);
  return found == Aliases().end() ? name : found->second;
}

std::vector<std::string> ParameterAliases() {
  std::vector<std::string> names;
  for (auto const& alias : Aliases()) names.push_back(alias.first);
  return names;
}

}  // namespace kauri
