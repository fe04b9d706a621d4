#include "booster/configuration.h"

#include <algorithm>

#include "booster/parameter_check.h"

namespace kauri {

Configuration::Configuration(Configuration const& other) {
  std::lock_guard<std::mutex> const lock(other.mutex_);
  settings_ = other.settings_;
}

std::string Configuration::Set(std::string const& name, std::string const& value) {
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  if (name == "eval_metric") {
    auto& names = settings_.metric_names;
    if (!value.empty() && std::find(names.begin(), names.end(), value) == names.end()) names.push_back(value);
    return name;
  }
  auto const adapted = AdaptParameter(name, value);
  if (!adapted.note.empty()) settings_.notes.push_back(adapted.note);
  if (!adapted.name.empty()) settings_.params[adapted.name] = adapted.value;
  return adapted.name;
}

void Configuration::TakeFrom(Model const& loaded) {
  std::lock_guard<std::mutex> const lock(mutex_);
  components_.reset();
  auto& params = settings_.params;
  params.erase("num_class");  // the model's, if it has classes
  params["objective"] = loaded.objective;
  params["booster"] = loaded.booster;
  for (auto const& [name, value] : loaded.objective_params) params[name] = value;
  if (loaded.n_parallel_trees > 1) params["num_parallel_tree"] = std::to_string(loaded.n_parallel_trees);
}

std::shared_ptr<Components const> Configuration::Resolve() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (components_ == nullptr) components_ = MakeComponents(&settings_);
  return components_;
}

}  // namespace kauri
