#include "cli/help.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "booster/config/learner_param.h"
#include "booster/config/parameter_check.h"
#include "booster/names/other_names.h"
#include "cli/command_form.h"
#include "cli/help_sections.h"
#include "cli/options.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/plugin.h"
#include "kauri/version.h"

namespace kauri::cli {
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

/// Prints two columns; the second begins at `width`.
void PrintRow(std::string const& name, std::string const& text, std::size_t width, std::ostream* out) {
  *out << "  " << name << std::string(name.size() < width ? width - name.size() : 1, ' ') << text << '\n';
}

std::string Joined(std::vector<std::string> const& names) {
  std::string text;
  for (auto const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Returns {'a', 'b'} as {a, b}, which takes fewer lines.
std::string WithoutQuotes(std::string type) {
  type.erase(std::remove(type.begin(), type.end(), '\''), type.end());
  return type;
}

/// Returns the name to show; only one name cannot be declared as it is written.
std::string ShownName(std::string const& own_name) { return own_name == "test_path" ? "test:data" : own_name; }

std::string ShownDefault(ParameterInfo const& info) {
  if (info.type != "boolean") return info.default_value;
  return info.default_value == "0" ? "false" : "true";
}

void PrintEntry(ParameterInfo const& info, std::ostream* out) {
  auto head = ShownName(info.name) + " (" + WithoutQuotes(info.type);
  if (!info.bounds.empty()) head += ", " + info.bounds;
  if (!info.default_value.empty()) head += ", default " + ShownDefault(info);
  PrintWrapped(head + ")", 2, out);
  auto const aliases = AliasesOf(info.name);
  PrintWrapped(info.description + (aliases.empty() ? "" : " Also " + Joined(aliases) + "."), 6, out);
}

void PrintTable(std::string const& heading, ParameterTable const& table, std::ostream* out) {
  *out << '\n';
  PrintWrapped(heading, 0, out);
  for (auto const& info : table) PrintEntry(info, out);
}

/// Prints the names of a list, or only those that are equal to `name`.
bool PrintNames(NameList const& list, std::string const& name, std::ostream* out) {
  auto is_first = true;
  for (auto const& entry : list.entries) {
    if (!name.empty() && entry.name != name) continue;
    if (is_first) *out << '\n' << list.heading << '\n';
    is_first = false;
    *out << "  " << entry.name << '\n';
    PrintWrapped(entry.text, 6, out);
  }
  return !is_first;
}

void PrintOtherNames(OtherNames const& list, std::ostream* out) {
  *out << "\nOther libraries' names of " << list.heading << '\n';
  for (auto const& [names, cure] : list.entries) {
    PrintWrapped(Joined(names), 2, out);
    PrintWrapped(cure + ".", 6, out);
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

/// Returns the number of a task; -1 if there is none of the name.
int TaskNamed(std::string const& name) {
  auto const tasks = AllTasks();
  auto const found = std::find_if(tasks.begin(), tasks.end(), [&](TaskInfo const& task) { return task.name == name; });
  return found == tasks.end() ? -1 : static_cast<int>(found - tasks.begin());
}

void PrintUsage(std::ostream* out) {
  *out << "usage: kauri TASK [FILE ...] [key=value ...]\n"
          "       kauri CONFIG [key=value ...]\n"
          "       kauri help [TASK | PARAMETER | all]\n";
}

void PrintAbout(std::ostream* out) {
  std::string forms;
  for (auto const& form : TaskForms()) forms += (forms.empty() ? "" : ", ") + form;
  *out << '\n';
  PrintWrapped(
      "CONFIG has one `key = value` per line; # begins a comment. Later settings override earlier ones, and arguments "
      "override the file. After the name of a task files stand for keys: " +
          forms +
          "; a CONFIG of such a name is written ./NAME. Metrics go to standard output, messages to standard error; the "
          "exit status is 0 only when all was done.",
      0, out);
}

void PrintTasks(std::ostream* out) {
  constexpr std::size_t kWidth = 12;
  *out << "\nTasks\n";
  for (auto const& [name, line] : AllTasks()) PrintRow(name, line, kWidth, out);
}

void PrintEverything(std::ostream* out) {
  auto const plugin = GetCudaPluginStatus();  // before the registries are read, because it adds entries
  PrintUsage(out);
  PrintAbout(out);
  PrintTasks(out);
  for (auto const& [heading, table] : AllSections()) PrintTable(heading, table, out);
  for (auto const& list : AllNameLists()) PrintNames(list, "", out);
  for (auto const& list : AllOtherNames()) PrintOtherNames(list, out);
  PrintPlugin(plugin, out);
}

/// Prints every declaration and every registered name that a topic stands for. Returns whether there is one.
bool PrintTopic(std::string const& topic, std::ostream* out) {
  auto const own_name = OwnName(topic);
  auto is_known = false;
  for (auto const& [heading, table] : AllSections()) {
    ParameterTable found;
    std::copy_if(table.begin(), table.end(), std::back_inserter(found),
                 [&own = own_name](ParameterInfo const& info) { return info.name == own; });
    if (found.empty()) continue;
    is_known = true;
    PrintTable(heading, found, out);
    auto const readers = heading == "Command line" ? TasksThatRead(own_name) : std::string();
    if (!readers.empty()) PrintWrapped("Read by " + readers + ".", 6, out);
  }
  for (auto const& list : AllNameLists()) {
    if (PrintNames(list, own_name == list.parameter ? "" : topic, out)) is_known = true;
  }
  return is_known;
}

/// Returns every name on which there is help.
std::vector<std::string> AllTopics() {
  auto names = KnownParameterNames();
  for (auto const& task : AllTasks()) names.push_back(task.name);
  for (auto const& [heading, table] : AllSections()) {
    for (auto const& info : table) names.push_back(ShownName(info.name));
  }
  for (auto const& list : AllNameLists()) {
    for (auto const& entry : list.entries) names.push_back(entry.name);
  }
  return names;
}

/// A parameter as the short help shows it.
struct ShownParameter {
  char const* name;
  char const* text;
};

constexpr std::array<ShownParameter, 14> kShownParameters{
    {{"objective", "binary:logistic, multi:softprob, rank:ndcg, ..."},
     {"num_round", "Number of trees, or of rounds of trees."},
     {"eta", "Learning rate. Also learning_rate."},
     {"max_depth", "Largest depth of a tree; 0: no limit."},
     {"min_child_weight", "Smallest sum of hessians in a leaf."},
     {"subsample", "Fraction of the rows for each tree."},
     {"colsample_bytree", "Fraction of the columns for each tree."},
     {"lambda", "L2 regularisation. Also reg_lambda."},
     {"eval[NAME]", "Data to evaluate after every round."},
     {"eval_metric", "auc, logloss, rmse, ndcg, ..."},
     {"early_stopping_rounds", "Rounds without improvement; 0: never stop early."},
     {"nthread", "Number of threads; 0: all processors."},
     {"device", "cpu, cuda, cuda:1 or cuda:all."},
     {"seed", "Seed of all random choices."}}};

/// Returns "eta=0.3", or the name alone where there is no default.
std::string WithDefault(std::string const& name, std::vector<Section> const& sections) {
  for (auto const& [heading, table] : sections) {
    for (auto const& info : table) {
      if (info.name == name) return info.default_value.empty() ? name : name + "=" + ShownDefault(info);
    }
  }
  return name;
}

/// Returns a task's form with capital letters for its files: "verify MODEL DATA".
std::string ShortForm(std::string const& name) {
  for (auto const& form : TaskForms()) {
    std::istringstream words(form);
    std::string word;
    words >> word;
    if (word != name) continue;
    for (auto text = name;; text += word == "model_in" ? " MODEL" : word == "model_out" ? " NEW_MODEL" : " DATA") {
      if (!(words >> word)) return text;
    }
  }
  return name;
}

}  // namespace

void PrintShortHelp(std::ostream* out) {
  constexpr std::size_t kTaskWidth = 25;
  constexpr std::size_t kParameterWidth = 29;
  PrintUsage(out);
  *out << "\nTasks\n";
  for (auto const& [name, line] : AllTasks()) PrintRow(ShortForm(name), line, kTaskWidth, out);
  *out << "\nThe most common parameters of train, with their defaults\n";
  auto const sections = AllSections();
  for (auto const& [name, text] : kShownParameters) PrintRow(WithDefault(name, sections), text, kParameterWidth, out);
  *out << "\nExamples\n"
          "  kauri train 'houses.csv?label_column=price' num_round=200 eta=0.1\n"
          "  kauri pred model.json new_houses.csv name_pred=stdout\n"
          "\nkauri help TASK or kauri help PARAMETER says more, kauri help all everything.\n";
}

void PrintTaskHelp(std::string const& name, std::ostream* out) {
  auto const task = TaskNamed(name);
  for (auto const& form : TaskForms()) {
    if (form.substr(0, form.find(' ')) == name) *out << "usage: kauri " << form << " [key=value ...]\n";
  }
  *out << AllTasks()[static_cast<std::size_t>(task)].line << "\n\nKeys\n";
  std::set<std::string> shown;
  auto const sections = AllSections();
  PrintRead(sections.front().second, task, &shown, out);
  *out << "\nParameters\n";
  for (auto const& [heading, table] : ParameterSections()) PrintRead(table, task, &shown, out);
}

void PrintHelpOn(std::string const& topic, std::ostream* out) {
  if (topic.empty()) return PrintShortHelp(out);
  if (topic == "all") return PrintEverything(out);
  if (TaskNamed(topic) >= 0) return PrintTaskHelp(topic, out);
  GetCudaPluginStatus();  // loads the plug-in, which adds names
  std::ostringstream text;
  if (PrintTopic(topic, &text)) {
    *out << text.str().substr(1);  // without the empty line before the first heading
    return;
  }
  auto const note = AdaptParameter(topic, "").note;
  if (!note.empty()) {
    PrintWrapped(note, 0, out);
    return;
  }
  Fail(ErrorKind::kParameter, "help: ", Quoted(topic), " is neither a task nor a parameter",
       HintFor(topic, AllTopics()), " kauri help lists the tasks, kauri help all lists everything.");
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
