#include "cli/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "booster/config/learner_param.h"
#include "booster/model_io/model_io.h"
#include "cli/report.h"
#include "common/files/atomic_file.h"
#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char const* kAttribute = "kauri_checkpoint";
constexpr char const* kSuffix = ".model";
constexpr char const* kBestSuffix = ".best.model";
constexpr char const* kOldSuffix = ".ubj";  // checkpoints of former versions
constexpr char const* kOldBestSuffix = ".best.ubj";
constexpr std::size_t kMinDigits = 4;
constexpr std::uint64_t kMostRounds = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kShownText = 60;

std::string NumberedName(std::int64_t rounds, char const* suffix) {
  auto digits = std::to_string(rounds);
  if (digits.size() < kMinDigits) digits.insert(0, kMinDigits - digits.size(), '0');
  return digits + suffix;
}

std::string PathOf(CliParam const& cli, std::int64_t rounds, char const* suffix) {
  return (fs::path(cli.model_dir) / NumberedName(rounds, suffix)).string();
}

/// Returns the parameters that determine the model; parameters of where it runs do not.
std::map<std::string, std::string> LearningParameters(Options const& options) {
  std::map<std::string, std::string> settings;
  for (auto const& [name, value] : options.learner) {
    auto const canonical = CanonicalParameterName(name);
    if (canonical == "nthread" || canonical == "verbosity" || canonical == "device") continue;
    auto& text = settings[canonical];
    text = name == "eval_metric" && !text.empty() ? text + "," + value : value;
  }
  return settings;
}

/// Returns the number of rounds in the name of a checkpoint or of its best model; -1 for other names.
std::int64_t RoundsOfName(std::string const& name, char const* suffix) {
  auto const dot = name.find('.');
  auto const digits = name.substr(0, dot);
  auto const is_number =
      digits.size() >= kMinDigits && digits.size() < 10 && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) return -1;
  auto const rounds = std::stoll(digits);
  return NumberedName(rounds, suffix) == name ? rounds : -1;
}

std::int64_t RoundsOfCheckpoint(std::string const& name) {
  return std::max(RoundsOfName(name, kSuffix), RoundsOfName(name, kOldSuffix));
}

std::int64_t RoundsOfBest(std::string const& name) {
  return std::max(RoundsOfName(name, kBestSuffix), RoundsOfName(name, kOldBestSuffix));
}

/// Returns the path with the present suffix, or if only a former version's file exists, the path of that file.
std::string ExistingPath(CliParam const& cli, std::int64_t rounds, char const* suffix, char const* old_suffix) {
  std::error_code error;
  auto const path = PathOf(cli, rounds, suffix);
  auto const old = PathOf(cli, rounds, old_suffix);
  return !fs::exists(path, error) && fs::exists(old, error) ? old : path;
}

/// Returns the rounds of the checkpoints in a folder, descending, none above `most`.
std::vector<std::int64_t> RoundsInFolder(std::string const& folder, std::int64_t most) {
  std::vector<std::int64_t> found;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(folder, error)) {
    auto const rounds = RoundsOfCheckpoint(entry.path().filename().string());
    if (rounds >= 0 && rounds <= most) found.push_back(rounds);
  }
  if (error) Fail(ErrorKind::kIo, "model_dir=", Quoted(folder), " cannot be searched: ", error.message(), ".");
  std::sort(found.begin(), found.end(), std::greater<>());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

/// Deletes files that a kill during saving left beside the checkpoint's own: 0010.model.new-...
void RemoveHalfWritten(std::string const& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(folder, error)) {
    std::string whole;
    if (!IsReplacementName(entry.path().filename().string(), &whole)) continue;
    if (RoundsOfCheckpoint(whole) >= 0 || RoundsOfBest(whole) >= 0) found.push_back(entry.path());
  }
  for (auto const& path : found) RemoveLeftover(path.string());
}

void RequireSameParameters(std::string const& path, std::map<std::string, std::string> before,
                           std::map<std::string, std::string> now) {
  for (auto const& [name, value] : before) now.emplace(name, "");
  for (auto const& [name, value] : now) {
    if (before[name] == value) continue;
    auto const show = [](std::string const& text) { return text.empty() ? std::string("not given") : Quoted(text); };
    Fail(ErrorKind::kParameter, "the checkpoint ", Quoted(path), " was made with another ", name, " (",
         show(before[name]), ", now ", show(value), "); give the same parameters, another model_dir, or resume=false.");
  }
}

[[noreturn]] void FailDamaged(std::string const& path, std::string const& why = {}) {
  Fail(ErrorKind::kModel, "the attribute ", kAttribute, " of ", Quoted(path), " is damaged", why,
       "; delete the file to resume from an older one.");
}

/// Returns a count from the state. \throws Error(kModel) for a member that is not a whole number.
std::int64_t TakeCount(Json const& state, char const* name, std::string const& path) {
  auto const& value = state.at(name);
  auto const is_huge = value.is_number_unsigned() && value.get<std::uint64_t>() > kMostRounds;
  if (value.is_number_integer() && !is_huge) return value.get<std::int64_t>();
  FailDamaged(path, std::string(" (") + name + " is " + value.dump().substr(0, kShownText) + ")");
}

/// Checks a checkpoint. Its name holds the number of rounds of its training, that is all rounds of its model except the
/// rounds of model_in. Early stopping counts the rounds after the best. \throws Error(kModel).
void RequireSound(Checkpoint const& checkpoint, CliParam const& cli, Model const& model) {
  auto const rounds = checkpoint.rounds;
  auto const of_model = model.NumIterations();
  auto const fits = cli.model_in.empty() ? rounds == of_model : rounds <= of_model;
  if (rounds < 1 || !fits || ExistingPath(cli, rounds, kSuffix, kOldSuffix) != checkpoint.path) {
    FailDamaged(checkpoint.path,
                " (rounds is " + std::to_string(rounds) + ", and the model has " + Counted(of_model, "round") + ")");
  }
  auto const& [best, score, rounds_without] = checkpoint.best;
  auto const most = best < 0 ? rounds : of_model - 1 - best;
  if (best >= -1 && rounds_without >= 0 && rounds_without <= most && !std::isnan(score)) return;
  FailDamaged(checkpoint.path, " (best_iteration is " + std::to_string(best) + ", best_score " + NumberText(score) +
                                   ", rounds_without " + std::to_string(rounds_without) + ", and the model has " +
                                   Counted(of_model, "round") + ")");
}

/// Reads the state of a checkpoint from the attribute of `model`, the file's model. \throws nlohmann's exceptions
/// unless SaveCheckpoint wrote the attribute.
Checkpoint ReadState(Options const& options, std::string const& path, Model const& model) {
  auto const state = Json::parse(model.attributes.at(kAttribute));
  RequireSameParameters(path, state.at("parameters"), LearningParameters(options));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.rounds = TakeCount(state, "rounds", path);
  checkpoint.best.iteration = TakeCount(state, "best_iteration", path);
  checkpoint.best.score = std::stod(state.at("best_score").get<std::string>());
  checkpoint.best.rounds_without = TakeCount(state, "rounds_without", path);
  RequireSound(checkpoint, options.cli, model);
  auto const best_path = ExistingPath(options.cli, checkpoint.rounds, kBestSuffix, kOldBestSuffix);
  if (state.at("has_best_model")) checkpoint.best_model = LoadModel(best_path);
  return checkpoint;
}

}  // namespace

std::string NumberText(double value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

std::string NumberedPath(CliParam const& cli, std::int64_t rounds) { return PathOf(cli, rounds, kSuffix); }

std::string LongestCheckpointPath(CliParam const& cli) { return PathOf(cli, cli.num_round, kBestSuffix); }

void SaveCheckpoint(Options const& options, Model model, Checkpoint const& checkpoint) {
  if (checkpoint.best_model) SaveModel(*checkpoint.best_model, PathOf(options.cli, checkpoint.rounds, kBestSuffix));
  Json const state{{"rounds", checkpoint.rounds},
                   {"best_iteration", checkpoint.best.iteration},
                   {"best_score", NumberText(checkpoint.best.score)},  // JSON has no infinity
                   {"rounds_without", checkpoint.best.rounds_without},
                   {"has_best_model", checkpoint.best_model.has_value()},
                   {"parameters", LearningParameters(options)}};
  model.attributes[kAttribute] = state.dump(-1, ' ', true, Json::error_handler_t::replace);
  SaveModel(model, NumberedPath(options.cli, checkpoint.rounds));
}

Checkpoint FindCheckpoint(Options const& options) {
  if (!options.cli.resume) return {};
  if (LearningParameters(options)["process_type"] == "update") {
    Fail(ErrorKind::kParameter, "resume=true does not go with process_type=update, which needs the whole of the model ",
         "that it began with; start again with resume=false.");
  }
  RemoveHalfWritten(options.cli.model_dir);
  for (auto const rounds : RoundsInFolder(options.cli.model_dir, options.cli.num_round)) {
    auto const path = ExistingPath(options.cli, rounds, kSuffix, kOldSuffix);
    auto const model = LoadModel(path);
    auto const found = model.attributes.find(kAttribute);
    if (found == model.attributes.end()) continue;
    try {
      return ReadState(options, path, model);
    } catch (std::exception const& error) {  // an error of JSON or of a number in it
      if (dynamic_cast<Error const*>(&error) != nullptr) throw;
      FailDamaged(path);
    }
  }
  return {};
}

void ForgetCheckpoint(std::map<std::string, std::string>* attributes) { attributes->erase(kAttribute); }

}  // namespace kauri::cli
