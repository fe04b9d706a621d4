#include "booster/config/parameter_check.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "booster/boosters/boosters.h"
#include "booster/config/learner_param.h"
#include "booster/names/other_names.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/booster.h"
#include "kauri/error.h"
#include "kauri/metric.h"
#include "kauri/objective.h"
#include "kauri/plugin.h"
#include "kauri/predictor.h"
#include "kauri/registry.h"
#include "kauri/tree_builder.h"
#include "kauri/tree_param.h"
#include "kauri/tree_updater.h"

namespace kauri {
namespace {

/// Maximum number of bins: bin indices have 16 bits.
constexpr std::int64_t kMostBins = 65535;

/// Returns the parameters of XGBoost that change no result here, with the reason.
std::map<std::string, std::string> const& WithoutEffect() {
  static std::map<std::string, std::string> const kNames{
      {"seed_per_iteration", "what a round draws follows from the seed and the round's number anyway"},
      {"max_cached_hist_node", "memory_budget says how much histograms may take"},
      {"extmem_single_page", "pages of external memory never change a result"},
      {"debug_synchronize", "trees are the same bits on every run"},
      {"sparse_threshold", "how bins are stored follows from the data"},
      {"updater_seq", "tree_method says how trees are built"},
  };
  return kNames;
}

/// Returns the parameters that the CUDA plug-in declares, with what reads them. They are known without the plug-in,
/// too, so that one configuration serves machines with and without it.
std::map<std::string, std::string> const& OfCudaPlugin() {
  static std::map<std::string, std::string> const kNames{
      {"interleaved_levels", "tree_method=exact with device=cuda"},
      {"shap_bin_packing", "shap_method=treeshap with device=cuda"},
  };
  return kNames;
}

/// A component that declares parameters.
struct Declaring {
  std::string role;
  std::string name;
  ParameterTable table;
  std::function<void(ParamMap const&)> make;

  bool Declares(std::string const& key) const {
    return std::any_of(table.begin(), table.end(), [&](auto const& info) { return info.name == key; });
  }
};

template <typename Factory, typename Make>
void Append(char const* role, Registry<Factory> const& registry, Make const& make, std::vector<Declaring>* all) {
  for (auto const& entry : registry.Entries()) {
    if (entry.parameters == nullptr) continue;
    all->push_back({role, entry.name, entry.parameters(), [entry, make](ParamMap const& map) { make(entry, map); }});
  }
}

std::vector<Declaring> ListDeclaring() {
  auto const& registries = GetRegistries();
  auto const from_map = [](auto const& entry, ParamMap const& map) { entry.make(map); };
  auto const from_params = [](auto const& entry, ParamMap const& map) { entry.make(TrainingParams(map)); };
  auto const make_booster = [](auto const& entry, ParamMap const& map) { entry.make(ParamsOf(entry, map)); };
  std::vector<Declaring> all;
  Append("booster", registries.boosters, make_booster, &all);
  Append("objective", registries.objectives, from_map, &all);
  Append("tree_method", registries.tree_methods, from_params, &all);
  Append("updater", registries.tree_updaters, from_params, &all);
  Append("predictor", registries.predictors, from_map, &all);
  Append(
      "metric", registries.metrics, [](auto const& entry, ParamMap const& map) { entry.make({}, map); }, &all);
  return all;
}

/// Returns all declaring components. Collected once, because every setting needs them; the registries are complete
/// before the first booster exists.
std::vector<Declaring> const& AllDeclaring() {
  static auto const kAll = ListDeclaring();
  return kAll;
}

/// Checks a value against every component that declares `key`; one that accepts the value is enough.
void CheckUnusedValue(std::vector<Declaring> const& all, std::string const& key, std::string const& value) {
  if (key == "num_class" && (value == "0" || value == "1")) return;  // one output, so no classes
  std::exception_ptr refusal;
  for (auto const& component : all) {
    if (!component.Declares(key)) continue;
    try {
      component.make({{key, value}});
      return;
    } catch (Error const&) {
      if (refusal == nullptr) refusal = std::current_exception();
    }
  }
  if (refusal != nullptr) std::rethrow_exception(refusal);
}

void AddNames(ParameterTable const& table, std::set<std::string>* names) {
  for (auto const& info : table) names->insert(info.name);
}

template <typename Factory>
void AddNamesOf(Registry<Factory> const& registry, std::string const& name, std::set<std::string>* names) {
  auto const* const entry = registry.TryFind(name);
  if (entry != nullptr && entry->parameters != nullptr) AddNames(entry->parameters(), names);
}

/// Returns whether the plug-in that would declare a parameter of its own is missing.
bool IsOfMissingPlugin(std::string const& name) {
  auto const declares = [&](Declaring const& component) { return component.Declares(name); };
  auto const& all = AllDeclaring();
  return OfCudaPlugin().count(name) != 0 && std::none_of(all.begin(), all.end(), declares);
}

std::string MostBins(std::string const& value, std::string* note) {
  std::int64_t n_bins = 0;
  auto const* const end = value.data() + value.size();
  auto const read = std::from_chars(value.data(), end, n_bins);
  if (read.ec != std::errc() || read.ptr != end || n_bins <= kMostBins) return value;
  *note = "max_bin=" + value + ": a feature has at most " + std::to_string(kMostBins) + " bins, which is used.";
  return std::to_string(kMostBins);
}

}  // namespace

AdaptedParameter AdaptParameter(std::string const& name, std::string const& value) {
  AdaptedParameter adapted{CanonicalParameterName(name), value, {}};
  auto const idle = WithoutEffect().find(name);
  if (idle != WithoutEffect().end()) return {{}, {}, "parameter '" + name + "' has no effect: " + idle->second + "."};
  if (IsOfMissingPlugin(name)) {
    auto const problem = GetCudaPluginStatus().problem;
    auto const why = OfCudaPlugin().at(name) + " reads it" + (problem.empty() ? "." : "; " + problem);
    return {{}, {}, "parameter '" + name + "' has no effect: " + why};
  }
  if (adapted.name == "max_bin") adapted.value = MostBins(value, &adapted.note);
  if (adapted.name == "objective" && value == "reg:linear") {
    adapted.value = "reg:squarederror";
    adapted.note = "objective=reg:linear is now deprecated in favor of reg:squarederror; use that.";
  }
  return adapted;
}

std::vector<std::string> AliasesOf(std::string const& own_name) {
  std::vector<std::string> names;
  for (auto const& alias : ParameterAliases()) {
    if (CanonicalParameterName(alias) == own_name) names.push_back(alias);
  }
  return names;
}

std::vector<std::string> KnownParameterNames() {
  std::vector<std::string> names = ParameterAliases();
  for (auto const* table : {&WithoutEffect(), &OfCudaPlugin()}) {
    for (auto const& [name, why] : *table) names.push_back(name);
  }
  for (auto const& group : AllParameters()) {
    for (auto const& info : group.second) names.push_back(info.name);
  }
  return names;
}

namespace {

std::vector<std::string> const& KnownNames() {
  static auto const kKnown = KnownParameterNames();
  return kKnown;
}

}  // namespace

bool IsKnownParameter(std::string const& name) {
  return std::find(KnownNames().begin(), KnownNames().end(), name) != KnownNames().end();
}

void CheckNames(UnknownNames unknown, ParamMap* params) {
  std::string ignored;
  std::string hints;
  for (auto const& [name, value] : ParamMap(*params)) {
    if (IsKnownParameter(name)) continue;
    params->erase(name);
    auto const hint = HintFor(name, KnownNames());
    if (unknown == UnknownNames::kFail) {
      Fail(ErrorKind::kParameter, "unknown parameter ", Quoted(name), " (value ", Quoted(value), ")", hint,
           " `kauri help all` lists all parameters.");
    }
    ignored += (ignored.empty() ? "\"" : ", \"") + name + '"';
    hints += " The parameter " + Quoted(name) + " is not known and is ignored" + hint;
  }
  if (!ignored.empty() && unknown == UnknownNames::kWarn)
    Log(LogLevel::kWarning, "Parameters: { ", ignored, " } are not used.", hints);
}

void CheckUnusedValues(std::string const& booster, std::string const& objective, ParamMap const& params) {
  auto const& registries = GetRegistries();
  std::set<std::string> read;
  AddNames(DescribeParameters<LearnerParam>(), &read);
  AddNamesOf(registries.boosters, booster, &read);
  if (booster != "gblinear") AddNamesOf(registries.boosters, "gbtree", &read);  // other boosters grow trees
  AddNamesOf(registries.objectives, objective, &read);
  for (auto const& [key, value] : params) {
    if (read.count(key) == 0) CheckUnusedValue(AllDeclaring(), key, value);
  }
}

namespace {

bool IsOfTrees(Declaring const& component) {
  return component.role == "tree_method" || component.role == "updater" ||
         (component.role == "booster" && component.name != "gblinear");
}

bool Trains(Declaring const& component) {
  return component.role == "booster" || component.role == "tree_method" || component.role == "updater";
}

bool ServesModels(Declaring const& component) { return component.role == "predictor" || component.role == "metric"; }

bool IsLinear(Declaring const& component) { return component.role == "booster" && component.name == "gblinear"; }

/// Returns the names that only boosters of one kind declare (trees or linear).
std::set<std::string> NamesOnlyOf(bool (*is_of_kind)(Declaring const&)) {
  std::set<std::string> of_kind;
  std::set<std::string> of_others;
  AddNames(DescribeParameters<LearnerParam>(), &of_others);
  for (auto const& component : AllDeclaring()) {
    AddNames(component.table, is_of_kind(component) ? &of_kind : &of_others);
  }
  for (auto const& name : of_others) of_kind.erase(name);
  return of_kind;
}

/// Returns the names that only training reads. An objective that shares a parameter with boosters (max_delta_step)
/// reads it for its gradients.
std::set<std::string> NamesOfTrainingAlone() {
  std::set<std::string> of_training;
  std::set<std::string> of_others;
  AddNames(DescribeParameters<LearnerParam>(), &of_others);
  for (auto const& component : AllDeclaring()) {
    if (Trains(component)) AddNames(component.table, &of_training);
    if (ServesModels(component)) AddNames(component.table, &of_others);
  }
  for (auto const& name : of_others) of_training.erase(name);
  return of_training;
}

}  // namespace

bool IsReadByTrainingAlone(std::string const& own_name) {
  static auto const kOfTraining = NamesOfTrainingAlone();
  return kOfTraining.count(own_name) != 0;
}

std::string ListUnread(std::string const& booster, ParamMap const& params, ParamMap const& given_names,
                       std::set<std::string>* named) {
  static auto const kOfTrees = NamesOnlyOf(IsOfTrees);
  static auto const kLinear = NamesOnlyOf(IsLinear);
  auto const& of_other_kind = booster == "gblinear" ? kOfTrees : kLinear;
  std::string unread;
  for (auto const& [name, value] : params) {
    if (of_other_kind.count(name) == 0 || !named->insert(name).second) continue;
    auto const given = given_names.find(name);
    unread += (unread.empty() ? "\"" : ", \"") + (given == given_names.end() ? name : given->second) + '"';
  }
  return unread;
}

}  // namespace kauri
