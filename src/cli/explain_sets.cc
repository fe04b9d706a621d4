/// \file task=explain with kind=sets: interactions of sets of features as CSV, a tile of rows at a time.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "booster/learner.h"
#include "booster/predict/explain_interactions.h"
#include "booster/predict/prediction.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/report.h"
#include "cli/tasks.h"
#include "common/text/quoted.h"
#include "data/matrix_view.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

/// Writes a header and a line for each row, output and set: row, output if there are several, features, value. The
/// features are separated by semicolons; the base value comes first, as the value of the set `bias`.
class SetLines {
 public:
  SetLines(std::vector<std::string> const& names, std::int64_t n_outputs, std::ostream* out)
      : names_(names), n_outputs_(n_outputs), out_(out) {
    *out_ << (n_outputs > 1 ? "row,output,features,value\n" : "row,features,value\n");
  }

  /// Writes the rows from first_row on.
  void Write(SetInteractions const& found, std::int64_t first_row) {
    for (std::size_t block = 0; block + 1 < found.begin.size(); ++block) {
      auto const number = static_cast<std::int64_t>(block);
      auto key = std::to_string(first_row + number / n_outputs_) + ',';
      if (n_outputs_ > 1) key += std::to_string(number % n_outputs_) + ',';
      text_.clear();
      AddLine(key, "bias", found.base_values[block]);
      for (auto entry = found.begin[block]; entry < found.begin[block + 1]; ++entry) {
        AddLine(key, CsvText(NamesOf(found, found.sets[entry])), found.values[entry]);
      }
      *out_ << text_;
    }
  }

 private:
  std::string NamesOf(SetInteractions const& found, std::uint32_t set) const {
    std::string names;
    for (auto i = found.set_begin[set]; i < found.set_begin[set + 1]; ++i) {
      if (!names.empty()) names += ';';
      names += names_[found.members[i]];
    }
    return names;
  }

  void AddLine(std::string const& key, std::string const& features, float value) {
    char buffer[32];
    text_ += key + features + ',';
    text_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
    text_ += '\n';
  }

  std::vector<std::string> const& names_;
  std::int64_t n_outputs_;
  std::ostream* out_;
  std::string text_;
};

/// Explains the rows [begin, end) of a matrix.
SetInteractions ExplainTile(ReadyModel const& model, DataMatrix const& data, std::int64_t begin, std::int64_t end,
                            CliParam const& cli) {
  auto const rows = data.View();
  RowWindow const tile(*rows, begin, end);
  auto const& margins = data.Info().base_margin;
  auto const per_row = margins.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, rows->NumRows()));
  Span<float const> const all(margins);
  ExplainTask const task{tile, all.subspan(begin * per_row, (end - begin) * per_row), nullptr,
                         DeclaredColumns::Of(data.Info())};
  return ExplainInteractions(model, task, {cli.iteration_begin, cli.iteration_end},
                             {static_cast<InteractionIndex>(cli.index), cli.max_order, cli.strongest});
}

/// The names of a set are separated by semicolons.
void CheckNamesOfSets(std::vector<std::string> const& names) {
  for (auto const& name : names) {
    if (name.find(';') == std::string::npos) continue;
    Fail(ErrorKind::kParameter, "the feature ", Quoted(name), " has a semicolon in its name, which separates the ",
         "features of a set in the file of kind=sets; give it another name.");
  }
}

}  // namespace

void ExplainSetsOfRows(Options const& options) {
  auto const& cli = options.cli;
  if (IsNpyPath("name_explain", cli.name_explain)) {
    Fail(ErrorKind::kParameter, "name_explain=", cli.name_explain, ": kind=sets has no array of numbers, because each ",
         "line names its features; give a name that ends with .csv.");
  }
  OutputFile file(cli.name_explain, "file of explanations");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const ready = learner.Ready();
  auto const names = FeatureNames(ready->GetModel(), options.feature_names);
  CheckNamesOfSets(names);
  auto const data = ReadRowsFor(*ready, options, "test:data", cli.test_path);
  auto const n_rows = data->View()->NumRows();
  SetLines lines(names, ready->GetModel().NumOutputs(), &file.Stream());
  // The first row tells how many entries a row has.
  auto const first = ExplainTile(*ready, *data, 0, std::min<std::int64_t>(1, n_rows), cli);
  auto const tile_rows = ExplainTileRows(static_cast<std::int64_t>(first.values.size()) + 1);
  Progress progress(n_rows, "rows");
  for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
    auto const end = std::min(begin + tile_rows, n_rows);
    lines.Write(ExplainTile(*ready, *data, begin, end, cli), begin);
    progress.Update(end);
  }
  progress.Clear();
  file.Close("interactions of " + Counted(n_rows, "row"));
}

}  // namespace kauri::cli
