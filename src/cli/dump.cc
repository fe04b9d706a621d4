#include "booster/model_io/dump.h"

#include "booster/learner.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"

namespace kauri::cli {
namespace {

void WriteText(std::vector<std::string> const& trees, std::ostream* out) {
  for (std::size_t tree = 0; tree < trees.size(); ++tree) *out << "booster[" << tree << "]:\n" << trees[tree];
}

void WriteJson(std::vector<std::string> const& trees, std::ostream* out) {
  *out << "[\n";
  for (std::size_t tree = 0; tree < trees.size(); ++tree) *out << (tree == 0 ? "" : ",\n") << trees[tree];
  *out << "\n]\n";
}

void WriteDot(std::vector<std::string> const& trees, std::ostream* out) {
  for (auto const& tree : trees) *out << tree << '\n';
}

}  // namespace

void Dump(Options const& options) {
  auto const& cli = options.cli;
  OutputFile file(cli.name_dump, "dump");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const& model = learner.GetModel();
  auto map = cli.fmap.empty() ? FeatureMap{model.feature_names, model.feature_types} : ReadFeatureMap(cli.fmap);
  // Names missing features: XGBoost's own maps number features from 0 where its data count from 1, and so lack the last
  // one.
  for (auto feature = static_cast<std::int64_t>(map.names.size()); !map.names.empty() && feature < model.n_features;
       ++feature) {
    map.names.push_back("f" + std::to_string(feature));
    map.types.emplace_back("q");
  }
  if (cli.dump_format != CliParam::kJson) map.categories = model.categories.names;  // people read the other formats
  char const* const formats[] = {"text", "json", "dot"};
  auto const trees = DumpModel(model, map, cli.dump_stats, formats[cli.dump_format]);
  switch (cli.dump_format) {
    case CliParam::kJson:
      WriteJson(trees, &file.Stream());
      break;
    case CliParam::kDot:
      WriteDot(trees, &file.Stream());
      break;
    default:
      WriteText(trees, &file.Stream());
  }
  file.Close(Counted(static_cast<std::int64_t>(trees.size()), model.IsLinear() ? "linear model" : "tree"));
}

}  // namespace kauri::cli
