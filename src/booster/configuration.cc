#include "booster/configuration.h"

#include <algorithm>
#include <utility>

#include "booster/parameter_check.h"
#include "common/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Who reads a parameter knows it by its own name alone; the message calls it what the user does.
std::string WithGivenNames(std::string message, ParamMap const& given_names) {
  std::string const before = "parameter ";
  for (auto const& [name, given] : given_names) {
    auto const found = message.find(before + name + "=");
    if (found != std::string::npos) message.replace(found + before.size(), name.size(), given);
  }
  return message;
}

}  // namespace

Configuration::Configuration(Configuration const& other) {
  std::lock_guard<std::mutex> const lock(other.mutex_);
  settings_ = other.settings_;
}

std::string Configuration::Set(std::string const& name, std::string const& value, GivenBy whom) {
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
  return adapted.name;
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
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  auto& params = settings_.params;
  params.erase("num_class");  // the model's, if it has classes
  params["objective"] = loaded.objective;
  params["booster"] = loaded.booster;
  for (auto const& [name, value] : loaded.objective_params) {
    if (IsKnownParameter(name)) params[name] = value;  // those of old versions may be gone
  }
  if (loaded.n_parallel_trees > 1) params["num_parallel_tree"] = std::to_string(loaded.n_parallel_trees);
}

std::shared_ptr<Components const> Configuration::Resolve() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (components_ != nullptr) return components_;
  try {
    components_ = MakeComponents(&settings_);
  } catch (Error const& error) {
    throw Error(error.Kind(), WithGivenNames(error.what(), settings_.given_names));
  }
  return components_;
}

}  // namespace kauri
