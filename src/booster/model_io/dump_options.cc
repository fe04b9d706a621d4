#include <nlohmann/json.hpp>

#include "booster/model_io/dump_format.h"
#include "common/text/json_text.h"
#include "common/text/log.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::model_io {
namespace {

using Attributes = std::map<std::string, std::string>;

/// Returns whether the options for labels request category names.
bool NamesCategories(Attributes const& labels) {
  auto const found = labels.find("categories");
  if (found == labels.end() || found->second == "numbers") return false;
  if (found->second == "names") return true;
  Fail(ErrorKind::kParameter, "the dump shows categories as ", Quoted(found->second), "; expected names or numbers.");
}

}  // namespace

DumpOptions ParseDumpOptions(std::string const& json) {
  DumpOptions options;
  if (json.empty()) return options;
  std::map<std::string, Attributes> groups;
  try {
    ParseJsonText(json, ErrorKind::kParameter).Root().get_to(groups);
  } catch (nlohmann::json::exception const&) {
    Fail(ErrorKind::kParameter, "the options of the dump format are '", json,
         R"('; expected a JSON object such as {"graph_attrs": {"rankdir": "LR"}})");
  }
  for (auto const& [name, attributes] : groups) {
    if (name == "graph_attrs") {
      options.graph = attributes;
    } else if (name == "condition_node_params") {
      options.split_node = attributes;
    } else if (name == "leaf_node_params") {
      options.leaf_node = attributes;
    } else if (name == "labels") {
      options.names_categories = NamesCategories(attributes);
    } else if (name == "edge") {
      if (attributes.count("yes_color") != 0) options.default_color = attributes.at("yes_color");
      if (attributes.count("no_color") != 0) options.other_color = attributes.at("no_color");
    } else {
      Log(LogLevel::kWarning, "The dump format has no option '", name, "'; it is ignored.");
    }
  }
  return options;
}

}  // namespace kauri::model_io
