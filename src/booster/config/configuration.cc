#include "booster/config/configuration.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

/// Replaces a parameter's own name in a message by the user's name. Components that read a parameter know only its own.
std::string WithGivenNames(std::string message, ParamMap const& given_names) {
  std::string const before = "parameter ";
  for (auto const& [name, given] : given_names) {
    auto const found = message.find(before + name + "=");
    if (found != std::string::npos) message.replace(found + before.size(), name.size(), given);
  }
  return message;
}

/// Returns whether a model has the base score in the parameters; true if they have none.
bool SaysBaseScore(Model const& model, ParamMap const& params) {
  auto const found = params.find("base_score");
  auto const given = found == params.end() ? std::vector<float>() : ParseBaseScore(found->second);
  if (given.empty() || given == model.base_score) return true;
  auto const differs = [&](float score) { return score != given.front(); };
  auto const is_one = given.size() == 1 || model.IsLinear();  // see StartMargins
  return is_one && std::none_of(model.base_score.begin(), model.base_score.end(), differs);
}

/// Returns numbers as a parameter gives them: 0.5 or [0.2,0.3].
std::string TextOfNumbers(std::vector<float> const& numbers) {
  std::ostringstream text;
  if (numbers.size() != 1) text << '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) text << (i == 0 ? "" : ",") << numbers[i];
  if (numbers.size() != 1) text << ']';
  return text.str();
}

/// Returns whether two texts are equal as text or as numbers.
bool AreSameValue(std::string const& a, std::string const& b) {
  if (a == b) return true;
  if (a.empty() || b.empty()) return false;
  char* end_a = nullptr;
  char* end_b = nullptr;
  auto const number_a = std::strtod(a.c_str(), &end_a);
  auto const number_b = std::strtod(b.c_str(), &end_b);
  return *end_a == '\0' && *end_b == '\0' && number_a == number_b;
}

}  // namespace

Configuration::Configuration(Configuration const& other) {
  std::lock_guard<std::mutex> const lock(other.mutex_);
  given_ = other.given_;
  settings_ = other.settings_;
}

std::string Configuration::Set(std::string const& name, std::string const& value, GivenBy whom) {
  if (whom == GivenBy::kUser) ResolveQuietly();
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  if (name == "eval_metric") {
    auto& names = settings_.metric_names;
    if (!value.empty() && std::find(names.begin(), names.end(), value) == names.end()) names.push_back(value);
    return name;
  }
  auto const adapted = AdaptParameter(name, value);
  auto const is_noted = whom == GivenBy::kUser;
  if (is_noted && !adapted.note.empty()) settings_.notes.push_back(adapted.note);
  if (adapted.name.empty()) return {};
  auto const is_of_trees =
      adapted.name == "updater" && !value.empty() && value != "coord_descent" && value != "shotgun";
  if (is_noted && is_of_trees && settings_.client.habits == Habits::kXgboost) {
    settings_.notes.push_back("You have manually specified the `updater` parameter, here " + Quoted(value) +
                              "; tree_method says how trees are built, and is what most want.");
  }
  settings_.params[adapted.name] = adapted.value;
  settings_.given_names[adapted.name] = name;
  if (is_noted) NoteGiven(adapted.name, name, value);
  return adapted.name;
}

void Configuration::NoteGiven(std::string const& own_name, std::string const& name, std::string const& value) {
  auto& given = given_[own_name];
  auto const is_settled = given.name.empty() || given.name == name || !given.conflict.empty();
  if (is_settled || AreSameValue(given.value, value)) {
    given = {name, value, ""};
    return;
  }
  given.conflict = "parameters " + given.name + "=" + given.value + " and " + name + "=" + value +
                   " are two names of one parameter with different values; give one of them.";
}

void Configuration::ReportConflicts() const {
  for (auto const& [own_name, given] : given_) {
    if (given.conflict.empty()) continue;
    if (settings_.client.habits != Habits::kXgboost) Fail(ErrorKind::kParameter, given.conflict);
    settings_.notes.push_back(given.conflict + " The last one is used.");
  }
}

void Configuration::Settle() {
  std::lock_guard<std::mutex> const lock(mutex_);
  ReportConflicts();
  given_.clear();
}

void Configuration::SetCollective(std::shared_ptr<Collective> collective) {
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  settings_.collective = std::move(collective);
}

void Configuration::KeepDefaultMetric() {
  if (settings_.client.habits != Habits::kXgboost) return;
  auto const parts = Resolve();
  if (parts->metric_names.empty() && !parts->metrics.empty()) Set("eval_metric", parts->objective->DefaultMetric());
}

void Configuration::TakeFrom(Model const& loaded) {
  GetRegistries().objectives.Find(loaded.objective);  // unknown: the leaves have no meaning, whatever the user has set
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  auto& of_model = settings_.of_model;
  of_model = {{"objective", loaded.objective}, {"booster", loaded.booster}};
  for (auto const& [name, value] : loaded.objective_params) {
    if (IsKnownParameter(name)) of_model[name] = value;  // parameters of old versions may be gone
  }
  if (loaded.n_parallel_trees > 1) of_model["num_parallel_tree"] = std::to_string(loaded.n_parallel_trees);
  settings_.overriding.clear();
  if (loaded.NumIterations() == 0 || SaysBaseScore(loaded, settings_.params)) return;
  auto const base_score = settings_.params.extract("base_score");
  settings_.notes.push_back("base_score=" + Quoted(base_score.mapped()) +
                            " was set before a model was loaded that has " +
                            "another one; the model keeps its own. Set base_score after loading to change it.");
}

bool Configuration::AgreesWithBaseScore(Model const& model) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return SaysBaseScore(model, settings_.params);
}

void Configuration::NoteBaseScore(Model const& model) {
  std::lock_guard<std::mutex> const lock(mutex_);
  try {
    if (SaysBaseScore(model, settings_.params)) return;
  } catch (Error const&) {  // the next use of the parameters reports the error
    return;
  }
  settings_.notes.push_back("base_score=" + settings_.params.at("base_score") + " was set, and takes the place of " +
                            TextOfNumbers(model.base_score) +
                            ", which the model was trained with: all its predictions change, also those of its " +
                            "earlier rounds; leave it out to go on with the model as it is.");
}

void Configuration::RemoveKnown(ParamMap* of_model) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  for (auto const& [name, value] : settings_.of_model) {
    auto const found = of_model->find(name);
    if (found != of_model->end() && found->second == value) of_model->erase(found);
  }
}

void Configuration::Restore(ParamMap of_model) {
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  settings_.of_model = std::move(of_model);
  settings_.notes.clear();
  settings_.is_quiet = true;
}

void Configuration::ResolveQuietly() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (!settings_.is_quiet) return;
  try {
    components_ = MakeComponents(&settings_);
  } catch (Error const&) {  // the next use of the parameters reports the error
    settings_.is_quiet = false;
  }
}

std::shared_ptr<Components const> Configuration::Resolve() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (components_ != nullptr) return components_;
  ReportConflicts();
  try {
    components_ = MakeComponents(&settings_);
    given_.clear();
  } catch (Error const& error) {
    throw Error(error.Kind(), WithGivenNames(error.what(), settings_.given_names));
  }
  return components_;
}

}  // namespace kauri
