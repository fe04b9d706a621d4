#include "cli/help_sections.h"

#include <algorithm>

#include "booster/config/learner_param.h"
#include "cli/options.h"
#include "kauri/registry.h"

namespace kauri::cli {
namespace {

constexpr char const* kEvalName = "eval[NAME]";
constexpr char const* kEvalText = "Data that is evaluated every round under this name.";

/// A parameter and the components that declare it alike: {"tree_method exact", "tree_method hist"}.
struct SharedParameter {
  ParameterInfo info;
  std::vector<std::string> components;
};

bool AreAlike(ParameterInfo const& a, ParameterInfo const& b) {
  return a.name == b.name && a.default_value == b.default_value && a.description == b.description;
}

/// Returns every parameter of the components once.
std::vector<SharedParameter> SharedParameters() {
  std::vector<SharedParameter> all;
  for (auto const& [component, table] : AllParameters()) {
    for (auto const& info : table) {
      auto const same = [&known = info](SharedParameter const& other) { return AreAlike(other.info, known); };
      auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end()) found = all.insert(all.end(), {info, {}});
      found->components.push_back(component);
    }
  }
  return all;
}

/// Returns "tree_method exact, hist; metric ndcg" for "tree_method exact", "tree_method hist" and "metric ndcg".
std::string HeadingOf(std::vector<std::string> const& components) {
  std::string heading;
  std::string last_role;
  for (auto const& component : components) {
    auto const role = component.substr(0, component.find(' '));
    auto const is_same = role == last_role;
    if (!heading.empty()) heading += is_same ? ", " : "; ";
    heading += is_same ? component.substr(role.size() + 1) : component;
    last_role = role;
  }
  return heading;
}

template <typename Factory>
NameList ListOf(std::string heading, std::string parameter, Registry<Factory> const& registry) {
  NameList list{std::move(heading), std::move(parameter)};
  for (auto const& entry : registry.Entries()) list.entries.push_back({entry.name, entry.description});
  return list;
}

}  // namespace

std::vector<Section> ParameterSections() {
  std::vector<Section> sections;
  for (auto const& [info, components] : SharedParameters()) {
    auto const heading = HeadingOf(components);
    auto const same = [&](Section const& section) { return section.first == heading; };
    auto found = std::find_if(sections.begin(), sections.end(), same);
    if (found == sections.end()) found = sections.insert(sections.end(), {heading, {}});
    found->second.push_back(info);
  }
  return sections;
}

std::vector<Section> AllSections() {
  auto keys = DescribeParameters<CliParam>();
  keys.push_back({kEvalName, "string", "", "repeatable", kEvalText});
  std::vector<Section> sections{{"Command line", std::move(keys)}};
  for (auto& section : ParameterSections()) sections.push_back(std::move(section));
  for (auto const& entry : GetRegistries().readers.Entries()) {
    if (entry.parameters != nullptr) sections.emplace_back("Data keys of format=" + entry.name, entry.parameters());
  }
  return sections;
}

std::vector<NameList> AllNameLists() {
  auto const& registries = GetRegistries();
  return {ListOf("Data formats", "format", registries.readers),
          ListOf("Boosters", "booster", registries.boosters),
          ListOf("Tree methods", "tree_method", registries.tree_methods),
          ListOf("Updaters", "updater", registries.tree_updaters),
          ListOf("Objectives", "objective", registries.objectives),
          ListOf("Metrics", "eval_metric", registries.metrics)};
}

}  // namespace kauri::cli
