/// The code of device threads for interactions of sets, run on the host: the sums of the vectors of the CPU.
#include "predictor/lanes/interaction_lane.h"

#include <gtest/gtest.h>
#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "predictor/forest/walk.h"
#include "predictor/interactions/interaction_kernel.h"
#include "predictor/shap/shap_models.h"

namespace kauri {
namespace {

constexpr InteractionIndex kIndicesOfLanes[] = {InteractionIndex::kSii, InteractionIndex::kKSii,
                                                InteractionIndex::kStii, InteractionIndex::kFsii,
                                                InteractionIndex::kBii};

/// The memory of a row on the host, for the code of device threads.
struct HostSetLane {
  std::vector<double> memory;
  std::vector<std::int32_t> const& keys;
  CategoryConditionsView categories;
  std::vector<std::int64_t> sums;

  double Load(std::int32_t place) const { return memory[ToSize(place)]; }
  void Store(std::int32_t place, double value) { memory[ToSize(place)] = value; }
  std::int32_t Key(std::uint32_t slot) const { return keys[slot]; }
  CategoryConditionsView Categories() const { return categories; }
  void Add(std::uint32_t set, double value) { sums[set] += RoundTerm(value); }
};

/// Returns the sums of a row and output by the code of device threads, one tree after the other from the last on.
std::vector<std::int64_t> SumsOfLanes(Forest const& forest, InteractionForest const& compiled,
                                      std::vector<std::int32_t> const& keys, std::int32_t output, double scale) {
  std::vector<std::int64_t> sums(ToSize(compiled.sets.Count()), 0);
  for (auto tree = forest.NumTrees() - 1; tree >= 0; --tree) {
    auto const n_features = compiled.trees[ToSize(tree)].n_features;
    if (forest.output_of_tree[ToSize(tree)] != output || n_features == 0) continue;
    auto const weights = WeightsOfLanes(compiled.rules[ToSize(n_features)]);
    auto view = ViewOfTree(compiled, tree);
    view.weights = weights.data();
    HostSetLane lane{std::vector<double>(ToSize(view.NumPlaces())), keys, compiled.categories.View(), std::move(sums)};
    InteractionLane<HostSetLane>(view, scale, &lane).Walk();
    sums = std::move(lane.sums);
  }
  return sums;
}

/// Compares the sums of both codes, for all rows.
void ExpectSameSums(Model const& model, testing::MemoryView const& rows, InteractionIndex index, std::int32_t order) {
  auto const forest = CompileForest({}, model, TreeRange{0, static_cast<std::int64_t>(model.trees.size())});
  auto const compiled = CompileInteractions(forest, index, order);
  auto const scales = SetScales(forest, compiled, {0, forest.NumTrees()});
  auto const size = ToSize(std::max<std::int64_t>(1, compiled.sets.Count()) * kInteractionRows);
  auto const sums = hwy::AllocateAligned<std::int64_t>(size);
  for (std::int64_t row = 0; row < rows.NumRows(); ++row) {
    std::vector<std::int32_t> keys(ToSize(forest.NumSlots() * kInteractionRows), kMissingKey);
    ReadKeys(forest, rows, row, row + 1, kInteractionRows, keys.data());
    std::vector<std::int32_t> own;
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) own.push_back(keys[ToSize(slot * kInteractionRows)]);
    for (std::int32_t output = 0; output < forest.n_outputs; ++output) {
      std::fill_n(sums.get(), size, 0);
      InteractionScratch scratch;
      for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
        auto const& of_tree = compiled.trees[ToSize(tree)];
        if (forest.output_of_tree[ToSize(tree)] != output || of_tree.n_features == 0) continue;
        AddInteractions({&compiled, &of_tree, keys.data(), scales[ToSize(output)], sums.get()}, &scratch);
      }
      auto const of_lanes = SumsOfLanes(forest, compiled, own, output, scales[ToSize(output)]);
      for (std::size_t set = 0; set < of_lanes.size(); ++set) {
        ASSERT_EQ(of_lanes[set], sums[set * ToSize(kInteractionRows)]) << "set " << set << ", order " << order;
      }
    }
  }
}

TEST(InteractionLane, HasTheBitsOfVectors) {
  testing::ForestSpec spec;
  spec.n_trees = 6;
  spec.n_classes = 3;
  spec.n_features = 9;
  spec.depth = 7;
  for (auto const index : kIndicesOfLanes) {
    for (std::int32_t const order : {1, 2, 3, 5, 9}) {
      ExpectSameSums(testing::RandomModel(spec), testing::RandomRows(3, 9, 21), index, order);
      ExpectSameSums(testing::CategoricalDartModel(), testing::RandomRows(3, 6, 22), index, order);
      ExpectSameSums(testing::RepeatingModel(7), testing::RandomRows(3, 2, 23), index, order);
    }
    ExpectSameSums(testing::ModelOfBadCovers(), testing::RandomRows(3, 6, 24), index, 4);
    ExpectSameSums(testing::ChainModel(40, 40, 0.7F), testing::RandomRows(2, 40, 25), index, 3);
  }
}

}  // namespace
}  // namespace kauri
