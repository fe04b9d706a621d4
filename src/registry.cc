/// \file The registry of all names that parameters can choose, and the factories behind them.
#include "kauri/registry.h"

#include "booster/boosters/boosters.h"
#include "data/file/binary_format.h"
#include "data/memory_budget.h"
#include "data/text/text_reader.h"
#include "engine/cpu_engine.h"
#include "kauri/booster.h"
#include "kauri/plugin.h"
#include "kauri/tree_param.h"
#include "metric/metric_table.h"
#include "objective/objective_table.h"
#include "predictor/predictors.h"
#include "research/absolute_error/moment_search.h"
#include "research/adaboost/adaboost.h"
#include "research/sketch/sketches.h"
#include "tree/exact/exact_builder.h"
#include "tree/hist/hist_builder.h"
#include "tree/update/updaters.h"

namespace kauri {
namespace {

/// TreeParam is listed only once, with the booster.
void Fill(Registries* all) {
  all->tree_methods.Add({"exact", "Every boundary between two values is a candidate, over presorted columns.",
                         MakeExactBuilder, &DescribeParameters<MemoryParam>, ExactSupports()});
  all->tree_methods.Add({"hist", "Boundaries between quantile bins are candidates, over histograms.", MakeHistBuilder,
                         &HistParameters, HistSupports()});
  all->tree_methods.Add({"approx", "As hist, with bins made for each tree from quantiles weighted by hessians.",
                         MakeApproxBuilder, &DescribeParameters<MemoryParam>, ApproxSupports()});
  all->tree_updaters.Add({"refresh", "Statistics of nodes and values of leaves become those of other data.",
                          [](TrainingParams const& params) {
                            return std::make_unique<RefreshUpdater>(params.tree,
                                                                    ParseParameters<RefreshParam>(params.all));
                          },
                          &DescribeParameters<RefreshParam>});
  all->tree_updaters.Add({"prune", "Splits that bring less than gamma, or lie at max_depth or below, become leaves.",
                          [](TrainingParams const& params) { return std::make_unique<PruneUpdater>(params.tree); }});
  RegisterPredictors(&all->predictors);
  RegisterLinearPredictor(&all->predictors);
  RegisterObjectives(&all->objectives);
  RegisterMetrics(&all->metrics);
  RegisterBoosters(&all->boosters);
  RegisterAdaBoost(all);
  RegisterLinearBooster(&all->boosters);
  RegisterResearchSketches(&all->sketches);
  RegisterErrorSketches(&all->error_sketches);
  all->engines.Add({"cpu", "Margins and gradients in host memory.", MakeCpuEngine, nullptr, CpuEngineSupports()});
  all->readers.Add({"libsvm", "Sparse text: label[:weight] [qid:n] index:value ...",
                    [](Context const& ctx, std::string const& path, ParamMap const& params) {
                      return ReadLibsvm(ctx, path, params);
                    },
                    &DescribeParameters<LibsvmParam>});
  all->readers.Add(
      {"csv", "Numbers separated by commas; an empty field is missing.",
       [](Context const& ctx, std::string const& path, ParamMap const& params) { return ReadCsv(ctx, path, params); },
       &DescribeParameters<CsvParam>});
  all->readers.Add({"binary", "What DMatrix.save_binary wrote, labels and all; known without naming it.",
                    [](Context const& ctx, std::string const& path, ParamMap const& params) {
                      return ReadBinary(ctx, path, params);
                    }});
}

struct TableOfContents : Registries {
  TableOfContents() {
    try {
      Fill(this);
      LoadPlugins(this);
    } catch (...) {  // the next call tries again, and these two outlive the table
      sketches.Clear();
      error_sketches.Clear();
      throw;
    }
  }
};

}  // namespace

Registries& GetRegistries() {
  static TableOfContents registries;
  return registries;
}

}  // namespace kauri
