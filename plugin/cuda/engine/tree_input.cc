#include "cuda/engine/tree_input.h"

#include "common/fixed_point.h"
#include "engine/gradient_table.h"
#include "engine/row_draws.h"
#include "tree/sampling/sampling.h"

namespace kauri::cuda {
namespace {

/// One tree's way from float gradients to what its builder takes.
class TreeInput {
 public:
  TreeInput(TreeInputTask const& task, EngineData* own) : task_(task), own_(*own), arrays_(own->arrays) {
    if (Tree().subsample < 1.0F) {
      arrays_.sampled.Reserve(task.cuda, arrays_.pairs.size());
      sampled_ = arrays_.sampled.span();
    }
  }

  DeviceTreeTask Make() {
    DeviceTreeTask made;
    made.sampled_rows = sampled_;
    made.place = Tree().place;
    if (Tree().vector_leaves) {
      MakeTable();
      made.table = arrays_.table.View();
      return made;
    }
    made.pairs = arrays_.pairs.span();
    if (Tree().BaggingTemperature() > 0.0F) {
      QuantiseWeighed(&made);
    } else {
      QuantisePairs(&made);
    }
    return made;
  }

 private:
  /// Pairs of a tree, and who uses them.
  struct Drawn {
    PairTable gradients;
    std::int64_t output;  ///< of `gradients`
    RowSample sample;
  };

  RoundTree const& Tree() const { return task_.tree; }
  bool IsDue() const { return own_.training.Watch().IsDue(Tree().place.iteration); }

  Drawn Draw(OutputRange const& outputs) {
    Drawn drawn{own_.Gradients(), outputs.begin, SampleOf()};
    if (!Tree().SamplesByGradient()) return drawn;
    drawn.gradients = arrays_.sampler.Draw(task_.cuda, drawn.gradients, outputs, drawn.sample, sampled_);
    drawn.output = 0;
    drawn.sample.marks = sampled_.data();
    return drawn;
  }

  RowSample SampleOf() {
    auto const& place = Tree().place;
    auto const rate = Tree().subsample;
    RowSample sample{RowSamplingKey(task_.ctx.seed, place.iteration, place.tree_in_iteration), rate};
    if (Tree().DrawsExactly()) {
      sample.is_exact = true;
      sample.choice = RowChoice(sample.key, rate, task_.info.n_rows);
    }
    if (!Tree().DrawsQueries()) return sample;
    task_.say_once("sampling_method=by_query draws rows in host memory: a mark of each is copied for every tree");
    auto const marks = SampleRows(task_.ctx, place.iteration, place.tree_in_iteration, rate, task_.info.n_rows,
                                  DrawnBy(task_.ctx, task_.info, Tree()));
    CopyToDevice(task_.cuda, marks.data(), marks.size(), sampled_.data());
    sample.marks = sampled_.data();
    return sample;
  }

  void QuantisePairs(DeviceTreeTask* made) {
    auto const drawn = Draw(Tree().output);
    Summarise(drawn.gradients);
    Quantise(task_.cuda, {drawn.gradients, drawn.output, arrays_.summary.Largest() + drawn.output, drawn.sample,
                          arrays_.pairs.span(), sampled_, arrays_.summary.Sum()});
    auto const summary = arrays_.summary.Read(task_.cuda);
    auto const largest = summary.largest[drawn.output];
    if (!largest.IsFinite()) {
      auto const row = FirstNotFinite(task_.cuda, drawn.gradients, drawn.output);
      auto const* pair = drawn.gradients.pairs.data() + row * drawn.gradients.n_outputs + drawn.output;
      FailGradient(ToHost(task_.cuda, pair, 1)[0], row);
    }
    made->unit = largest.Unit();
    made->sum = summary.sum;
    if (IsDue()) own_.WatchResolution(task_.cuda, task_.info, Tree().output, made->unit);
  }

  /// Largest magnitudes, once a round unless they are those of drawn pairs, and a sum of nothing.
  void Summarise(PairTable const& gradients) {
    if (arrays_.has_largest && !Tree().SamplesByGradient()) return arrays_.summary.ClearSum(task_.cuda);
    arrays_.summary.Clear(task_.cuda, gradients.n_outputs);
    FindLargest(task_.cuda, gradients, arrays_.summary.Largest());
    arrays_.has_largest = !Tree().SamplesByGradient();
  }

  void MakeTable() {
    OutputRange const all{0, own_.n_outputs};
    if (Tree().BaggingTemperature() > 0.0F) {
      auto const sample = WeighOnHost();
      GradientTable table;
      table.Quantise(task_.ctx, sample.pairs, own_.n_outputs, sample.used);
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

  /// Weighed pairs; tells the device which rows are used.
  GradientSample WeighOnHost() {
    task_.say_once("bagging_temperature weighs rows in host memory: gradients are copied for every tree");
    auto const gradients = ToHost(task_.cuda, arrays_.gradients.data(), arrays_.gradients.size());
    auto sample = DrawPairs(task_.ctx, task_.info, Tree(), gradients, own_.n_outputs);
    CopyToDevice(task_.cuda, sample.used.data(), sample.used.size(), sampled_.data());
    return sample;
  }

  void QuantiseWeighed(DeviceTreeTask* made) {
    auto const sample = WeighOnHost();
    FixedGradients fixed;
    QuantiseGradients(task_.ctx, sample.pairs, 1, 0, sample.used, &fixed);
    CopyToDevice(task_.cuda, fixed.pairs.data(), fixed.pairs.size(), arrays_.pairs.data());
    made->unit = fixed.unit;
    for (auto const& pair : fixed.pairs) made->sum += pair;
  }

  TreeInputTask const& task_;
  EngineData& own_;
  TrainingArrays& arrays_;
  Span<std::uint8_t> sampled_;  ///< [n_rows], or empty: all rows are used
};

}  // namespace

DeviceTreeTask MakeTreeInput(TreeInputTask const& task, EngineData* own) { return TreeInput(task, own).Make(); }

}  // namespace kauri::cuda
