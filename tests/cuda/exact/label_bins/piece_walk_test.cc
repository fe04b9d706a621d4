/// A thread's work on a piece, on the host: the best of a segment's pieces equals the result of the host's scan. Sums
/// of tiles are computed here by their definition.
#include "cuda/exact/label_bins/piece_walk.h"

#include <array>

#include "exact/label_bins/label_fixture.h"
#include "tree/absolute_error/label_binner.h"

namespace kauri::testing {
namespace {

/// A level's label bins in host memory.
struct HostLabels {
  HostLabels(Level const& level, Labels const& labels) : residuals(Context{}, labels.Errors(), labels.sampled) {
    auto const n_rows = level.pairs.size();
    for (std::size_t row = 0; row < n_rows; ++row) sums.push_back(residuals.Of(static_cast<std::int64_t>(row)));
    bins.resize(n_rows);
    LabelBinner const binner(residuals);
    for (std::int32_t node = 0; node < level.n_nodes; ++node) {
      std::vector<std::uint32_t> rows;
      for (std::size_t row = 0; row < n_rows; ++row) {
        if (level.node_of_row[row] == node) rows.push_back(static_cast<std::uint32_t>(row));
      }
      std::vector<std::uint8_t> found(rows.size());
      binner.Find({rows.data(), 0, static_cast<std::int64_t>(rows.size())}, found.data());
      LabelSums of_node{};
      cuda::NodeLabels of_all;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        bins[rows[i]] = found[i];
        of_node[found[i]] += sums[rows[i]];
        of_all.all += sums[rows[i]];
      }
      of_all.errors = BinSides(residuals, of_node, of_all.all).RightErrors();
      node_bins.insert(node_bins.end(), of_node.begin(), of_node.end());
      nodes.push_back(of_all);
      n_of_node.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }
  cuda::LabelLevel View() const {
    return {residuals.Scale(), bins.data(), sums.data(), node_bins.data(), nodes.data()};
  }

  FixedResiduals residuals;
  std::vector<std::uint8_t> bins;
  std::vector<ResidualSum> sums;
  std::vector<ResidualSum> node_bins;
  std::vector<cuda::NodeLabels> nodes;
  std::vector<std::int64_t> n_of_node;
};

/// TileSums by their definition. If a segment continues over several tiles, its entries in all tiles except the last
/// count as before the later tiles, modulo 2^64 from an arbitrary number.
struct HostTiles {
  HostTiles(Layout const& layout, HostLabels const& labels)
      : n_tiles(cuda::NumTiles(layout.NumEntries())),
        ends(kLabelBins * static_cast<std::size_t>(n_tiles)),
        weights(ends.size()),
        products(ends.size()) {
    auto going_on = ends;
    for (auto const& piece : LivePieces(layout.segments, layout.n_nodes)) {
      auto const segment = static_cast<std::size_t>(piece.segment);
      auto const goes_on = piece.end < layout.segments[segment + 1];
      if (!goes_on && piece.begin == layout.segments[segment]) continue;
      for (auto index = piece.begin; index < piece.end; ++index) {
        auto const row = layout.rows[static_cast<std::size_t>(index)];
        auto const at = labels.bins[row] * static_cast<std::size_t>(n_tiles) + static_cast<std::size_t>(piece.tile);
        (goes_on ? going_on : ends)[at] += labels.sums[row];
      }
    }
    auto weight = ~0ULL - 5;
    auto product = ~0ULL - 7;
    for (std::size_t at = 0; at < going_on.size(); ++at) {
      weights[at] = weight;
      products[at] = product;
      weight += static_cast<unsigned long long>(going_on[at].weight);
      product += static_cast<unsigned long long>(going_on[at].product);
    }
  }
  cuda::TileSums View() { return {weights.data(), products.data(), ends.data(), n_tiles}; }

  std::int64_t n_tiles;
  std::vector<ResidualSum> ends;
  std::vector<unsigned long long> weights;
  std::vector<unsigned long long> products;
};

class LevelWalk {
 public:
  LevelWalk(Level const& level, Labels const& labels)
      : level_(level), labels_(labels), layout_(LayOut(level, true)), host_(level, labels), tiles_(layout_, host_) {
    task_.param = level.param;
    task_.entries = {layout_.rows.data(), layout_.values.data(), layout_.pairs.data()};
    task_.labels = host_.View();
    task_.tiles = tiles_.View();
    task_.floor = kMinLossChange / 2.0;
  }

  /// Returns the best of all pieces of each live segment: [n_features, n_nodes].
  std::vector<cuda::SegmentCandidate> Best() {
    std::vector<cuda::SegmentCandidate> best(level_.NumFeatures() * static_cast<std::size_t>(level_.n_nodes));
    std::vector<std::int64_t> weights(kStride * kLabelBins, 12345);  // the old contents mean nothing to a thread
    auto products = weights;
    for (auto const& piece : LivePieces(layout_.segments, layout_.n_nodes)) {
      auto const n_segments = static_cast<std::int64_t>(level_.n_nodes) + 1;
      auto const feature = static_cast<std::size_t>(piece.segment / n_segments);
      auto const node = static_cast<std::size_t>(piece.segment % n_segments);
      auto const found =
          cuda::PieceWalk(task_, PieceOf(piece, feature, node), {weights.data() + 3, products.data() + 3, kStride})
              .Best();
      auto& so_far = best[feature * static_cast<std::size_t>(level_.n_nodes) + node];
      if (cuda::IsBetterInSegment(found, so_far)) so_far = found;
    }
    return best;
  }

 private:
  static constexpr std::size_t kStride = 5;

  FixedSum SumOf(std::int64_t begin, std::int64_t end) const {
    FixedSum sum;
    for (auto index = begin; index < end; ++index) sum += layout_.pairs[static_cast<std::size_t>(index)];
    return sum;
  }
  cuda::SegmentPiece PieceOf(Piece const& from, std::size_t feature, std::size_t node) const {
    cuda::SegmentPiece piece;
    auto const segment = static_cast<std::size_t>(from.segment);
    piece.begin = from.begin;
    piece.end = from.end;
    piece.segment_begin = layout_.segments[segment];
    piece.segment_end = layout_.segments[segment + 1];
    piece.node = static_cast<std::int32_t>(node);
    piece.both_ways = level_.both_ways[feature] != 0;
    piece.node_sum = level_.SumOf(piece.node);
    piece.before = SumOf(piece.segment_begin, piece.begin);
    piece.present = SumOf(piece.segment_begin, piece.segment_end);
    piece.rows = {labels_.least_rows, host_.n_of_node[node]};
    return piece;
  }

  Level const& level_;
  Labels const& labels_;
  Layout layout_;
  HostLabels host_;
  HostTiles tiles_;
  cuda::PieceWalkTask task_;
};

/// Compares the candidates. Returns the number of segments with a split.
int Compare(Level const& level, Labels const& labels) {
  LabelOracle oracle(level, labels);
  auto const best = LevelWalk(level, labels).Best();
  auto n_splits = 0;
  for (std::int32_t node = 0; node < level.n_nodes; ++node) {
    oracle.Enter(node);
    for (std::size_t feature = 0; feature < level.NumFeatures(); ++feature) {
      SCOPED_TRACE(::testing::Message() << "node " << node << ", feature " << feature);
      auto const expected = oracle.Scan(feature, node, 7, kMinLossChange / 2.0);
      auto const& found = best[feature * static_cast<std::size_t>(level.n_nodes) + static_cast<std::size_t>(node)];
      EXPECT_EQ(expected.IsValid(), found.state != cuda::SegmentCandidate::kNone);
      if (!expected.IsValid()) continue;
      ++n_splits;
      EXPECT_EQ(expected.loss_change, found.loss_change);
      EXPECT_EQ(expected.threshold, found.threshold);
      EXPECT_EQ(expected.default_left, found.state == cuda::SegmentCandidate::kDefaultLeft);
      EXPECT_TRUE(expected.left == found.left);
    }
  }
  return n_splits;
}

/// Sizes around tiles, which have 512 entries, and over several tiles; one row and none.
std::vector<std::int64_t> NodeSizes() { return {1, 33, 511, 512, 513, 0, 2, 1700, 640, 4500}; }

TEST(PieceWalk, FindsTheHostsSplits) {
  for (auto const kind : kAllResiduals) {
    for (auto const missing : {0.0, 0.3}) {
      for (auto const alpha : {0.1, 0.5, 0.9}) {
        SCOPED_TRACE(::testing::Message() << static_cast<int>(kind) << ", missing " << missing << ", alpha " << alpha);
        auto level = MakeLevel({NodeSizes(), 90, 2, missing, alpha < 0.5 ? 30U : 0U, false, 1});
        level.param.min_child_weight = alpha > 0.5 ? 2.0 : 0.0;
        auto labels = MakeLabels(level.pairs.size(), kind, missing > 0.0, 2);
        labels.alpha = alpha;
        labels.least_rows = alpha > 0.5 ? 20 : 0;
        auto const n_splits = Compare(level, labels);
        auto const n_least = kind == Residuals::kEqual || kind == Residuals::kFew ? 0 : 10;
        EXPECT_GE(n_splits, n_least);
      }
    }
  }
}

TEST(PieceWalk, ColumnsOfOneValueAndOfTheLargest) {
  auto level = MakeLevel({{1200, 20, 3}, 30, 3, 0.4, 0, false, 3});
  for (auto& entry : level.columns[0]) entry.value = 2.0F;
  for (auto& entry : level.columns[1]) entry.value = entry.row % 2 == 0 ? kLargestValue : -kLargestValue;
  level.SortColumns();
  level.param.min_child_weight = 0.0;
  EXPECT_GE(Compare(level, MakeLabels(level.pairs.size(), Residuals::kSkewed, false, 4)), 6);
}

/// Missing rows are detected by their number, not by their sums.
TEST(PieceWalk, MissingRowsWithoutGradients) {
  auto level = MakeLevel({{900, 60}, 0, 1, 0.0, 0, false, 5});
  auto& column = level.columns[0];
  column.erase(std::remove_if(column.begin(), column.end(), [](ColumnEntry entry) { return entry.row % 5 == 3; }),
               column.end());
  level.SortColumns();
  for (std::size_t row = 3; row < level.pairs.size(); row += 5) level.pairs[row] = {0, 0};
  level.param.min_child_weight = 0.0;
  EXPECT_EQ(Compare(level, MakeLabels(level.pairs.size(), Residuals::kNormal, true, 6)), 2);
}

}  // namespace
}  // namespace kauri::testing
