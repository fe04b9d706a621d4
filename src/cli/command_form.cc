#include "cli/command_form.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "booster/config/learner_param.h"
#include "booster/names/other_names.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/registry.h"
#include "kauri/version.h"

namespace kauri::cli {
namespace {

/// The keys of the files after a task's name; empty: none.
struct TaskForm {
  char const* name;
  std::array<char const*, 2> keys;
};

constexpr std::array<TaskForm, 13> kForms{{{"train", {"data", ""}},
                                           {"cv", {"data", ""}},
                                           {"pred", {"model_in", "test:data"}},
                                           {"explain", {"model_in", "test:data"}},
                                           {"leaf", {"model_in", "test:data"}},
                                           {"evaluate", {"model_in", "test:data"}},
                                           {"report", {"model_in", "test:data"}},
                                           {"verify", {"model_in", "data"}},
                                           {"convert", {"model_in", "model_out"}},
                                           {"dump", {"model_in", ""}},
                                           {"importance", {"model_in", ""}},
                                           {"summary", {"data", ""}},
                                           {"check", {"model_in", ""}}}};

TaskForm const* FindForm(std::string const& name) {
  auto const* const found =
      std::find_if(kForms.begin(), kForms.end(), [&](auto const& form) { return form.name == name; });
  return found == kForms.end() ? nullptr : found;
}

std::string FormText(TaskForm const& form) {
  std::string text = form.name;
  for (std::string const key : form.keys) {
    if (!key.empty()) text += " " + key;
  }
  return text;
}

bool IsFile(std::string const& argument) {
  auto const equals = argument.find('=');
  return equals == std::string::npos || argument.find('?') < equals;
}

std::vector<Setting> ReadTask(TaskForm const& form, std::vector<std::string> const& arguments) {
  std::vector<Setting> settings{{"task", form.name, "argument " + Quoted(form.name), true}};
  std::size_t n_files = 0;
  for (std::size_t index = 1; index < arguments.size(); ++index) {
    auto const& argument = arguments[index];
    if (!IsFile(argument)) {
      settings.push_back(ParseArgument(argument));
    } else if (n_files < form.keys.size() && *form.keys[n_files] != '\0') {
      settings.push_back({form.keys[n_files++], argument, "argument " + Quoted(argument), true});
    } else {
      Fail(ErrorKind::kParameter, "argument ", Quoted(argument), " is one file too many: expected kauri ",
           FormText(form), ", then key=value.");
    }
  }
  return settings;
}

/// Refuses a first word that is neither a file nor a task, with the nearest name.
void RefuseMisspeltTask(std::string const& word) {
  std::error_code error;
  if (std::filesystem::exists(word, error)) return;
  std::vector<std::string> names;
  for (auto const& form : kForms) names.emplace_back(form.name);
  auto const nearest = NearestName(word, names);
  if (nearest.empty()) return;
  Fail(ErrorKind::kParameter, Quoted(word), " is neither a task nor a configuration file; did you mean ",
       Quoted(nearest), "?");
}

}  // namespace

std::vector<Setting> ReadSettings(std::vector<std::string> const& arguments) {
  if (auto const* form = FindForm(arguments[0])) return ReadTask(*form, arguments);
  std::vector<Setting> settings;
  std::size_t first = 0;
  if (arguments[0].find('=') == std::string::npos) {
    RefuseMisspeltTask(arguments[0]);
    settings = ReadConfig(arguments[0]);
    first = 1;
  }
  for (auto index = first; index < arguments.size(); ++index) settings.push_back(ParseArgument(arguments[index]));
  return settings;
}

std::vector<std::string> TaskForms() {
  std::vector<std::string> forms;
  for (auto const& form : kForms) forms.push_back(FormText(form));
  return forms;
}

namespace {

constexpr std::size_t kLineWidth = 100;

/// Prints words on lines of at most kLineWidth characters, each line indented.
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

/// Returns {'a', 'b'} as {a, b}, which takes fewer lines.
std::string WithoutQuotes(std::string type) {
  type.erase(std::remove(type.begin(), type.end(), '\''), type.end());
  return type;
}

/// Returns the name to show; only one name cannot be declared as it is written.
std::string ShownName(std::string const& own_name) { return own_name == "test_path" ? "test:data" : own_name; }

void PrintTable(std::string const& heading, ParameterTable const& table, std::ostream* out) {
  *out << '\n' << heading << '\n';
  for (auto const& info : table) {
    auto head = ShownName(info.name) + " (" + WithoutQuotes(info.type);
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

/// Prints the tables; adjacent ones with the same parameters share one table.
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

/// Prints the keys after the '?' of a data path, for each format that has keys.
void PrintDataKeys(Registry<ReaderFactory> const& readers, std::ostream* out) {
  for (auto const& entry : readers.Entries()) {
    if (entry.parameters != nullptr) PrintTable("Data keys of format=" + entry.name, entry.parameters(), out);
  }
}

/// Returns the devices, or else the reason why there are none.
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

constexpr char const* kEvalName = "eval[NAME]";
constexpr char const* kEvalText = "Data that is evaluated every round under this name.";

/// Returns the first sentence, with its full stop; ".. " ends no sentence.
std::string FirstSentence(std::string const& text) {
  auto end = text.find(". ");
  while (end != std::string::npos && end > 0 && text[end - 1] == '.') end = text.find(". ", end + 1);
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// Prints the entries of a table that the task reads and that are not in `shown`, and adds them to `shown`.
void PrintRead(ParameterTable const& table, int task, std::set<std::string>* shown, std::ostream* out) {
  for (auto const& info : table) {
    if (!IsReadBy(info.name, task) || !shown->insert(info.name).second) continue;
    *out << "  " << ShownName(info.name) << '\n';
    PrintWrapped(FirstSentence(info.description), 6, out);
  }
}

int FindTask(std::string const& name) {
  auto const tasks = AllTasks();
  std::vector<std::string> names;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].name == name) return static_cast<int>(task);
    names.push_back(tasks[task].name);
  }
  Fail(ErrorKind::kParameter, "help: ", Quoted(name), " is not a task", HintFor(name, names),
       " kauri help lists them.");
}

}  // namespace

void PrintTasks(std::ostream* out) {
  *out << "\nTasks\n";
  for (auto const& [name, line] : AllTasks()) {
    *out << "  " << name << std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') << line << '\n';
  }
  *out << "\nkauri help TASK lists the keys of a task, kauri --help all keys with their types and defaults.\n";
}

void PrintTaskHelp(std::string const& name, std::ostream* out) {
  auto const task = FindTask(name);
  for (auto const& form : TaskForms()) {
    if (form.substr(0, form.find(' ')) == name) *out << "usage: kauri " << form << " [key=value ...]\n";
  }
  *out << AllTasks()[static_cast<std::size_t>(task)].line << "\n\nKeys\n";
  std::set<std::string> shown;
  PrintRead(DescribeParameters<CliParam>(), task, &shown, out);
  if (IsReadBy(kEvalName, task)) {
    *out << "  " << kEvalName << '\n';
    PrintWrapped(kEvalText, 6, out);
  }
  *out << "\nParameters\n";
  for (auto const& [heading, table] : AllParameters()) PrintRead(table, task, &shown, out);
}

void PrintUsage(std::ostream* out) {
  *out << "usage: kauri CONFIG [key=value ...]\n"
          "       kauri TASK [FILE ...] [key=value ...]\n"
          "       kauri help [TASK] | --help | --version\n\n";
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
  auto const plugin = GetCudaPluginStatus();  // before the registries are read, because it adds entries
  PrintUsage(out);
  PrintTasks(out);
  PrintTable("Command line", DescribeParameters<CliParam>(), out);
  *out << "  " << kEvalName << " (string, repeatable)\n";
  PrintWrapped(kEvalText, 6, out);
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
