#include "cuda/engine/tree_input.h"

#include <array>
#include <utility>
#include <vector>

#include "collective/reduce.h"
#include "common/fixed_point.h"
#include "engine/gradient_table.h"
#include "engine/rounded_gradients.h"
#include "engine/row_draws.h"
#include "kauri/error.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

/// Converts float gradients to the input of one tree's builder.
class TreeInput {
 public:
  TreeInput(TreeInputTask const& task, EngineData* own)
      : task_(task),
        own_(*own),
        rows_(own->rows),
        arrays_(own->arrays),
        sampled_(rows_.TreeHere().Marks(task.cuda, task.tree.subsample, rows_.NumRowsHere())) {}

  DeviceTreeTask Make() {
    DeviceTreeTask made;
    arrays_.on_host.reset();
    made.sampled_rows = sampled_;
    made.place = Tree().place;
    if (Tree().vector_leaves) {
      MakeTable();
      made.table = arrays_.table.View();
      return made;
    }
    made.pairs = {rows_.TreeHere().pairs.data(), ToSize(rows_.NumRowsHere())};
    if (DrawsPairsOnHost()) {
      QuantiseWeighed(&made);
    } else {
      QuantisePairs(&made);
    }
    return made;
  }

  /// Makes the inputs of trees for all outputs, from all rows.
  std::vector<DeviceTreeTask> MakeForAll(std::vector<RoundTree> const& trees) {
    auto const gradients = rows_.GradientsHere();
    auto const n_rows = ToSize(gradients.NumRows());
    auto& summary = rows_.TreeHere().summary;
    Summarise(gradients);
    auto rounding = RoundingOf(task_.ctx, Tree());
    rounding.key = RoundKeyOfRounding(task_.ctx.seed, Tree().place.iteration);
    if (rounding.bits > 0) arrays_.round_small.Reserve(task_.cuda, trees.size() * n_rows);
    std::vector<DeviceTreeTask> made(trees.size());
    for (std::size_t i = 0; i < trees.size(); ++i) {
      made[i].pairs = {arrays_.round_pairs.data() + i * n_rows, n_rows};
      if (rounding.bits > 0) made[i].small = {arrays_.round_small.data() + i * n_rows, n_rows};
      made[i].place = trees[i].place;
      made[i].totals = TotalsOf({gradients, trees[i].output, {}});
    }
    QuantiseRound(task_.cuda, {gradients, summary.Largest(), arrays_.round_pairs.data(), summary.Totals(), rounding,
                               Tree().place.tree_in_iteration, arrays_.round_small.data()});
    summary.Fetch(task_.cuda);
    if (!IsDue()) return made;
    for (std::size_t i = 0; i < trees.size(); ++i) {
      own_.WatchResolution(task_.cuda, task_.info, trees[i].output, made[i].totals.OnHost().unit);
    }
    return made;
  }

 private:
  /// Pairs of a tree, and the rows that it uses.
  struct Drawn {
    PairTable gradients;
    std::int64_t output;  ///< column of `gradients`
    RowSample sample;
  };

  RoundTree const& Tree() const { return task_.tree; }
  bool IsDue() const { return Tree().GradientBits() == 0 && own_.training.Watch().IsDue(Tree().place.iteration); }

  Drawn Draw(OutputRange const& outputs) {
    Drawn drawn{rows_.GradientsHere(), outputs.begin, SampleOf()};
    if (!Tree().SamplesByGradient()) return drawn;
    drawn.gradients = arrays_.sampler.Draw(task_.cuda, drawn.gradients, outputs, drawn.sample, sampled_);
    drawn.output = 0;
    drawn.sample.marks = sampled_.data();
    return drawn;
  }

  /// Returns the sample of a tree whose rows are drawn by their numbers, out of all rows of this process.
  RowSample SampleByKey() const {
    auto const& place = Tree().place;
    RowSample sample{RowSamplingKey(task_.ctx.seed, place.iteration, place.tree_in_iteration), Tree().subsample};
    sample.rounding = RoundingOf(task_.ctx, Tree());
    if (!Tree().DrawsExactly()) return sample;
    sample.is_exact = true;
    sample.choice = RowChoice(sample.key, sample.rate, task_.info.n_rows);
    return sample;
  }

  RowSample SampleOf() {
    auto const& place = Tree().place;
    auto const rate = Tree().subsample;
    auto sample = SampleByKey();
    auto const by_number = IsDistributed(task_.ctx) && rate < 1.0F;
    if (!Tree().DrawsQueries() && !by_number) return sample;
    task_.say_once(by_number ? "in a group rows are drawn in host memory: a mark of each is copied for every tree"
                             : "sampling_method=by_query draws rows in host memory: a mark of each is copied for every "
                               "tree");
    auto const marks = SampleRows(task_.ctx, place.iteration, place.tree_in_iteration, rate, task_.info.n_rows,
                                  DrawnBy(task_.ctx, task_.info, Tree()));
    CopyToDevice(task_.cuda, marks.data(), marks.size(), sampled_.data());
    sample.marks = sampled_.data();
    return sample;
  }

  void QuantisePairs(DeviceTreeTask* made) {
    auto const drawn = Draw(Tree().output);
    Summarise(drawn.gradients);
    rows_.Quantise(task_.cuda, drawn.gradients, drawn.output, drawn.sample, sampled_);
    made->shards = rows_.Inputs();
    made->small = rows_.TreeHere().small;
    made->totals = TotalsOf(drawn);
    if (IsDistributed(task_.ctx)) made->totals = TreeTotals(TotalsOfRanks(made->totals.OnHost()));
    if (IsDue()) own_.WatchResolution(task_.cuda, task_.info, Tree().output, made->totals.OnHost().unit);
  }

  /// Returns the totals for which the summary was fetched.
  TreeTotals TotalsOf(Drawn const& drawn) const {
    return {rows_.TotalsHere(drawn.output), [cuda = task_.cuda, &rows = rows_, drawn, bits = Tree().GradientBits()] {
              auto const found = rows.TreeHere().summary.Fetched(drawn.output);
              if (!found.largest.IsFinite()) FailRow(cuda, rows, drawn.gradients, drawn.output);
              return PairTotals{found.largest.UnitOfBits(bits), found.sum + rows.SumOfOthers()};
            }};
  }

  /// Finds the largest magnitudes, once a round unless pairs are sampled by gradient, and clears the sums.
  void Summarise(PairTable const& gradients) {
    auto& summary = rows_.TreeHere().summary;
    if (rows_.HasLargest() && !Tree().SamplesByGradient()) return summary.ClearTotals(task_.cuda);
    summary.Clear(task_.cuda, gradients.n_outputs);
    FindLargest(task_.cuda, gradients, summary.Largest());
    rows_.AgreeOnLargest(task_.cuda);
    if (IsDistributed(task_.ctx)) AgreeOverRanks(gradients);
    rows_.SetHasLargest(!Tree().SamplesByGradient());
  }

  [[noreturn]] static void FailRow(CudaContext const& cuda, ShardedRows const& rows, PairTable const& gradients,
                                   std::int64_t output) {
    auto const row = FirstNotFinite(cuda, gradients, output);
    auto const* pair = gradients.pairs.data() + row * gradients.n_outputs + output;
    if (row < gradients.NumRows()) FailGradient(ToHost(cuda, pair, 1)[0], row);
    rows.RequireFiniteOthers(output);
    Fail(ErrorKind::kInternal,
         "expected a gradient that is NaN or infinite, as the first scan found one, but the second scan found none");
  }

  /// Replaces the largest magnitudes by those over all ranks. A rank whose pairs are not finite names the row.
  void AgreeOverRanks(PairTable const& gradients) {
    auto largest = rows_.TreeHere().summary.Read(task_.cuda).largest;
    std::vector<std::uint64_t> words;
    for (std::size_t output = 0; output < largest.size(); ++output) {
      if (!largest[output].IsFinite()) FailRow(task_.cuda, rows_, gradients, static_cast<std::int64_t>(output));
      words.push_back(largest[output].gradient);
      words.push_back(largest[output].hessian);
    }
    MaxOverRanks(task_.ctx, words);
    for (std::size_t output = 0; output < largest.size(); ++output) {
      largest[output] = {static_cast<std::uint32_t>(words[2 * output]),
                         static_cast<std::uint32_t>(words[2 * output + 1])};
    }
    rows_.TreeHere().summary.SetLargest(task_.cuda, largest);
  }

  PairTotals TotalsOfRanks(PairTotals const& own) const {
    std::array<std::int64_t, 2> words{own.sum.gradient, own.sum.hessian};
    SumOverRanks(task_.ctx, Span<std::int64_t>(words.data(), words.size()));
    return {own.unit, {words[0], words[1]}};
  }

  void MakeTable() {
    OutputRange const all{0, rows_.NumGradients()};
    if (Tree().BaggingTemperature() > 0.0F) {
      auto const sample = WeighOnHost();
      GradientTable table;
      table.Quantise(task_.ctx, sample.pairs, rows_.NumGradients(), sample.used);
      arrays_.table.Upload(task_.cuda, table.View());
    } else {
      auto const drawn = Draw(all);
      arrays_.table.Quantise(task_.cuda, drawn.gradients, drawn.sample, sampled_);
    }
    if (!IsDue()) return;
    auto const units = arrays_.table.View().units;
    for (auto output = all.begin; output < all.end; ++output) {
      own_.WatchResolution(task_.cuda, task_.info, output, units[output]);
    }
  }

  bool DrawsPairsOnHost() const {
    auto const by_number = Tree().SamplesByGradient() || Tree().GradientBits() > 0;
    return Tree().BaggingTemperature() > 0.0F || (IsDistributed(task_.ctx) && by_number);
  }

  /// Returns weighted pairs, and copies the marks of used rows to the device.
  GradientSample WeighOnHost() {
    task_.say_once(Tree().BaggingTemperature() > 0.0F
                       ? "bagging_temperature weighs rows in host memory: gradients are copied for every tree"
                       : "in a group gradients are rounded, and rows drawn by them, in host memory: they are copied "
                         "for every tree");
    auto const pairs = rows_.Gradients(task_.cuda).pairs;
    auto const gradients = ToHost(task_.cuda, pairs.data(), pairs.size());
    auto sample = DrawFrom(gradients);
    CopyToDevice(task_.cuda, sample.used.data(), sample.used.size(), sampled_.data());
    return sample;
  }

  /// Draws rows in host memory, by gradient or by weight if the tree asks for it.
  GradientSample DrawFrom(Span<GradientPair const> gradients) const {
    if (Tree().SamplesByGradient() || Tree().BaggingTemperature() > 0.0F) {
      return DrawPairs(task_.ctx, task_.info, Tree(), gradients, rows_.NumGradients());
    }
    GradientSample sample;
    auto const& place = Tree().place;
    for (auto i = ToSize(Tree().output); i < gradients.size(); i += ToSize(rows_.NumGradients())) {
      sample.pairs.push_back(gradients[i]);
    }
    sample.used = SampleRows(task_.ctx, place.iteration, place.tree_in_iteration, Tree().subsample, task_.info.n_rows,
                             DrawnBy(task_.ctx, task_.info, Tree()));
    return sample;
  }

  void QuantiseWeighed(DeviceTreeTask* made) {
    auto const sample = WeighOnHost();
    FixedGradients fixed;
    QuantiseGradients(task_.ctx, sample.pairs, 1, 0, sample.used, &fixed);
    if (auto const rounding = RoundingOf(task_.ctx, Tree()); rounding.bits > 0) {
      arrays_.on_host = std::move(fixed);
      RoundGradients(task_.ctx, task_.info, rounding, *arrays_.on_host, &fixed);
    }
    CopyToDevice(task_.cuda, fixed.pairs.data(), fixed.pairs.size(), rows_.TreeHere().pairs.data());
    PairTotals totals{fixed.unit, {}};
    for (auto const& pair : fixed.pairs) totals.sum += pair;
    made->totals = TreeTotals(TotalsOfRanks(totals));
  }

  TreeInputTask const& task_;
  EngineData& own_;
  ShardedRows& rows_;
  TrainingArrays& arrays_;
  Span<std::uint8_t> sampled_;  ///< marks of the first shard's rows; empty if all rows are used
};

}  // namespace

DeviceTreeTask MakeTreeInput(TreeInputTask const& task, EngineData* own) { return TreeInput(task, own).Make(); }

std::vector<DeviceTreeTask> MakeRoundInput(TreeInputTask const& task, std::vector<RoundTree> const& trees,
                                           EngineData* own) {
  return TreeInput(task, own).MakeForAll(trees);
}

}  // namespace kauri::cuda
