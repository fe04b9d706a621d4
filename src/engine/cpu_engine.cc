#include "engine/cpu_engine.h"

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/fixed_point.h"
#include "common/gradient_table.h"
#include "common/large_memory.h"
#include "common/parallel_for.h"
#include "data/categories/category_view.h"
#include "data/meta_info.h"
#include "engine/held_margins.h"
#include "engine/leaf_quantiles.h"
#include "engine/output_gradients.h"
#include "engine/resolution_watch.h"
#include "engine/row_leaves.h"
#include "engine/waiting_leaves.h"
#include "kauri/error.h"
#include "tree/sampling/gradient_sampling.h"
#include "tree/sampling/sampling.h"

namespace kauri {
namespace {

constexpr std::int64_t kRowsPerBlock = 1 << 12;

/// What is kept for one data set; dropped once its owner has let it go.
struct DataCache {
  std::weak_ptr<DataMatrix const> data;
  std::uint64_t info_revision = 0;  ///< a new base margin makes `margins` stale
  std::vector<float> margins;       ///< [n_rows, n_outputs]
  std::int64_t n_outputs = 1;
  HeldMargins held;
  std::vector<GradientPair> gradients;
  std::vector<std::optional<float>> leaf_quantiles;  ///< [n_outputs] of the objective that made the gradients, or empty
  std::vector<float> round_margins;                  ///< without the trees of the round; only with a leaf quantile
  std::unique_ptr<BuildState> build_state;
  std::string build_state_key;
  FixedGradients fixed;
  OutputGradients of_output;  ///< instead of `fixed`, with several outputs
  GradientTable table;
  std::vector<std::int32_t> leaf_of_row;
  WaitingLeaves waiting;  ///< with several outputs: leaves that `margins` lack
  ResolutionWatch watch;
};

class CpuEngine : public Engine {
 public:
  void UpdateMargins(Context const& ctx, std::shared_ptr<DataMatrix const> const& data, Model const& model,
                     Predictor const& predictor, Span<float const> start, Span<std::int64_t const> dropped) override {
    DropDeadCaches();
    auto& cache = caches_[data->Id()];
    auto const gave_up = !cache.waiting.IsEmpty();  // a round, half of whose leaves are in the margins
    auto const fresh = gave_up || cache.data.expired() || cache.info_revision != data->InfoRevision();
    auto const plan = cache.held.PlanFor(model, start, dropped, fresh);
    if (plan.IsNothing()) return;
    cache.data.reset();  // margins are of no use until they are complete
    MarginStart from;
    if (plan.restart) {
      cache.waiting.Clear();
      cache.n_outputs = model.NumOutputs();
      ResizeLarge(ctx, &cache.margins, static_cast<std::size_t>(data->NumRows() * cache.n_outputs));
      from.of_output = start;
      from.of_row = data->Info().base_margin;
      CheckBaseMargin(from.of_row, data->NumRows(), cache.n_outputs);
    } else {
      from.of_row = cache.margins;
    }
    auto const compiled = predictor.Compile(ctx, model, plan.Hull());
    auto const view = data->View();
    ModelRows const known(model, *view);
    for (auto const trees : plan.runs) {
      predictor.Predict(ctx, *compiled, known.View(), PredictKind::kMargin, trees, from, cache.margins);
      from.of_row = cache.margins;
    }
    cache.held.Hold(model, start, dropped);
    cache.data = data;
    cache.info_revision = data->InfoRevision();
  }

  void ComputeGradients(Context const& ctx, DataMatrix const& train, Objective const& objective,
                        std::int64_t iteration) override {
    auto& cache = CacheOf(train);
    ResizeLarge(ctx, &cache.gradients, cache.margins.size());
    cache.of_output.Reset();
    objective.ComputeGradients(ctx, cache.margins, train.Info(), iteration, cache.gradients);
    cache.watch.Expect(false);
    cache.leaf_quantiles.clear();
    for (std::int64_t output = 0; output < cache.n_outputs; ++output) {
      cache.leaf_quantiles.push_back(objective.LeafQuantile(output));
      if (cache.leaf_quantiles.back().has_value()) cache.round_margins = cache.margins;
    }
  }

  void SetGradients(Context const&, DataMatrix const& train, Span<GradientPair const> gradients) override {
    auto& cache = CacheOf(train);
    if (gradients.size() != cache.margins.size()) {
      Fail(ErrorKind::kData, "got ", gradients.size(), " gradient pairs for ", train.NumRows(), " rows and ",
           cache.n_outputs, " outputs; expected ", cache.margins.size(), ", row by row.");
    }
    cache.gradients.assign(gradients.begin(), gradients.end());
    cache.of_output.Reset();
    cache.watch.Expect(true);
    cache.leaf_quantiles.clear();
  }

  Tree BuildTree(Context const& ctx, DataMatrix const& train, TreeBuilder const& builder,
                 RoundTree const& tree) override {
    auto& cache = CacheOf(train);
    if (cache.build_state == nullptr || cache.build_state_key != builder.StateKey()) {
      cache.build_state = builder.MakeState(ctx, train);
      cache.build_state_key = builder.StateKey();
    }
    TreeTask task;
    auto const sampled = DrawRows(ctx, tree, &cache, &task);
    if (cache.watch.IsDue(tree.place.iteration)) WatchResolution(train.Info(), tree, task, &cache);
    task.sampled_rows = sampled;
    task.place = tree.place;
    auto const leaf_of_row = LeavesOf(tree, train.NumRows(), &cache);
    auto built = builder.Build(ctx, train, task, cache.build_state.get(), leaf_of_row);
    auto const end = tree.vector_leaves ? cache.n_outputs : tree.output + 1;
    for (auto output = tree.output; output < end; ++output) {
      RefreshLeaves(ctx, train.Info(), {tree, output, sampled, leaf_of_row}, cache, &built);
    }
    if (AddsLater(tree, cache)) {
      AddLeavesLater(ctx, built, tree.output, &cache);
    } else {
      AddLeaves(ctx, built, tree.output, &cache);
    }
    return built;
  }

  void UpdateTree(Context const& ctx, DataMatrix const& train, Predictor const& predictor,
                  std::vector<std::unique_ptr<TreeUpdater>> const& steps, RoundTree const& round, Tree* tree) override {
    auto& cache = CacheOf(train);
    QuantiseGradients(ctx, cache.gradients, cache.n_outputs, round.output, {}, &cache.fixed);
    TreeTask task;
    task.gradients = cache.fixed.View();
    task.place = round.place;
    cache.leaf_of_row = FindRowLeaves(ctx, train, predictor, *tree);
    for (auto const& step : steps) step->Update(ctx, task, cache.leaf_of_row, tree);
    AddLeaves(ctx, *tree, round.output, &cache);
  }

  void UpdateLinear(Context const& ctx, DataMatrix const& train, LinearUpdater const& updater, Model* model) override {
    constexpr char const* kKey = "linear";
    auto& cache = CacheOf(train);
    if (cache.build_state == nullptr || cache.build_state_key != kKey) {
      cache.build_state = updater.MakeState(ctx, train);
      cache.build_state_key = kKey;
    }
    updater.Update(ctx, train, cache.gradients, cache.build_state.get(), model);
  }

  void FinishRound(DataMatrix const& train, Model const& model) override { CacheOf(train).held.HoldNewTrees(model); }

  std::vector<double> Evaluate(Context const& ctx, DataMatrix const& data, Objective const& objective,
                               MetricList const& metrics) override {
    auto const& cache = CacheOf(data);
    auto predictions = cache.margins;
    if (!objective.EvaluatesMargins()) objective.TransformMargins(ctx, predictions, cache.n_outputs);
    std::vector<double> values;
    for (auto const& metric : metrics) values.push_back(metric->Evaluate(ctx, predictions, data.Info()));
    return values;
  }

  std::vector<float> Margins(DataMatrix const& data) const override { return caches_.at(data.Id()).margins; }

  void Clear() override { caches_.clear(); }

 private:
  DataCache& CacheOf(DataMatrix const& data) {
    auto const found = caches_.find(data.Id());
    if (found == caches_.end()) Fail(ErrorKind::kInternal, "margins of data set ", data.Id(), " were never computed");
    return found->second;
  }

  void DropDeadCaches() {
    for (auto it = caches_.begin(); it != caches_.end();)
      it = it->second.data.expired() ? caches_.erase(it) : std::next(it);
  }

  /// Makes the pairs that a tree is built from. Returns the rows used, [n_rows], 1 = used; empty: all.
  static std::vector<std::uint8_t> DrawRows(Context const& ctx, RoundTree const& tree, DataCache* cache,
                                            TreeTask* task) {
    auto const n_outputs = cache->n_outputs;
    auto const n_rows = static_cast<std::int64_t>(cache->gradients.size()) / n_outputs;
    if (!tree.SamplesByGradient()) {
      auto sampled = SampleRows(ctx, tree.place.iteration, tree.place.tree_in_iteration, tree.subsample, n_rows);
      if (tree.vector_leaves) {
        cache->table.Quantise(ctx, cache->gradients, n_outputs, sampled);
        task->table = cache->table.View();
      } else if (n_outputs > 1) {
        task->gradients = cache->of_output.Of(ctx, cache->gradients, n_outputs, tree.output, sampled);
      } else {
        QuantiseGradients(ctx, cache->gradients, n_outputs, tree.output, sampled, &cache->fixed);
        task->gradients = cache->fixed.View();
      }
      return sampled;
    }
    OutputRange const outputs{tree.output, tree.vector_leaves ? n_outputs : tree.output + 1};
    auto sample = SampleByGradient(ctx, cache->gradients, n_outputs, outputs, tree.subsample,
                                   RowSamplingKey(ctx.seed, tree.place.iteration, tree.place.tree_in_iteration));
    if (tree.vector_leaves) {
      cache->table.Quantise(ctx, sample.pairs, n_outputs, sample.used);
      task->table = cache->table.View();
    } else {
      QuantiseGradients(ctx, sample.pairs, 1, 0, sample.used, &cache->fixed);
      task->gradients = cache->fixed.View();
    }
    return std::move(sample.used);
  }

  static void WatchResolution(MetaInfo const& info, RoundTree const& tree, TreeTask const& task, DataCache* cache) {
    if (!tree.vector_leaves) {
      cache->watch.Look(cache->gradients, info, cache->n_outputs, tree.output, task.gradients.unit);
      return;
    }
    auto const& units = task.table.units;
    for (std::int64_t output = 0; output < cache->n_outputs; ++output) {
      cache->watch.Look(cache->gradients, info, cache->n_outputs, output, units[output]);
    }
  }

  /// A tree that is built, and where its rows are.
  struct BuiltTree {
    RoundTree const& round;
    std::int64_t output;
    Span<std::uint8_t const> sampled;
    Span<std::int32_t const> leaf_of_row;
  };

  static void RefreshLeaves(Context const& ctx, MetaInfo const& info, BuiltTree const& tree, DataCache const& cache,
                            Tree* built) {
    auto const index = static_cast<std::size_t>(tree.output);
    if (index >= cache.leaf_quantiles.size() || !cache.leaf_quantiles[index].has_value()) return;
    auto const* const param = tree.round.param;
    if (param == nullptr) Fail(ErrorKind::kInternal, "the booster gave no parameters for the leaves of a tree");
    LeafQuantileTask task;
    task.quantile = *cache.leaf_quantiles[index];
    task.leaf_scale = tree.round.place.leaf_scale;
    task.output = tree.output;
    task.n_outputs = cache.n_outputs;
    task.margins = cache.round_margins;
    task.leaf_of_row = tree.leaf_of_row;
    if (!tree.round.SamplesByGradient()) task.sampled_rows = tree.sampled;  // those do not stand for all alike
    SetLeafQuantiles(ctx, info, *param, task, built);
  }

  static bool AddsLater(RoundTree const& tree, DataCache const& cache) {
    return cache.n_outputs > 1 && !tree.vector_leaves;
  }

  static Span<std::int32_t> LeavesOf(RoundTree const& tree, std::int64_t n_rows, DataCache* cache) {
    if (AddsLater(tree, *cache)) return cache->waiting.NextLeaves(n_rows);
    ResizeLarge(&cache->leaf_of_row, static_cast<std::size_t>(n_rows));
    return cache->leaf_of_row;
  }

  /// The trees of the last output end a round, so that nothing waits after it.
  static void AddLeavesLater(Context const& ctx, Tree const& tree, std::int64_t output, DataCache* cache) {
    cache->waiting.Add(tree, output);
    if (!cache->waiting.IsFull() && output + 1 < cache->n_outputs) return;
    cache->waiting.AddTo(ctx, cache->n_outputs, cache->margins);
  }

  /// output: of a tree that has one.
  static void AddLeaves(Context const& ctx, Tree const& tree, std::int64_t output, DataCache* cache) {
    auto const n_rows = static_cast<std::int64_t>(cache->leaf_of_row.size());
    auto const n_outputs = cache->n_outputs;
    auto const* leaf_of_row = cache->leaf_of_row.data();
    auto* const margins = cache->margins.data() + output;
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

  std::map<std::uint64_t, DataCache> caches_;
};

}  // namespace

std::unique_ptr<Engine> MakeCpuEngine() { return std::make_unique<CpuEngine>(); }

}  // namespace kauri
