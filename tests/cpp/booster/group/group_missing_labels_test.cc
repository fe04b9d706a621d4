/// Label tables with missing labels (NaN), in groups.
#include "booster/group/group_cases.h"

namespace kauri {
namespace {

using namespace group_test;

/// Some labels are missing. A run of rows, which some ranks have exclusively, lacks one target or all.
TEST(GroupMissingLabels, AnyPartition) {
  auto table = MakeTable(kRows, 2, 18);
  table.n_targets = 3;
  std::mt19937 generator(19);
  auto const first = table.labels;
  table.labels.clear();
  for (std::size_t row = 0; row < first.size(); ++row) {
    for (std::size_t target = 0; target < 3; ++target) {
      auto const is_missing_label = generator() % 3 == 0 || row > 1200 || (row > 900 && target == 1);
      table.labels.push_back(is_missing_label ? std::numeric_limits<float>::quiet_NaN()
                                              : first[(row + 5 * target) % first.size()]);
    }
  }
  for (auto const* objective : {"binary:logistic", "reg:absoluteerror", "binary:focal"}) {
    for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
      Params const params{{"objective", objective}, {"multi_strategy", strategy}, {"eval_metric", "rmse"},
                          {"eval_metric", "auc"},   {"eval_metric", "r2"},        {"subsample", "0.7"}};
      ExpectSame({std::string(objective) + ", " + strategy, params, table}, Partitions(kRows));
    }
  }
}

}  // namespace
}  // namespace kauri
