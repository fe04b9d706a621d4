/// Splits of a level by label bins on the device against the host's, bit for bit; the label bins behind them; rows in
/// the order of their nodes.
#include <numeric>

#include "cuda/exact/label_bins/level_labels.h"
#include "cuda/exact/label_bins/node_bins.h"
#include "exact/label_bins/label_fixture.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri::testing {
namespace {

class LabelLevelTest : public DeviceTest {
 protected:
  /// Returns the nodes of all rows. Rows that are not sampled have one as well.
  static std::vector<std::int32_t> PositionsOf(Level const& level, Labels const& labels) {
    auto positions = level.node_of_row;
    for (std::size_t row = 0; row < positions.size(); ++row) {
      if (positions[row] == kFinished) positions[row] = labels.IsUsed(row) ? ~7 : 0;
    }
    return positions;
  }
  LineErrors OnDevice(Labels const& labels) {
    residuals_ = cuda::ToDevice(Cuda(), labels.residuals);
    weights_ = cuda::ToDevice(Cuda(), labels.weights);
    auto errors = labels.Errors();
    errors.residuals = residuals_.span();
    errors.weights = weights_.span();
    return errors;
  }
  /// Compares the splits, and finds the same bins twice, because the data that a level leaves behind must not affect
  /// the next.
  void Compare(Level const& level, Labels const& labels, Condition const& condition = {}) {
    SCOPED_TRACE(::testing::Message() << level.pairs.size() << " rows, alpha " << labels.alpha);
    auto const expected = OracleSplits(level, labels, condition);
    auto const errors = OnDevice(labels);
    auto const sampled = cuda::ToDevice(Cuda(), labels.sampled);
    auto const positions = cuda::ToDevice(Cuda(), PositionsOf(level, labels));
    std::vector<SplitLimits> const limits(static_cast<std::size_t>(level.n_nodes), {{labels.least_rows, 0}, {}});
    auto const device_limits = cuda::ToDevice(Cuda(), limits);
    std::vector<unsigned long long> counts(limits.size());
    for (auto const node : level.node_of_row) {
      if (node != kFinished) ++counts[static_cast<std::size_t>(node)];
    }
    auto const node_rows = cuda::ToDevice(Cuda(), counts);
    for (int run = 0; run < 2; ++run) {
      bins_.Start(Cuda(), errors, sampled.span());
      bins_.Prepare(Cuda(), positions.span(), level.n_nodes);
      auto const on_device = MakeDeviceCondition(Cuda(), level, condition);
      auto entries = MakeDeviceLevel(Cuda(), LayOut(level, true), level.both_ways);
      cuda::SumSegments(Cuda(), entries.workspace, &entries.chunk);
      auto task = cuda::SplitTask(TaskOf(level, entries, on_device));
      task.limits = device_limits.data();
      task.node_rows = node_rows.data();
      bins_.FindSplits(Cuda(), task, entries.workspace.ReserveSplit(Cuda(), entries.chunk), on_device.best.data());
      ExpectSameSplits(expected, Fetch(Cuda(), on_device.best));
    }
  }

 private:
  cuda::Buffer<float> residuals_;
  cuda::Buffer<float> weights_;
  cuda::LevelLabels bins_;
};

/// Sizes around tiles (512) and above the sample for edges (4,096); nodes without rows.
std::vector<std::int64_t> NodeSizes() { return {1, 33, 511, 512, 513, 2100, 0, 2, 0, 640, 3, 4097, 9000}; }

TEST_F(LabelLevelTest, NodesOfEverySize) {
  for (auto const kind : kAllResiduals) {
    for (auto const missing : {0.0, 0.3}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ", missing " << missing);
      auto const weighed = missing > 0.0;
      auto level = MakeLevel({NodeSizes(), 700, 3, missing, weighed ? 40U : 0U, false, 1});
      level.param.min_child_weight = 0.0;
      Compare(level, MakeLabels(level.pairs.size(), kind, weighed, 2));
    }
  }
}

TEST_F(LabelLevelTest, Quantiles) {
  for (auto const alpha : {0.05, 0.1, 0.9}) {
    auto const level = MakeLevel({{3000, 700, 20}, 0, 2, 0.2, 0, false, 4});
    auto labels = MakeLabels(level.pairs.size(), Residuals::kSkewed, alpha > 0.5, 5);
    labels.alpha = alpha;
    Compare(level, labels);
  }
}

TEST_F(LabelLevelTest, RowsAreSampledAndLimited) {
  for (auto const least : {0, 5, 60}) {
    auto level = MakeLevel({{5000, 300, 40, 1}, 900, 2, 0.1, 30, false, 6});
    auto labels = MakeLabels(level.pairs.size(), Residuals::kNormal, true, 7);
    labels.least_rows = least;
    for (auto const node : level.node_of_row) labels.sampled.push_back(node == kFinished ? 0 : 1);
    level.param.min_child_weight = 1e-3;
    Compare(level, labels);
  }
}

/// Rows without gradients: only the number of rows shows that a segment lacks them.
TEST_F(LabelLevelTest, MissingRowsWithoutGradients) {
  auto level = MakeLevel({{700, 90}, 0, 2, 0.0, 0, false, 8});
  for (auto& column : level.columns) {
    column.erase(std::remove_if(column.begin(), column.end(), [](ColumnEntry entry) { return entry.row % 7 == 3; }),
                 column.end());
  }
  level.SortColumns();
  for (std::size_t row = 3; row < level.pairs.size(); row += 7) level.pairs[row] = {0, 0};
  level.param.min_child_weight = 0.0;
  Compare(level, MakeLabels(level.pairs.size(), Residuals::kSkewed, true, 9));
}

TEST_F(LabelLevelTest, ConstantAndShortColumns) {
  for (auto const missing : {0.0, 0.4, 0.9, 0.99, 1.0}) {
    SCOPED_TRACE(missing);
    auto level = MakeLevel({{1100, 40, 1}, 30, 3, missing, 0, false, 10});
    for (auto& entry : level.columns[1]) entry.value = 5.0F;
    for (auto& entry : level.columns[2]) entry.value = std::numeric_limits<float>::max();
    level.SortColumns();
    level.param.min_child_weight = 0.0;
    Compare(level, MakeLabels(level.pairs.size(), Residuals::kNormal, false, 11));
  }
}

TEST_F(LabelLevelTest, ALongSegmentAndManyNodes) {
  auto const one = MakeLevel({{70000}, 0, 1, 0.0, 0, false, 12});
  Compare(one, MakeLabels(one.pairs.size(), Residuals::kSkewed, false, 13));
  auto const lacking = MakeLevel({{40000}, 5, 1, 0.5, 1000, false, 12});
  Compare(lacking, MakeLabels(lacking.pairs.size(), Residuals::kOutlier, true, 13));
  auto const many = MakeLevel({std::vector<std::int64_t>(1500, 9), 100, 2, 0.2, 0, true, 14});
  Compare(many, MakeLabels(many.pairs.size(), Residuals::kNormal, false, 15));
}

TEST_F(LabelLevelTest, NodesMayNotUseAllFeatures) {
  auto const level = MakeLevel({{900, 33, 1200}, 0, 4, 0.2, 0, false, 16});
  Condition condition;
  for (std::size_t cell = 0; cell < 3 * NumIds(level); ++cell) condition.allowed.push_back(cell % 5 < 3 ? 1 : 0);
  Compare(level, MakeLabels(level.pairs.size(), Residuals::kNormal, false, 17), condition);
}

/// Compares the bins of one node with LabelBinner's.
void ExpectBinsOfNode(std::vector<std::uint32_t> const& rows, FixedResiduals const& residuals,
                      std::vector<std::uint8_t> const& bins, std::vector<ResidualSum> const& found) {
  LabelBinner const binner(residuals);
  std::vector<std::uint8_t> expected(rows.size());
  binner.Find({rows.data(), 0, static_cast<std::int64_t>(rows.size())}, expected.data());
  LabelSums sums{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(expected[i], bins[rows[i]]) << rows[i];
    sums[expected[i]] += residuals.Of(rows[i]);
  }
  for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
    EXPECT_EQ(sums[bin].weight, found[bin].weight) << bin;
    EXPECT_EQ(sums[bin].product, found[bin].product) << bin;
  }
}

TEST_F(LabelLevelTest, BinsAreTheHosts) {
  for (auto const kind : kAllResiduals) {
    SCOPED_TRACE(static_cast<int>(kind));
    auto const level = MakeLevel({{9000, 1, 4096, 4097, 0, 700}, 60, 1, 0.0, 0, false, 18});
    auto const labels = MakeLabels(level.pairs.size(), kind, true, 19);
    FixedResiduals const residuals(Context{}, labels.Errors(), labels.sampled);
    auto const errors = OnDevice(labels);
    cuda::ResidualRows rows;
    rows.Fix(Cuda(), errors, {});
    EXPECT_EQ(rows.Scale().weight_unit, residuals.Scale().weight_unit);
    EXPECT_EQ(rows.Scale().product_unit, residuals.Scale().product_unit);
    auto const positions = cuda::ToDevice(Cuda(), PositionsOf(level, labels));
    cuda::NodeOrder order;
    auto const shares = cuda::ToDevice(Cuda(), SharesOfEdges(residuals.Quantile()));
    auto const n_bins = static_cast<std::size_t>(level.n_nodes) * kLabelBins;
    cuda::Buffer<float> const edges(Cuda(), n_bins);
    cuda::Buffer<std::uint8_t> const bins(Cuda(), level.pairs.size());
    cuda::Buffer<ResidualSum> const sums(Cuda(), n_bins);
    cuda::Buffer<cuda::NodeLabels> const nodes(Cuda(), static_cast<std::size_t>(level.n_nodes));
    cuda::FindNodeBins(Cuda(),
                       {order.Sort(Cuda(), positions.span(), {}, level.n_nodes), rows.Scale(), errors.residuals.data(),
                        rows.Sums(), shares.data(), edges.data(), bins.data(), sums.data(), nodes.data()});
    auto const all_bins = Fetch(Cuda(), bins);
    auto const all_sums = Fetch(Cuda(), sums);
    for (std::int32_t node = 0; node < level.n_nodes; ++node) {
      SCOPED_TRACE(node);
      std::vector<std::uint32_t> of_node;
      for (std::size_t row = 0; row < level.pairs.size(); ++row) {
        if (level.node_of_row[row] == node) of_node.push_back(static_cast<std::uint32_t>(row));
      }
      auto const* const first = all_sums.data() + static_cast<std::size_t>(node) * kLabelBins;
      ExpectBinsOfNode(of_node, residuals, all_bins, {first, first + kLabelBins});
    }
  }
}

TEST_F(LabelLevelTest, RowsAreInTheOrderOfTheirNodes) {
  for (std::int32_t const n_nodes : {1, 2, 3, 255, 256, 1000}) {
    Random random(static_cast<std::uint64_t>(n_nodes));
    std::vector<std::int32_t> positions(5000);
    std::vector<std::uint8_t> sampled(positions.size());
    std::vector<std::vector<std::uint32_t>> expected(static_cast<std::size_t>(n_nodes) + 1);
    for (std::size_t row = 0; row < positions.size(); ++row) {
      positions[row] = static_cast<std::int32_t>(random.Below(static_cast<std::uint32_t>(n_nodes) + 1)) - 1;
      sampled[row] = random.Below(4) == 0 ? 0 : 1;
      auto const is_in = positions[row] >= 0 && sampled[row] != 0;
      expected[static_cast<std::size_t>(is_in ? positions[row] : n_nodes)].push_back(static_cast<std::uint32_t>(row));
    }
    auto const on_device = cuda::ToDevice(Cuda(), positions);
    auto const marks = cuda::ToDevice(Cuda(), sampled);
    cuda::NodeOrder order;
    auto const sorted = order.Sort(Cuda(), on_device.span(), marks.span(), n_nodes);
    auto const rows = cuda::ToHost(Cuda(), sorted.rows, positions.size());
    auto const nodes = cuda::ToHost(Cuda(), sorted.nodes, positions.size());
    auto const begin = cuda::ToHost(Cuda(), sorted.begin, expected.size());
    std::size_t at = 0;
    for (std::size_t node = 0; node < expected.size(); ++node) {
      EXPECT_EQ(begin[node], static_cast<std::int64_t>(at));
      for (auto const row : expected[node]) {
        ASSERT_EQ(rows[at], row);
        ASSERT_EQ(nodes[at++], node);
      }
    }
  }
}

}  // namespace
}  // namespace kauri::testing
