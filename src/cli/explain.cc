/// \file task=explain: SHAP values of a file's rows, a tile of rows at a time.
///
/// A tile is as many rows as give kTileFloats numbers, so that memory is bounded by the data and not by the result,
/// which for interactions can be a thousand times larger.
#include <algorithm>
#include <string>

#include "booster/learner.h"
#include "cli/explanation_writer.h"
#include "cli/files.h"
#include "cli/learner_setup.h"
#include "cli/progress.h"
#include "cli/tasks.h"
#include "data/row_window.h"
#include "kauri/error.h"

namespace kauri::cli {
namespace {

constexpr std::int64_t kTileFloats = std::int64_t{1} << 24U;

PredictKind KindOf(CliParam const& cli) {
  switch (cli.kind) {
    case CliParam::kInteractions:
      return PredictKind::kInteraction;
    case CliParam::kApproximate:
      return PredictKind::kApproxContribution;
    default:
      return PredictKind::kContribution;
  }
}

/// Whether the path asks for NumPy's format. \throws Error(kParameter) for an ending that is neither.
bool IsNpyPath(std::string const& path) {
  auto const ends_with = [&](std::string const& ending) {
    return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  };
  if (ends_with(".npy")) return true;
  if (path == "stdout" || ends_with(".csv")) return false;
  Fail(ErrorKind::kParameter, "name_explain=", path, " ends neither with .csv nor with .npy; name it by one of them.");
}

void WriteTiles(Learner const& learner, DataMatrix const& data, PredictOptions const& options, std::int64_t row_width,
                ExplanationWriter* writer) {
  auto const n_rows = data.NumRows();
  auto const tile_rows = std::max<std::int64_t>(kTileFloats / row_width, 1);
  auto const view = data.View();
  Span<float const> const base_margin(data.Info().base_margin);
  auto const margins_per_row = base_margin.size() / static_cast<std::size_t>(std::max<std::int64_t>(n_rows, 1));
  Progress progress(n_rows, "rows");
  for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
    auto const end = std::min(begin + tile_rows, n_rows);
    auto const margins = base_margin.subspan(static_cast<std::size_t>(begin) * margins_per_row,
                                             static_cast<std::size_t>(end - begin) * margins_per_row);
    writer->Write(learner.PredictInPlace(RowWindow(*view, begin, end), margins, options).values);
    progress.Update(end);
  }
}

}  // namespace

void Explain(Options const& options) {
  auto const& cli = options.cli;
  auto const is_npy = IsNpyPath(cli.name_explain);
  OutputFile file(cli.name_explain, "file of explanations");
  Learner learner;
  SetUpLearner(options, &learner);
  auto const data = ReadData(options, "test:data", cli.test_path);
  PredictOptions predict;
  predict.kind = KindOf(cli);
  predict.iterations = {cli.iteration_begin, cli.iteration_end};
  auto const shape = ShapeOfExplanation(learner.GetModel(), data->NumRows(), predict.kind == PredictKind::kInteraction);
  auto const writer = is_npy ? MakeNpyWriter(shape, &file.Stream()) : MakeCsvWriter(shape, &file.Stream());
  WriteTiles(learner, *data, predict, shape.RowWidth(), writer.get());
  file.Close();
}

}  // namespace kauri::cli
