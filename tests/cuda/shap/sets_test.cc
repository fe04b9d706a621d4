/// Interactions of sets of features on the device: the bits of the CPU, which are tested against the definitions.
#include "predictor/interactions/set_interactions.h"
#include "predictor/shap/shap_models.h"
#include "shap_fixture.h"

namespace kauri::testing {
namespace {

constexpr InteractionIndex kAllIndices[] = {InteractionIndex::kSii, InteractionIndex::kKSii, InteractionIndex::kStii,
                                            InteractionIndex::kFsii, InteractionIndex::kBii};

class GpuSetsTest : public GpuShapTest {
 protected:
  static SetInteractions RunSets(Predictor const& predictor, Context const& ctx, Model const& model,
                                 DataView const& rows, TreeRange trees, SetInteractionOptions const& options) {
    auto const compiled = predictor.Compile(ctx, model, AllTrees(model));
    auto const start = Start(model);
    SetInteractions out;
    out.values.assign(7, 5.0F);  // old contents are discarded
    predictor.PredictSets(ctx, *compiled, {rows, trees, {start, {}}}, options, &out);
    return out;
  }
  static SetInteractions OnDeviceSets(Model const& model, DataView const& rows, TreeRange trees,
                                      SetInteractionOptions const& options) {
    return RunSets(*MakeGpuPredictor(), OnDevice(), model, rows, trees, options);
  }
  static SetInteractions OnCpuSets(Model const& model, DataView const& rows, TreeRange trees,
                                   SetInteractionOptions const& options) {
    return RunSets(*GetRegistries().predictors.Find("cpu_predictor").make({}), {}, model, rows, trees, options);
  }

  static void ExpectEqual(SetInteractions const& found, SetInteractions const& expected) {
    ASSERT_EQ(found.set_begin, expected.set_begin);
    ASSERT_EQ(found.members, expected.members);
    ASSERT_EQ(found.begin, expected.begin);
    ASSERT_EQ(found.sets, expected.sets);
    ASSERT_EQ(found.base_values, expected.base_values);
    ASSERT_EQ(found.values.size(), expected.values.size());
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      ASSERT_EQ(found.values[i], expected.values[i]) << "entry " << i << " of " << found.values.size();
    }
  }
  static void ExpectCpuBits(Model const& model, DataView const& rows, SetInteractionOptions const& options) {
    SCOPED_TRACE("index " + std::to_string(static_cast<int>(options.index)) + ", order " +
                 std::to_string(options.max_order) + ", top_k " + std::to_string(options.top_k));
    ExpectEqual(OnDeviceSets(model, rows, AllTrees(model), options), OnCpuSets(model, rows, AllTrees(model), options));
  }
};

TEST_F(GpuSetsTest, BitsOfTheCpu) {
  for (auto const& [name, spec] : Specs()) {
    SCOPED_TRACE(name);
    auto const model = RandomModel(spec);
    for (auto const index : kAllIndices) {
      for (std::int64_t const order : {1, 2, 3}) {
        ExpectCpuBits(model, RandomRows(70, spec.n_features, 5), {index, order, 0});
      }
      ExpectCpuBits(model, RandomRows(33, spec.n_features, 6), {index, 3, 4});
    }
  }
}

TEST_F(GpuSetsTest, NumbersOfRows) {
  auto const model = RandomModel({});
  for (std::int64_t const n_rows : {0, 1, 31, 32, 33, 63, 64, 65, 1000}) {
    ExpectCpuBits(model, RandomRows(n_rows, 6, 7), {InteractionIndex::kKSii, 4, 0});
    ExpectCpuBits(model, RandomRows(n_rows, 6, 8), {InteractionIndex::kSii, 2, 3});
  }
}

/// Rows that need more memory than a block has, high orders, and repeated features.
TEST_F(GpuSetsTest, LongPathsAndHighOrders) {
  ExpectCpuBits(ChainModel(40, 40, 0.7F), RandomRows(70, 40, 9), {InteractionIndex::kFsii, 3, 0});
  ExpectCpuBits(ChainModel(300, 5, 0.98F), RandomRows(70, 5, 10), {InteractionIndex::kStii, 3, 0});
  ForestSpec spec;
  spec.n_features = 12;
  spec.depth = 9;
  ExpectCpuBits(RandomModel(spec), RandomRows(20, 12, 11), {InteractionIndex::kSii, 9, 0});
}

TEST_F(GpuSetsTest, BadCoversAndOutputsOfAnySize) {
  ExpectCpuBits(ModelOfBadCovers(), RandomRows(40, 6, 12), {InteractionIndex::kSii, 4, 0});
  ForestSpec spec;
  spec.n_classes = 3;
  spec.n_trees = 9;
  auto model = RandomModel(spec);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    auto& tree = model.trees[t];
    for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
      if (tree.IsLeaf(node) && model.output_of_tree[t] == 1) tree.split_value[node] *= 0x1p-40F;
    }
  }
  ExpectCpuBits(model, RandomRows(40, 6, 13), {InteractionIndex::kKSii, 3, 0});
}

TEST_F(GpuSetsTest, RangesOfTreesTakeTurns) {
  ForestSpec spec;
  spec.n_trees = 8;
  auto const model = RandomModel(spec);
  auto const rows = RandomRows(50, 6, 14);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  auto const start = Start(model);
  for (auto const trees : {TreeRange{0, 8}, TreeRange{2, 5}, TreeRange{4, 4}, TreeRange{0, 8}}) {
    for (auto const index : kAllIndices) {
      SetInteractions found;
      gpu->PredictSets(OnDevice(), *compiled, {rows, trees, {start, {}}}, {index, 3, 0}, &found);
      ExpectEqual(found, OnCpuSets(model, rows, trees, {index, 3, 0}));
    }
  }
}

TEST_F(GpuSetsTest, RowsInDeviceMemory) {
  auto const model = RandomModel({});
  auto const values = MakeValues({300, 6, 0.2, 0, false, 17});
  auto const on_device = cuda::ToDevice(Cuda(), values);
  Cuda().Synchronize();  // for the rows, which another stream reads
  BorrowedRows const storage(DenseLayout(on_device.data(), 300, 6));
  auto const there = MakeDeviceView(storage);
  ExpectEqual(OnDeviceSets(model, *there, AllTrees(model), {InteractionIndex::kSii, 3, 0}),
              OnCpuSets(model, MemoryView(values, 6), AllTrees(model), {InteractionIndex::kSii, 3, 0}));
}

/// The bits do not depend on the tiles.
TEST_F(GpuSetsTest, TilesOfAnySize) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(300, 6, 15);
  auto const start = Start(model);
  cuda::DeviceForest const forest(OnDevice(), model, AllTrees(model));
  cuda::SetModel const sets(forest);
  for (std::int64_t const top_k : {0, 5}) {
    auto const expected = OnCpuSets(model, rows, AllTrees(model), {InteractionIndex::kSii, 3, top_k});
    for (std::int64_t const bytes : {1, 1 << 14, 1 << 17}) {
      SetInteractions found;
      sets.Explain(OnDevice(), {rows, AllTrees(model), {start, {}}}, {InteractionIndex::kSii, 3, top_k}, &found, bytes);
      ExpectEqual(found, expected);
    }
  }
}

TEST_F(GpuSetsTest, RefusalsLeaveTheResult) {
  auto const model = RandomModel({});
  auto const rows = RandomRows(3, 6, 16);
  auto const gpu = MakeGpuPredictor();
  auto const compiled = gpu->Compile(OnDevice(), model, AllTrees(model));
  auto const start = Start(model);
  SetInteractions out;
  out.values.assign(7, 5.0F);
  PredictTask const task{rows, AllTrees(model), {start, {}}};
  EXPECT_THROW(gpu->PredictSets(OnDevice(), *compiled, task, {InteractionIndex::kSii, 0, 0}, &out), Error);
  EXPECT_THROW(gpu->PredictSets(OnDevice(), *compiled, task, {InteractionIndex::kSii, 2, -1}, &out), Error);
  EXPECT_EQ(out.values.size(), 7U);
}

}  // namespace
}  // namespace kauri::testing
