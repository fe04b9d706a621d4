/// Interactions of sets, compared with sums over the Moebius coefficients of small games, in long double.
#include "predictor/interactions/set_interactions.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "predictor/shap/shap_models.h"
#include "predictor/shap/shap_oracle.h"

namespace kauri {
namespace {

using testing::ForestSpec;
using testing::MemoryView;
using testing::RandomModel;
using testing::RandomRows;

using Members = std::vector<std::uint32_t>;
using Values = std::map<Members, long double>;

constexpr InteractionIndex kIndices[] = {InteractionIndex::kSii, InteractionIndex::kKSii, InteractionIndex::kStii,
                                         InteractionIndex::kFsii, InteractionIndex::kBii};

TreeRange AllOf(Model const& model) { return {0, static_cast<std::int64_t>(model.trees.size())}; }

SetInteractions Compute(Model const& model, MemoryView const& rows, TreeRange trees,
                        SetInteractionOptions const& options, int threads = 1) {
  auto const forest = CompileForest({}, model, AllOf(model));
  LazyInteractions const compiled;
  std::vector<float> const start(ToSize(model.NumOutputs()), 0.5F);
  ForestTask const task{forest, rows, forest.OwnTrees(trees), {start, {}}};
  return ComputeSetInteractions(testing::Threads(threads), task, compiled, options);
}

SetInteractions Compute(Model const& model, MemoryView const& rows, SetInteractionOptions const& options,
                        int threads = 1) {
  return Compute(model, rows, AllOf(model), options, threads);
}

Members MembersOf(SetInteractions const& found, std::uint32_t set) {
  return {found.members.begin() + found.set_begin[set], found.members.begin() + found.set_begin[set + 1]};
}

Values ValuesOf(SetInteractions const& found, std::int64_t block) {
  Values values;
  for (auto entry = found.begin[block]; entry < found.begin[block + 1]; ++entry) {
    values[MembersOf(found, found.sets[entry])] = static_cast<long double>(found.values[entry]);
  }
  return values;
}

long double Choose(std::size_t n, std::size_t k) {
  if (k > n) return 0;
  long double result = 1;
  for (std::size_t i = 0; i < k; ++i)
    result = result * static_cast<long double>(n - i) / static_cast<long double>(i + 1);
  return result;
}

/// Returns the share of the Moebius coefficient of a set of `size + more` features in the index of a subset of `size`.
long double ShareOf(InteractionIndex index, std::size_t order, std::size_t size, std::size_t more) {
  auto const whole = size + more;
  switch (index) {
    case InteractionIndex::kBii:
      return std::pow(0.5L, static_cast<long double>(more));
    case InteractionIndex::kStii:
      if (size < order) return more == 0 ? 1 : 0;
      return 1 / Choose(whole, order);
    case InteractionIndex::kFsii: {
      if (more == 0) return 1;
      if (whole <= order) return 0;
      auto const sign = (order - size) % 2 == 0 ? 1 : -1;
      return sign * static_cast<long double>(size) / static_cast<long double>(order + size) * Choose(order, size) *
             Choose(whole - 1, order) / Choose(whole + order - 1, order + size);
    }
    default:
      return 1 / static_cast<long double>(more + 1);
  }
}

std::size_t SizeOfMask(std::uint32_t mask) {
  std::size_t size = 0;
  for (; mask != 0; mask &= mask - 1) ++size;
  return size;
}

/// Adds one tree's values of an index to those of its output.
void AddGame(testing::TreeGame const& game, InteractionIndex index, std::size_t order, Values* values) {
  auto const& features = game.Features();
  auto const n_sets = std::uint32_t{1} << features.size();
  std::vector<long double> moebius;
  for (std::uint32_t set = 0; set < n_sets; ++set) moebius.push_back(game.Worth(set));
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::uint32_t set = 0; set < n_sets; ++set) {
      if ((set >> i & 1U) != 0) moebius[set] -= moebius[set ^ (1U << i)];
    }
  }
  for (std::uint32_t set = 1; set < n_sets; ++set) {
    auto const size = SizeOfMask(set);
    if (size > order) continue;
    long double value = 0;
    for (std::uint32_t whole = set; whole < n_sets; ++whole) {
      if ((whole & set) == set) value += ShareOf(index, order, size, SizeOfMask(whole) - size) * moebius[whole];
    }
    Members members;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if ((set >> i & 1U) != 0) members.push_back(features[i]);
    }
    (*values)[members] += value;
  }
}

/// Turns SII into k-SII from its definition.
Values Aggregated(Values const& sii) {
  constexpr long double kBernoulli[] = {1, -0.5L, 1 / 6.0L, 0, -1 / 30.0L};
  Values result;
  for (auto const& [members, value] : sii) {
    for (std::uint32_t mask = 1; mask < (1U << members.size()); ++mask) {
      Members subset;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if ((mask >> i & 1U) != 0) subset.push_back(members[i]);
      }
      result[subset] += kBernoulli[members.size() - subset.size()] * value;
    }
  }
  return result;
}

std::vector<Values> Expected(Model const& model, MemoryView const& rows, std::int64_t row, InteractionIndex index,
                             std::size_t order) {
  std::vector<Values> values(ToSize(model.NumOutputs()));
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    testing::TreeGame const game(model.trees[t], model.TreeWeight(static_cast<std::int64_t>(t)), rows, row);
    AddGame(game, index, order, &values[ToSize(model.output_of_tree[t])]);
  }
  if (index != InteractionIndex::kKSii) return values;
  for (auto& of_output : values) of_output = Aggregated(of_output);
  return values;
}

/// Compares all values with the definition. Sets without an entry must have none.
void ExpectByDefinition(Model const& model, MemoryView const& rows, std::int64_t n_rows, std::int64_t most_order = 4) {
  for (auto const index : kIndices) {
    for (std::int64_t order = 1; order <= most_order; ++order) {
      auto const found = Compute(model, rows, {index, order, 0});
      for (std::int64_t row = 0; row < n_rows; ++row) {
        auto const expected = Expected(model, rows, row, index, ToSize(order));
        for (std::size_t output = 0; output < expected.size(); ++output) {
          auto values = ValuesOf(found, row * model.NumOutputs() + static_cast<std::int64_t>(output));
          for (auto const& [members, value] : expected[output]) {
            auto const entry = values.find(members);
            ASSERT_NEAR(static_cast<double>(entry == values.end() ? 0 : entry->second), static_cast<double>(value),
                        2e-6 * static_cast<double>(model.trees.size()))
                << "index " << static_cast<int>(index) << ", order " << order << ", row " << row;
            if (entry != values.end()) values.erase(entry);
          }
          ASSERT_TRUE(values.empty());
        }
      }
    }
  }
}

TEST(SetInteractions, ByDefinition) {
  testing::ForEachSmallModel([](Model const& model, MemoryView const& rows) {
    if (model.n_features <= 7) ExpectByDefinition(model, rows, 2);
  });
}

TEST(SetInteractions, RepeatedFeaturesCategoriesClassesAndWeights) {
  ExpectByDefinition(testing::RepeatingModel(7), RandomRows(3, 2, 5), 3, 2);
  ExpectByDefinition(testing::RepeatingModel(6, 0.5), RandomRows(3, 2, 6), 3, 2);
  ExpectByDefinition(testing::CategoricalDartModel(), RandomRows(3, 6, 7), 3, 3);
  ForestSpec spec;
  spec.depth = 9;
  spec.n_features = 6;
  spec.n_trees = 2;
  ExpectByDefinition(RandomModel(spec), RandomRows(2, 6, 8), 2);
}

TEST(SetInteractions, NoCover) {
  ForestSpec spec;
  spec.n_trees = 3;
  auto model = RandomModel(spec);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    auto& tree = model.trees[t];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node)) continue;
      auto const left = (node + static_cast<std::int32_t>(t)) % 3 == 0;
      tree.SetNodeStatistics(tree.left[node], 0.0F, left ? 0.0F : tree.sum_hessian[node]);
      tree.SetNodeStatistics(tree.right[node], 0.0F, left ? tree.sum_hessian[node] : 0.0F);
    }
  }
  ExpectByDefinition(model, RandomRows(4, 6, 9), 4);
}

std::int64_t NumNotFinite(SetInteractions const& found) {
  return std::count_if(found.values.begin(), found.values.end(), [](float value) { return !std::isfinite(value); });
}

TEST(SetInteractions, BadCoversGiveNumbers) {
  auto const model = testing::ModelOfBadCovers();
  auto const rows = RandomRows(20, 6, 10);
  for (auto const index : kIndices) EXPECT_EQ(NumNotFinite(Compute(model, rows, {index, 4, 0})), 0);
}

/// A path of 40 features, beyond what coalitions can check: the values add up to the margin.
TEST(SetInteractions, LongPathAddsUp) {
  auto const model = testing::ChainModel(40, 40, 0.7F);
  MemoryView const rows(std::vector<float>(40, 1.0F), 40);
  for (auto const index : {InteractionIndex::kKSii, InteractionIndex::kStii, InteractionIndex::kFsii}) {
    for (std::int64_t order = 1; order <= 3; ++order) {
      auto const found = Compute(model, rows, {index, order, 0});
      auto sum = static_cast<double>(found.base_values[0]);
      for (auto const value : found.values) sum += static_cast<double>(value);
      EXPECT_NEAR(sum, 7.5, 1e-4) << static_cast<int>(index) << ' ' << order;
    }
  }
}

TEST(SetInteractions, SameBitsForAnyThreadsAndBatch) {
  ForestSpec spec;
  spec.n_trees = 20;
  spec.n_classes = 3;
  spec.n_features = 9;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(75, 9, 11);
  for (auto const index : kIndices) {
    auto const one = Compute(model, rows, {index, 3, 0});
    auto const three = Compute(model, rows, {index, 3, 0}, 3);
    EXPECT_EQ(one.values, three.values);
    EXPECT_EQ(one.sets, three.sets);
    EXPECT_EQ(one.base_values, three.base_values);
    std::vector<float> last;
    for (std::int64_t feature = 0; feature < 9; ++feature) last.push_back(rows.At(74, feature));
    auto const alone = Compute(model, MemoryView(last, 9), {index, 3, 0});
    EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(), one.values.end() - alone.begin.back()));
  }
}

TEST(SetInteractions, InstructionSetsChangeNothing) {
  auto const model = testing::CategoricalDartModel();
  auto const rows = RandomRows(11, 6, 18);
  auto const best = Compute(model, rows, {InteractionIndex::kFsii, 3, 0});
  for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
    hwy::SetSupportedTargetsForTest(remaining & -remaining);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(Compute(model, rows, {InteractionIndex::kFsii, 3, 0}).values, best.values);
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// An output is as exact beside another that is 2^60 times larger or smaller.
TEST(SetInteractions, OutputsOfAnySize) {
  ForestSpec spec;
  spec.n_trees = 9;
  spec.n_classes = 3;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(4, 6, 26);
  for (auto const index : kIndices) {
    auto const before = Compute(model, rows, {index, 3, 0});
    for (auto const factor : {0x1p-60F, 0x1p60F}) {
      auto scaled = model;
      for (std::size_t t = 0; t < scaled.trees.size(); ++t) {
        if (scaled.output_of_tree[t] == 0) continue;
        auto& tree = scaled.trees[t];
        for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
          if (tree.IsLeaf(node)) tree.split_value[node] *= factor;
        }
      }
      auto const after = Compute(scaled, rows, {index, 3, 0});
      for (std::size_t block = 0; block + 1 < before.begin.size(); ++block) {
        for (auto entry = before.begin[block]; entry < before.begin[block + 1]; ++entry) {
          ASSERT_EQ(before.values[entry] * (block % 3 == 0 ? 1.0F : factor), after.values[entry]);
        }
      }
    }
  }
}

TEST(SetInteractions, RangeOfTreesIsItsOwnModel) {
  ForestSpec spec;
  spec.n_trees = 8;
  spec.n_features = 9;
  auto const model = RandomModel(spec);
  auto part = model;
  part.trees = {model.trees[2], model.trees[3]};
  part.output_of_tree.resize(2);
  auto const rows = RandomRows(5, 9, 12);
  auto const of_range = Compute(model, rows, {2, 4}, {InteractionIndex::kKSii, 3, 0});
  auto const of_part = Compute(part, rows, {InteractionIndex::kKSii, 3, 0});
  EXPECT_EQ(of_range.base_values, of_part.base_values);
  for (std::int64_t row = 0; row < 5; ++row) EXPECT_EQ(ValuesOf(of_range, row), ValuesOf(of_part, row));
}

TEST(SetInteractions, TopKAreTheLargest) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(9, 6, 13);
  auto const all = Compute(model, rows, {InteractionIndex::kSii, 3, 0});
  auto const top = Compute(model, rows, {InteractionIndex::kSii, 3, 4});
  for (std::int64_t row = 0; row < 9; ++row) {
    std::vector<std::pair<float, std::uint32_t>> sorted;
    for (auto entry = all.begin[row]; entry < all.begin[row + 1]; ++entry) {
      sorted.emplace_back(-std::abs(all.values[entry]), all.sets[entry]);
    }
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(top.begin[row + 1] - top.begin[row], 4);
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(top.sets[top.begin[row] + i], sorted[ToSize(i)].second);
      EXPECT_EQ(std::abs(top.values[top.begin[row] + i]), -sorted[ToSize(i)].first);
    }
  }
  EXPECT_EQ(Compute(model, rows, {InteractionIndex::kSii, 3, 100000}).values.size(), all.values.size());
}

TEST(SetInteractions, SetsAreSortedAndDistinct) {
  auto const found = Compute(RandomModel({}), RandomRows(1, 6, 14), {InteractionIndex::kSii, 4, 0});
  std::vector<std::pair<std::size_t, Members>> sets;
  for (std::uint32_t set = 0; set + 1 < found.set_begin.size(); ++set) {
    auto const members = MembersOf(found, set);
    EXPECT_TRUE(std::is_sorted(members.begin(), members.end()));
    sets.emplace_back(members.size(), members);
  }
  EXPECT_TRUE(std::is_sorted(sets.begin(), sets.end()));
  EXPECT_EQ(std::adjacent_find(sets.begin(), sets.end()), sets.end());
}

TEST(SetInteractions, ModelsWithoutSplitsAndNoRows) {
  ForestSpec spec;
  spec.depth = 0;
  auto const found = Compute(RandomModel(spec), RandomRows(3, 6, 15), {InteractionIndex::kKSii, 3, 0});
  EXPECT_EQ(found.begin, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(found.set_begin, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(found.base_values.size(), 3U);
  auto const none = Compute(RandomModel({}), MemoryView({}, 6), {InteractionIndex::kStii, 2, 0});
  EXPECT_EQ(none.begin, std::vector<std::int64_t>{0});
}

/// The largest order asked for does not matter beyond the longest path.
TEST(SetInteractions, OrderBeyondThePaths) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(4, 6, 16);
  for (auto const index : kIndices) {
    auto const six = Compute(model, rows, {index, 6, 0});
    EXPECT_EQ(six.values, Compute(model, rows, {index, std::int64_t{1} << 40, 0}).values);
  }
}

std::string ErrorOf(Model const& model, SetInteractionOptions const& options) {
  try {
    Compute(model, RandomRows(1, model.n_features, 17), options);
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

TEST(SetInteractions, Refusals) {
  auto const model = RandomModel({});
  EXPECT_NE(ErrorOf(model, {InteractionIndex::kSii, 0, 0}).find("max_order is 0; expected at least 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf(model, {InteractionIndex::kSii, 2, -1}).find("top_k is -1"), std::string::npos);
  auto const deep = testing::ChainModel(60, 60, 0.9F);
  EXPECT_NE(ErrorOf(deep, {InteractionIndex::kSii, 16, 0}).find("Use a smaller max_order"), std::string::npos);
  EXPECT_NE(ErrorOf(deep, {InteractionIndex::kSii, 17, 0}).find("at most 16 is supported"), std::string::npos);
  EXPECT_THROW(InteractionIndexNamed("SIII"), Error);
}

}  // namespace
}  // namespace kauri
