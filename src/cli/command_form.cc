#include "cli/command_form.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "common/text/quoted.h"
#include "kauri/error.h"
#include "kauri/parameter.h"

namespace kauri::cli {
namespace {

/// The keys of the files after a task's name; empty: none.
struct TaskForm {
  char const* name;
  std::array<char const*, 2> keys;
};

constexpr std::array<TaskForm, 14> kForms{{{"train", {"data", ""}},
                                           {"cv", {"data", ""}},
                                           {"pred", {"model_in", "test:data"}},
                                           {"explain", {"model_in", "test:data"}},
                                           {"leaf", {"model_in", "test:data"}},
                                           {"evaluate", {"model_in", "test:data"}},
                                           {"report", {"model_in", "test:data"}},
                                           {"verify", {"model_in", "data"}},
                                           {"convert", {"model_in", "model_out"}},
                                           {"export", {"model_in", "model_out"}},
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

/// Returns the last setting of a key; nullptr if it is not given.
Setting const* LastOf(std::vector<Setting> const& settings, std::string const& key) {
  auto const found =
      std::find_if(settings.rbegin(), settings.rend(), [&](Setting const& setting) { return setting.key == key; });
  return found == settings.rend() ? nullptr : &*found;
}

/// Adds model_out, model.json in model_dir, if it is not given. A configuration file leaves it out for XGBoost's name,
/// the number of rounds.
void NameModel(std::vector<Setting>* settings) {
  if (LastOf(*settings, "model_out") != nullptr) return;
  auto const* folder = LastOf(*settings, "model_dir");
  auto const path = std::filesystem::path(folder == nullptr ? std::string() : folder->value) / "model.json";
  settings->push_back({"model_out", path.string(), "the default", true});
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
  if (settings.front().value == "train") NameModel(&settings);
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

}  // namespace kauri::cli
