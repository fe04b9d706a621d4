/// The owner of margins and gradients: after any sequence of operations, rows in several shards have the bytes of rows
/// in one shard. The shards are on one device, or on all devices that are there.
#include "cuda/engine/sharded_rows.h"

#include <cstring>
#include <string>

#include "cuda/common/buffer.h"
#include "cuda/common/fill_margins.h"
#include "cuda/objective/device_objective.h"
#include "support/device_fixture.h"
#include "support/many_devices.h"

namespace kauri::testing {
namespace {

template <typename T>
std::string BytesOf(std::vector<T> const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)};
}

struct Shape {
  std::int64_t n_rows;
  std::int64_t n_outputs;
};

/// Rows and the operations of a boosting session on them. Every operation returns the bytes that it has read.
class RowSession {
 public:
  RowSession(cuda::CudaContext const& main, Context const& ctx, Shape const& shape)
      : main_(main), ctx_(ctx), shape_(shape) {
    objective_ = cuda::MakeDeviceObjective(*GetRegistries().objectives.Find("reg:squarederror").make({}));
    auto const n = ToSize(shape.n_rows * shape.n_outputs);
    labels_ = cuda::ToDevice(main_, UniformValues(n, -1.0F, 1.0F, 5));
    weights_ = cuda::ToDevice(main_, UniformValues(ToSize(shape.n_rows), 0.5F, 2.0F, 6));
    rows_.Allocate(main_, shape.n_rows, shape.n_outputs);
    Set(1);
    rows_.PrepareTraining(main_);
  }

  std::string Compute() {
    cuda::DeviceInfo const info{shape_.n_rows, shape_.n_outputs, labels_.span(), weights_.span()};
    rows_.ComputeGradients({main_, ctx_, *objective_, info, revision_, 0, 1});
    return {};
  }
  std::string Give(std::uint64_t seed) {
    auto const pairs = UniformValues(2 * ToSize(shape_.n_rows * shape_.n_outputs), -1.0F, 1.0F, seed);
    auto const to = rows_.GradientsToSet();
    cuda::CopyToDevice(main_, pairs.data(), pairs.size(), reinterpret_cast<float*>(to.data()));
    main_.Synchronize();  // for `pairs`
    return {};
  }
  std::string Set(std::uint64_t seed) {
    auto const margins = UniformValues(ToSize(shape_.n_rows * shape_.n_outputs), -1.0F, 1.0F, seed);
    cuda::CopyToDevice(main_, margins.data(), margins.size(), rows_.MarginsToSet().data());
    main_.Synchronize();  // for `margins`
    return {};
  }
  /// Changes only the first margin and the last: the others must be there.
  std::string Change(std::uint64_t seed) {
    auto const values = UniformValues(2, -1.0F, 1.0F, seed);
    auto const margins = rows_.MarginsToChange(main_);
    cuda::CopyToDevice(main_, values.data(), 1, margins.data());
    cuda::CopyToDevice(main_, values.data() + 1, 1, margins.data() + margins.size() - 1);
    main_.Synchronize();  // for `values`
    return {};
  }
  std::string ChangeLabels(std::uint64_t seed) {
    labels_ = cuda::ToDevice(main_, UniformValues(labels_.size(), -1.0F, 1.0F, seed));
    ++revision_;
    return {};
  }
  std::string ReadMargins() {
    auto const margins = rows_.Margins(main_);
    return BytesOf(cuda::ToHost(main_, margins.data(), margins.size()));
  }
  std::string ReadGradients() {
    auto const gradients = rows_.Gradients(main_);
    return BytesOf(cuda::ToHost(main_, gradients.pairs.data(), gradients.pairs.size()));
  }
  /// Makes the input of a tree, puts rows into five leaves, and adds these.
  std::string Grow(bool takes_shards, float rate, std::uint64_t key) {
    auto const output = static_cast<std::int64_t>(key) % shape_.n_outputs;
    rows_.BeginTree(main_, takes_shards);
    auto& here = rows_.TreeHere();
    FindLargest();
    rows_.Quantise(main_, rows_.GradientsHere(), output, {key, rate}, here.Marks(main_, rate, rows_.NumRowsHere()));
    auto seen = ReadInput(key);
    auto const of_first = here.summary.Fetched(output);
    seen += BytesOf<FixedSum>({of_first.sum + rows_.SumOfOthers()});
    seen += BytesOf<cuda::LargestMagnitude>({of_first.largest});
    Tree tree;
    tree.split_value = UniformValues(kLeaves, -1.0F, 1.0F, key);
    rows_.AddLeaves(main_, tree, output);
    return seen;
  }
  cuda::ShardedRows const& Rows() const { return rows_; }

 private:
  static constexpr std::size_t kLeaves = 5;

  void FindLargest() {
    auto& summary = rows_.TreeHere().summary;
    if (rows_.HasLargest()) return summary.ClearTotals(main_);
    auto const gradients = rows_.GradientsHere();
    summary.Clear(main_, gradients.n_outputs);
    cuda::FindLargest(main_, gradients, summary.Largest());
    rows_.AgreeOnLargest(main_);
    rows_.SetHasLargest(true);
  }
  /// Returns the pairs of all shards, and writes the rows' leaves.
  std::string ReadInput(std::uint64_t key) {
    auto const leaves_here = rows_.LeavesHere();
    std::vector<std::int32_t> leaves;
    for (std::int64_t row = 0; row < shape_.n_rows; ++row) {
      leaves.push_back(static_cast<std::int32_t>((ToSize(7 * row) + key) % kLeaves));
    }
    cuda::CopyToDevice(main_, leaves.data(), leaves_here.size(), leaves_here.data());
    auto pairs = BytesOf(cuda::ToHost(main_, rows_.TreeHere().pairs.data(), leaves_here.size()));
    auto next = leaves_here.size();
    for (auto const& input : rows_.Inputs()) {
      cuda::DeviceScope const scope(input.cuda.device);
      cuda::CopyToDevice(input.cuda, leaves.data() + next, input.leaf_of_row.size(), input.leaf_of_row.data());
      pairs += BytesOf(cuda::ToHost(input.cuda, input.pairs.data(), input.pairs.size()));
      next += input.leaf_of_row.size();
    }
    EXPECT_EQ(next, leaves.size());
    return pairs;
  }

  cuda::CudaContext const& main_;
  Context ctx_;
  Shape shape_;
  std::uint64_t revision_ = 1;
  std::unique_ptr<cuda::DeviceObjective> objective_;
  cuda::Buffer<float> labels_;
  cuda::Buffer<float> weights_;
  cuda::ShardedRows rows_;
};

class ShardedRowsTest : public DeviceTest {
 protected:
  Context On(Devices const& devices) const { return Among(OnDevice(), devices); }

  static std::string Act(std::uint64_t choice, std::uint64_t seed, RowSession* rows) {
    switch (choice) {
      case 0:
        return rows->Compute();
      case 1:
        return rows->Give(seed);
      case 2:
        return rows->Set(seed);
      case 3:
        return rows->Change(seed);
      case 4:
        return rows->ChangeLabels(seed);
      case 5:
        return rows->ReadMargins();
      case 6:
        return rows->ReadGradients();
      case 7:
        return rows->Grow(false, 1.0F, seed);
      case 8:
        return rows->Grow(true, 0.6F, seed);
      default:
        return rows->Grow(true, 1.0F, seed);
    }
  }
};

TEST_F(ShardedRowsTest, AnySequenceGivesTheBytesOfOneShard) {
  for (auto const& devices : ManyDevices()) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed);
      auto const n_devices = static_cast<std::int64_t>(devices.size());
      Shape const shape{n_devices + static_cast<std::int64_t>(random.Below(seed % 2 == 0 ? 5 : 2000)),
                        seed % 3 == 0 ? 3 : 1};
      RowSession one(Cuda(), OnDevice(), shape);
      RowSession many(Cuda(), On(devices), shape);
      std::string acts;
      for (int i = 0; i < 80; ++i) {
        // Gradients come first, and an objective computes most of them.
        auto const drawn = static_cast<std::uint64_t>(random.Below(13));
        auto const choice = i == 0 || drawn == 12 ? 0 : drawn;
        acts += " " + std::to_string(choice);
        auto const act = static_cast<std::uint64_t>(100 * seed + i);
        ASSERT_EQ(Act(choice, act, &one), Act(choice, act, &many)) << Text(devices) << ", seed " << seed << ":" << acts;
        ASSERT_EQ(one.Rows().NumShards(), 1U);
      }
      ASSERT_EQ(one.ReadMargins(), many.ReadMargins()) << Text(devices) << ", seed " << seed << ":" << acts;
      ASSERT_EQ(one.ReadGradients(), many.ReadGradients()) << Text(devices) << ", seed " << seed << ":" << acts;
    }
  }
}

/// The test above would also pass if there were always one shard.
TEST_F(ShardedRowsTest, ARoundHasAShardForEachDeviceUnlessATreeNeedsAllRows) {
  for (auto const& devices : ManyDevices()) {
    RowSession rows(Cuda(), On(devices), {100, 1});
    EXPECT_EQ(rows.Rows().NumShards(), 1U);
    rows.Compute();
    EXPECT_EQ(rows.Rows().NumShards(), devices.size());
    EXPECT_LT(rows.Rows().NumRowsHere(), 100);
    rows.ReadMargins();
    rows.ReadGradients();
    rows.Grow(true, 1.0F, 1);
    EXPECT_EQ(rows.Rows().NumShards(), devices.size());
    rows.Grow(false, 1.0F, 2);
    EXPECT_EQ(rows.Rows().NumShards(), 1U);
    EXPECT_EQ(rows.Rows().NumRowsHere(), 100);
    rows.Compute();  // the next round expects such trees
    EXPECT_EQ(rows.Rows().NumShards(), 1U);
    rows.Grow(true, 1.0F, 3);
    EXPECT_EQ(rows.Rows().NumShards(), 1U);
    rows.Compute();
    EXPECT_EQ(rows.Rows().NumShards(), devices.size());
    rows.Give(4);
    EXPECT_EQ(rows.Rows().NumShards(), 1U);
  }
}

/// Fewer rows than devices are cut into fewer shards.
TEST_F(ShardedRowsTest, FewRows) {
  RowSession one_row(Cuda(), On({0, 0, 0}), {1, 1});
  one_row.Compute();
  EXPECT_EQ(one_row.Rows().NumShards(), 1U);
  RowSession two_rows(Cuda(), On({0, 0, 0}), {2, 1});
  two_rows.Compute();
  EXPECT_EQ(two_rows.Rows().NumShards(), 2U);
}

/// A round on one device copies the leaf values to the device and the summary to the host, and nothing else.
TEST_F(ShardedRowsTest, OneShardAddsNoCopy) {
  RowSession rows(Cuda(), OnDevice(), {1000, 1});
  auto const before = cuda::ThreadCopyCounts();
  rows.Compute();
  auto const of_gradients = cuda::ThreadCopyCounts() - before;
  EXPECT_EQ(of_gradients.to_device_copies, 0U);
  EXPECT_EQ(of_gradients.to_host_copies, 0U);
  rows.Grow(true, 1.0F, 1);
  auto const of_round = cuda::ThreadCopyCounts() - before;
  EXPECT_EQ(of_round.to_device_copies, 2U);  // the leaves that this test writes, and the values of the leaves
  EXPECT_EQ(of_round.to_host_copies, 2U);    // the pairs that this test reads, and the summary
}

}  // namespace
}  // namespace kauri::testing
