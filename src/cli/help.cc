#include "cli/help.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "booster/learner_param.h"
#include "cli/command_form.h"
#include "cli/options.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"
#include "kauri/version.h"

namespace kauri::cli {
namespace {

constexpr std::size_t kLineWidth = 100;

/// Words on lines of at most kLineWidth characters, each line indented.
void PrintWrapped(std::string const& text, std::size_t indent, std::ostream* out) {
  std::istringstream words(text);
  std::string word;
  std::size_t column = 0;
  while (words >> word) {
    if (column > 0 && column + 1 + word.size() > kLineWidth) {
      *out << '\n';
      column = 0;
    }
    *out << (column == 0 ? std::string(indent, ' ') : " ") << word;
    column += (column == 0 ? indent : 1) + word.size();
  }
  *out << '\n';
}

/// {'a', 'b'} as {a, b}, which takes fewer lines.
std::string WithoutQuotes(std::string type) {
  type.erase(std::remove(type.begin(), type.end(), '\''), type.end());
  return type;
}

void PrintTable(std::string const& heading, ParameterTable const& table, std::ostream* out) {
  *out << '\n' << heading << '\n';
  for (auto const& info : table) {
    // The one name that cannot be declared as it is written.
    auto head = (info.name == "test_path" ? "test:data" : info.name) + " (" + WithoutQuotes(info.type);
    if (!info.bounds.empty()) head += ", " + info.bounds;
    if (!info.default_value.empty()) head += ", default " + info.default_value;
    PrintWrapped(head + ")", 2, out);
    PrintWrapped(info.description, 6, out);
  }
}

bool SameTable(ParameterTable const& a, ParameterTable const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](ParameterInfo const& x, ParameterInfo const& y) {
    return x.name == y.name && x.default_value == y.default_value && x.description == y.description;
  });
}

/// Neighbours that declare the same parameters share one table.
void PrintTables(std::vector<std::pair<std::string, ParameterTable>> const& tables, std::ostream* out) {
  for (std::size_t first = 0; first < tables.size();) {
    auto heading = tables[first].first;
    auto next = first + 1;
    for (; next < tables.size() && SameTable(tables[first].second, tables[next].second); ++next) {
      auto const& other = tables[next].first;
      heading += ", " + other.substr(other.find(' ') + 1);
    }
    PrintTable(heading, tables[first].second, out);
    first = next;
  }
}

template <typename Factory>
void PrintNames(std::string const& heading, Registry<Factory> const& registry, std::ostream* out) {
  *out << '\n' << heading << '\n';
  for (auto const& entry : registry.Entries()) {
    *out << "  " << entry.name << '\n';
    PrintWrapped(entry.description, 6, out);
  }
}

/// What stands behind the '?' of a path of data, for each format that has keys.
void PrintDataKeys(Registry<ReaderFactory> const& readers, std::ostream* out) {
  for (auto const& entry : readers.Entries()) {
    if (entry.parameters != nullptr) PrintTable("Data keys of format=" + entry.name, entry.parameters(), out);
  }
}

/// The devices, or in their place why there are none.
std::vector<std::string> DeviceLines(PluginStatus const& status) {
  std::vector<std::string> lines;
  std::istringstream text(status.problem.empty() ? status.devices : status.problem);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

void PrintPlugin(PluginStatus const& status, std::ostream* out) {
  *out << "\nCUDA plug-in\n";
  if (status.loaded) *out << "  " << status.path << '\n';
  for (auto const& line : DeviceLines(status)) PrintWrapped(line, status.loaded ? 6 : 2, out);
}

}  // namespace

void PrintUsage(std::ostream* out) {
  *out << "usage: kauri CONFIG [key=value ...]\n"
          "       kauri TASK [FILE ...] [key=value ...]\n"
          "       kauri --help | --version\n\n";
  std::string forms;
  for (auto const& form : TaskForms()) forms += (forms.empty() ? "" : ", ") + form;
  PrintWrapped(
      "CONFIG has one `key = value` per line; # begins a comment. Later settings override earlier ones, and arguments "
      "override the file. After the name of a task files stand for keys: " +
          forms +
          "; a CONFIG of such a name is written ./NAME. Metrics go to standard output, messages to standard error; the "
          "exit status is 0 only when all was done.",
      0, out);
}

void PrintHelp(std::ostream* out) {
  auto const plugin = GetCudaPluginStatus();  // before the registries are read: it adds to them
  PrintUsage(out);
  PrintTable("Command line", DescribeParameters<CliParam>(), out);
  *out << "  eval[NAME] (string, repeatable)\n"
          "      Data that is evaluated every round under this name.\n";
  PrintTables(AllParameters(), out);
  auto const& registries = GetRegistries();
  PrintNames("Data formats", registries.readers, out);
  PrintDataKeys(registries.readers, out);
  PrintNames("Boosters", registries.boosters, out);
  PrintNames("Tree methods", registries.tree_methods, out);
  PrintNames("Updaters", registries.tree_updaters, out);
  PrintNames("Objectives", registries.objectives, out);
  PrintNames("Metrics", registries.metrics, out);
  PrintPlugin(plugin, out);
}

void PrintVersion(std::ostream* out) {
  *out << "kauri " << KAURI_VERSION << '\n';
  auto const* heading = "CUDA: ";
  for (auto const& line : DeviceLines(GetCudaPluginStatus())) {
    *out << heading << line << '\n';
    heading = "      ";
  }
}

}  // namespace kauri::cli
