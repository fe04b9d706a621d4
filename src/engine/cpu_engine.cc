#include "engine/cpu_engine.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "common/fixed_point.h"
#include "common/large_memory.h"
#include "common/memory_size.h"
#include "common/threads/parallel_for.h"
#include "data/categories/category_view.h"
#include "data/matrix_view.h"
#include "data/meta_info.h"
#include "engine/gradient_table.h"
#include "engine/leaf_gradients.h"
#include "engine/margin_cache.h"
#include "engine/output_gradients.h"
#include "engine/round_errors.h"
#include "engine/rounded_gradients.h"
#include "engine/row_draws.h"
#include "engine/training_data.h"
#include "kauri/collective.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/error.h"
#include "kauri/predictor.h"
#include "kauri/tree.h"
#include "tree/linear/linear_tree.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;

/// State of one data set.
struct HostData {
  MarginCache held;
  std::int64_t n_outputs = 1;
  std::vector<float> margins;  ///< [n_rows, n_outputs]
  TrainingData training;
  std::vector<GradientPair> gradients;       ///< [n_rows, n_gradients]
  std::int64_t n_gradients = 1;              ///< n_outputs, or fewer if leaves have their own gradients
  bool has_leaf_gradients = false;           ///< leaf values are computed from `leaf_gradients`
  std::vector<GradientPair> leaf_gradients;  ///< [n_rows, n_outputs]; unused if leaf values come from `gradients`
  FixedGradients fixed;
  FixedGradients rounded;     ///< of `fixed`, for gradient_bits
  OutputGradients of_output;  ///< replaces `fixed` with several outputs
  GradientTable table;        ///< replaces both for vector leaves
  std::vector<std::int32_t> leaf_of_row;
  RoundErrors errors;     ///< for split_criterion=absolute_error
  PendingLeaves waiting;  ///< with several outputs: leaves not yet added to `margins`
};

/// Returns the leaves [n_rows], found by a predictor in host memory, so that splits and missing values behave as in
/// predictions. \throws Error(kModel) for a tree with more nodes than leaf indices of predictions, which are floats,
/// can represent.
std::vector<std::int32_t> FindRowLeaves(Context const& ctx, DataMatrix const& data, Predictor const& predictor,
                                        Tree const& tree) {
  constexpr std::int32_t kMostNodes = 1 << 24;
  if (tree.NumNodes() > kMostNodes) {
    Fail(ErrorKind::kModel, "a tree of ", tree.NumNodes(), " nodes cannot be updated; at most ", kMostNodes, " can.");
  }
  Model model;
  model.n_features = data.NumCols();
  model.trees = {tree};
  model.output_of_tree = {0};
  model.iteration_ptr = {0, 1};
  std::vector<float> leaves(data.NumRows());
  MarginStart start;
  start.of_output = model.base_score;
  auto const compiled = predictor.Compile(ctx, model, {0, 1});
  predictor.Predict(ctx, *compiled, {*data.View(), {0, 1}, start}, PredictKind::kLeaf, leaves);
  std::vector<std::int32_t> leaf_of_row;
  leaf_of_row.reserve(leaves.size());
  for (auto const leaf : leaves) leaf_of_row.push_back(static_cast<std::int32_t>(leaf));
  return leaf_of_row;
}

class CpuEngine : public Engine, public HostSide {
 public:
  HostSide* OnHost() override { return this; }

  void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                     Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) override {
    WantedMargins const wanted{data, model, start, dropped};
    auto* const own = data_.Open(*data);
    if (!own->waiting.IsEmpty()) own->held.Invalidate();  // an aborted round has added only half of its leaves
    auto const plan = own->held.Begin(wanted);
    if (plan.IsNothing()) return;
    MarginStart from;
    from.of_output = start;
    if (plan.restart) {
      own->waiting.Clear();
      own->n_outputs = model.NumOutputs();
      ResizeLarge(ctx, &own->margins, SizeInMemory(data->NumRows() * own->n_outputs));
      from.of_row = data->Info().base_margin;
      CheckBaseMargin(from.of_row, data->NumRows(), own->n_outputs);
    } else {
      from.of_row = own->margins;
    }
    auto const compiled = predictor.Compile(ctx, model, plan.Hull());
    auto const view = data->View();
    ModelRows const known(model, *view, !plan.restart);
    for (auto const trees : plan.runs) {
      predictor.Predict(ctx, *compiled, {known.View(), trees, from}, PredictKind::kMargin, own->margins);
      from.of_row = own->margins;
    }
    own->held.Hold(wanted);
  }

  void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                        std::int64_t iteration) override {
    auto& own = data_.Of(train);
    ResizeLarge(ctx, &own.gradients, own.margins.size());
    own.n_gradients = own.n_outputs;
    own.has_leaf_gradients = false;
    own.of_output.Reset();
    objective.ComputeGradients(ctx, own.margins, train.Info(), iteration, own.gradients);
    own.errors.Begin(objective);
    own.training.Watch().Expect(false);
  }

  void SetGradients(Context const&, DataMatrix const& train, Span<GradientPair const> gradients) override {
    auto& own = data_.Of(train);
    CheckGradientCount(static_cast<std::int64_t>(gradients.size()), train.NumRows(), own.n_outputs);
    own.errors.Forget();
    own.gradients.assign(gradients.begin(), gradients.end());
    own.n_gradients = own.n_outputs;
    own.has_leaf_gradients = false;
    own.of_output.Reset();
    own.training.Watch().Expect(true);
  }

  void SetSplitGradients(Context const&, DataMatrix const& train, SplitGradients const& gradients) override {
    auto& own = data_.Of(train);
    CheckSplitGradients(gradients, train.NumRows(), own.n_outputs);
    own.errors.Forget();
    own.gradients.assign(gradients.splits.begin(), gradients.splits.end());
    own.n_gradients = gradients.n_split_outputs;
    own.has_leaf_gradients = true;
    own.leaf_gradients.assign(gradients.leaves.begin(), gradients.leaves.end());
    own.of_output.Reset();
    own.training.Watch().Expect(true);
  }

  std::vector<Tree> BuildTrees(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                               std::vector<RoundTree> const& trees) override {
    auto& own = data_.Of(train);
    auto* const state = own.training.StateFor(builder.StateKey(), [&] { return builder.MakeState(ctx, train); });
    std::vector<Tree> built;
    for (auto const& tree : trees) {
      TreeTask task;
      auto const drawn = DrawRows(ctx, train.Info(), tree, &own, &task);
      if (tree.GradientBits() == 0 && own.training.Watch().IsDue(tree.place.iteration)) {
        WatchResolution(train.Info(), tree, task, &own);
      }
      task.sampled_rows = drawn.used;
      task.place = tree.place;
      if (ReducesErrors(tree)) task.errors = own.errors.Of(ctx, train.Info(), own.margins, tree);
      auto const leaf_of_row = LeavesOf(tree, train.NumRows(), &own);
      built.push_back(builder.Build(ctx, train, task, state, leaf_of_row));
      if (own.has_leaf_gradients) {
        SetLeafValues(ctx, tree, {own.leaf_gradients, own.n_outputs, drawn, leaf_of_row}, &built.back());
      }
      if (RenewsLeaves(tree)) {
        auto const exact = own.fixed.View();
        RenewLeaves(tree, exact.unit, SumPairsByLeaf(ctx, exact, leaf_of_row, built.back().NumNodes()), &built.back());
      }
      if (IsLinear(tree)) FitLinearLeaves(ctx, train, task, *tree.param, leaf_of_row, &built.back());
      AddToMargins(ctx, train, built.back(), tree, &own);
    }
    return built;
  }

  void UpdateTree(Context const& ctx, DataMatrix const& train, Predictor const& predictor,
                  std::vector<std::unique_ptr<TreeUpdater>> const& steps, RoundTree const& round, Tree* tree) override {
    auto& own = data_.Of(train);
    QuantiseGradients(ctx, own.gradients, own.n_outputs, round.output, {}, &own.fixed);
    TreeTask task;
    task.gradients = own.fixed.View();
    task.place = round.place;
    own.leaf_of_row = FindRowLeaves(ctx, train, predictor, *tree);
    for (auto const& step : steps) step->Update(ctx, task, own.leaf_of_row, tree);
    AddLeaves(ctx, *tree, round.output, &own);
  }

  void UpdateLinear(Context const& ctx, DataMatrix const& train, LinearUpdater const& updater, Model* model) override {
    auto& own = data_.Of(train);
    auto* const state = own.training.StateFor("linear", [&] { return updater.MakeState(ctx, train); });
    updater.Update(ctx, train, own.gradients, state, model);
  }

  void FinishRound(DataMatrix const& train, Model const& model) override { data_.Of(train).held.NoteNewTrees(model); }

  std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                               MetricList const& metrics) override {
    auto const& own = data_.Of(data);
    auto predictions = own.margins;
    if (!objective.EvaluatesMargins()) objective.TransformMargins(ctx, predictions, own.n_outputs);
    std::vector<double> values;
    for (auto const& metric : metrics) values.push_back(metric->Evaluate(ctx, predictions, data.Info()));
    return values;
  }

  std::vector<float> Margins(DataMatrix const& data) const override { return data_.Of(data).margins; }

  void Clear() override { data_.Clear(); }

 private:
  /// Makes the pairs from which a tree is built.
  static DrawnRows DrawRows(Context const& ctx, MetaInfo const& info, RoundTree const& tree, HostData* own,
                            TreeTask* task) {
    auto const n_outputs = own->n_gradients;
    auto const n_rows = static_cast<std::int64_t>(own->gradients.size()) / n_outputs;
    if (!tree.SamplesByGradient() && !(tree.BaggingTemperature() > 0.0F)) {
      auto sampled = SampleRows(ctx, tree.place.iteration, tree.place.tree_in_iteration, tree.subsample, n_rows,
                                DrawnBy(ctx, info, tree));
      if (tree.vector_leaves) {
        own->table.Quantise(ctx, own->gradients, n_outputs, sampled);
        task->table = own->table.View();
      } else if (n_outputs > 1 && tree.GradientBits() == 0) {
        task->gradients = own->of_output.Of(ctx, own->gradients, n_outputs, tree.output, sampled);
      } else {
        QuantiseGradients(ctx, own->gradients, n_outputs, tree.output, sampled, &own->fixed);
        task->gradients = GradientsOf(ctx, info, tree, own);
      }
      return {std::move(sampled), {}};
    }
    auto sample = DrawPairs(ctx, info, tree, own->gradients, n_outputs);
    if (tree.vector_leaves) {
      own->table.Quantise(ctx, sample.pairs, n_outputs, sample.used);
      task->table = own->table.View();
    } else {
      QuantiseGradients(ctx, sample.pairs, 1, 0, sample.used, &own->fixed);
      task->gradients = GradientsOf(ctx, info, tree, own);
    }
    return {std::move(sample.used), std::move(sample.chances)};
  }

  /// Returns the pairs of `fixed`, rounded if the tree's are.
  static GradientView GradientsOf(Context const& ctx, MetaInfo const& info, RoundTree const& tree, HostData* own) {
    auto const rounding = RoundingOf(ctx, tree);
    if (rounding.bits == 0) return own->fixed.View();
    RoundGradients(ctx, info, rounding, own->fixed, &own->rounded);
    return own->rounded.View();
  }

  static void WatchResolution(MetaInfo const& info, RoundTree const& tree, TreeTask const& task, HostData* own) {
    if (!tree.vector_leaves) {
      own->training.Watch().Look(own->gradients, info, own->n_gradients, tree.output, task.gradients.unit);
      return;
    }
    auto const& units = task.table.units;
    for (std::int64_t output = 0; output < own->n_gradients; ++output) {
      own->training.Watch().Look(own->gradients, info, own->n_gradients, output, units[output]);
    }
  }

  static bool IsLinear(RoundTree const& tree) { return tree.param != nullptr && tree.param->linear_tree; }

  static bool QueuesLeaves(RoundTree const& tree, HostData const& own) {
    return own.n_outputs > 1 && !tree.vector_leaves && !IsLinear(tree);
  }

  static Span<std::int32_t> LeavesOf(RoundTree const& tree, std::int64_t n_rows, HostData* own) {
    if (QueuesLeaves(tree, *own)) return own->waiting.NextLeaves(n_rows);
    ResizeLarge(&own->leaf_of_row, static_cast<std::size_t>(n_rows));
    return own->leaf_of_row;
  }

  /// Adds the leaves of a tree to the margins, now or with other trees of the round.
  static void AddToMargins(Context const& ctx, DataMatrix const& train, Tree const& built, RoundTree const& tree,
                           HostData* own) {
    if (built.HasLinearLeaves()) {
      AddLinearLeaves(ctx, train, built, tree.output, own);
    } else if (QueuesLeaves(tree, *own)) {
      QueueLeaves(ctx, built, tree.output, own);
    } else {
      AddLeaves(ctx, built, tree.output, own);
    }
  }

  /// Adds the leaves of the waiting trees once enough wait. The trees of the last output end a round, so nothing waits
  /// after it.
  static void QueueLeaves(Context const& ctx, Tree const& tree, std::int64_t output, HostData* own) {
    own->waiting.Add(tree, output);
    if (!own->waiting.IsFull() && output + 1 < own->n_outputs) return;
    own->waiting.AddTo(ctx, own->n_outputs, own->margins);
  }

  /// Adds the leaves of a tree to the margins. output: output of a tree with scalar leaves.
  static void AddLeaves(Context const& ctx, Tree const& tree, std::int64_t output, HostData* own) {
    auto const n_rows = static_cast<std::int64_t>(own->leaf_of_row.size());
    auto const n_outputs = own->n_outputs;
    auto const* leaf_of_row = own->leaf_of_row.data();
    auto* const margins = own->margins.data() + output;
    ParallelForBlocks(ctx, n_rows, kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      if (!tree.HasVectorLeaves()) {
        auto const* values = tree.split_value.data();
        for (auto row = begin; row < end; ++row) margins[row * n_outputs] += values[leaf_of_row[row]];
        return;
      }
      for (auto row = begin; row < end; ++row) {
        auto const values = tree.LeafValues(leaf_of_row[row]);
        for (std::size_t i = 0; i < values.size(); ++i)
          margins[row * n_outputs + static_cast<std::int64_t>(i)] += values[i];
      }
    });
  }

  /// Adds linear leaves to the margins. The sum of a row equals its prediction bit by bit.
  static void AddLinearLeaves(Context const& ctx, DataMatrix const& train, Tree const& tree, std::int64_t output,
                              HostData* own) {
    auto const view = train.View();
    auto const n_cols = tree.linear.NumCols();
    auto const* leaf_of_row = own->leaf_of_row.data();
    auto* const margins = own->margins.data() + output;
    ParallelForBlocks(ctx, train.NumRows(), kRowsPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
      RowReader reader(*view, n_cols);
      for (auto row = begin; row < end; ++row) {
        auto const leaf = leaf_of_row[row];
        margins[row * own->n_outputs] += tree.linear.ValueOf(leaf, tree.split_value[leaf], reader.Row(row));
      }
    });
  }

  DataCache<HostData> data_;
};

}  // namespace

std::unique_ptr<Engine> MakeCpuEngine() { return std::make_unique<CpuEngine>(); }

Capabilities CpuEngineSupports() {
  return {{Feature::kTreeUpdates, Feature::kRowSampling, Feature::kGradientSampling, Feature::kLinearLeaves,
           Feature::kOrderedEncoding}};
}

}  // namespace kauri
