/// Levels whose rows stay in place: bytes of nodes, histograms, counts and lists beside a plain loop over the rows.
#include "cuda/hist/levels/level_in_place.h"

#include <algorithm>

#include "cuda/hist/bins/make_device_bins.h"
#include "hist/bins/bins_fixture.h"
#include "hist/hist_fixture.h"

namespace kauri::testing {
namespace {

using Bins = std::shared_ptr<cuda::DeviceBins const>;

struct InPlaceCase {
  std::int64_t n_rows;
  std::int64_t n_cols = 28;
  int max_bin = 255;
  std::uint64_t seed = 1;
  std::uint32_t rows_of_flush = std::uint32_t{1} << 24U;
};

/// A tree that grows by random splits, on the host and on the device.
class GrowingLevels {
 public:
  GrowingLevels(cuda::CudaContext const& cuda, Bins bins, InPlaceCase const& given)
      : cuda_(cuda),
        bins_(std::move(bins)),
        codes_(cuda, *bins_),
        random_(given.seed),
        rows_of_flush_(given.rows_of_flush) {
    auto const n_rows = static_cast<std::size_t>(given.n_rows);
    nodes_.assign(n_rows, 0);
    for (std::size_t row = 0; row < n_rows; ++row) {
      auto const any = [&] { return static_cast<std::int32_t>(random_.Below(255)) - 127; };
      pairs_.push_back({any(), any()});
      small_.push_back(
          make_char2(static_cast<signed char>(pairs_[row].gradient), static_cast<signed char>(pairs_[row].hessian)));
    }
    node_of_row_ = cuda::Buffer<std::uint8_t>(cuda, (n_rows + 7) / 8 * 8);
    splits_.resize(cuda::LevelPlace{kLevels}.FirstNode());
    counts_.assign(2 * splits_.size(), 0);
    children_.resize(splits_.size());
    added_.resize(splits_.size() + 1);
    sums_.assign(added_.size(), std::vector<FixedSum>(bins_->n_sums));
    device_sums_ = cuda::Buffer<FixedSum>(cuda, added_.size() * bins_->n_sums);
    cuda::FillZero(cuda, device_sums_.data(), device_sums_.size());
    n_left_ = cuda::ToDevice(cuda, counts_);
  }

  static constexpr int kLevels = cuda::kMostInPlace;

  /// Splits some nodes of a level, and expects the rows of some children to be added up.
  void Split(int depth) {
    cuda::LevelPlace const level{depth};
    for (std::uint32_t node = 0; node < level.NumNodes(); ++node) MakeSplit(level, node);
    for (std::size_t row = 0; row < nodes_.size(); ++row) SplitRow(level, row);
    auto const splits = cuda::ToDevice(cuda_, splits_);
    auto const added = cuda::ToDevice(cuda_, added_);
    cuda::LevelRows rows{};
    rows.splits = splits.data();
    rows.added = added.data();
    rows.n_left = n_left_.data();
    auto const small = cuda::ToDevice(cuda_, small_);
    cuda::AddInPlace(cuda_, {bins_.get(), rows, level, node_of_row_.data(), NumRows(), rows_of_flush_}, small.data());
    Expect(depth);
  }

  /// Lists the rows of a level's nodes, as if all of those with an even place were split.
  void List(int depth) {
    cuda::LevelPlace const level{depth};
    std::vector<cuda::NodeSplit> splits(cuda::LevelPlace{depth + 1}.FirstNode());
    std::vector<std::vector<std::uint32_t>> expected(level.NumNodes());
    for (std::uint32_t row = 0; row < NumRows(); ++row) {
      auto const node = nodes_[row] - level.FirstNode();
      if (node < level.NumNodes() && node % 2 == 0) expected[node].push_back(row);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t node = 0; node < level.NumNodes(); ++node) {
      auto const count = static_cast<std::uint32_t>(expected[node].size());
      splits[level.FirstNode() + node].rows = {begin, count, static_cast<std::int32_t>(depth % 2), node / 2 % 2};
      begin += count;
    }
    auto const device_splits = cuda::ToDevice(cuda_, splits);
    auto const listed = cuda::ToDevice(cuda_, std::vector<std::uint32_t>(level.NumNodes()));
    auto const lists = cuda::ToDevice(cuda_, std::vector<std::uint32_t>(std::max<std::size_t>(1, begin)));
    cuda::LevelRows rows{};
    rows.splits = device_splits.data();
    cuda::ListRows(cuda_, {bins_.get(), rows, level, node_of_row_.data(), NumRows()}, {lists.data(), lists.data()},
                   listed.data());
    auto const found = cuda::ToHost(cuda_, lists.data(), lists.size());
    for (std::uint32_t node = 0; node < level.NumNodes(); ++node) {
      auto const& stretch = splits[level.FirstNode() + node].rows;
      std::vector<std::uint32_t> rows_of_node(found.begin() + stretch.begin,
                                              found.begin() + stretch.begin + stretch.count);
      std::sort(rows_of_node.begin(), rows_of_node.end());
      EXPECT_EQ(rows_of_node, expected[node]) << "node " << node;
    }
  }

 private:
  struct Child {
    std::uint32_t feature;
    bool adds_left;
  };

  std::uint32_t NumRows() const { return static_cast<std::uint32_t>(nodes_.size()); }

  void MakeSplit(cuda::LevelPlace const& level, std::uint32_t node) {
    auto const place = level.FirstNode() + node;
    auto const is_split = level.depth == 0 || random_.Below(5) != 0;
    auto& split = splits_[place];
    split = {};
    children_[place] = {static_cast<std::uint32_t>(random_.Below(bins_->features.size())), random_.Below(2) == 0};
    auto const& feature = bins_->features[children_[place].feature];
    split.place = PlaceOf(*bins_, children_[place].feature);
    split.n_bins = feature.n_bins;
    split.first_right = static_cast<std::uint32_t>(random_.Below(feature.n_bins + 1));
    split.default_left = static_cast<std::uint32_t>(random_.Below(2));
    split.categories = cuda::kNoCategories;
    split.rows.count = is_split ? static_cast<std::uint32_t>(std::count(nodes_.begin(), nodes_.end(), place)) : 0;
    added_[level.PairBelow(place)] = {split.rows, is_split ? static_cast<std::int32_t>(node) : -1,
                                      children_[place].adds_left ? 1U : 0U,
                                      device_sums_.data() + std::size_t{level.PairBelow(place)} * bins_->n_sums};
  }

  void SplitRow(cuda::LevelPlace const& level, std::size_t row) {
    auto const place = nodes_[row];
    if (place < level.FirstNode() || splits_[place].rows.count == 0) return;
    auto const code = codes_.Of(static_cast<std::int64_t>(row), children_[place].feature);
    auto const is_left = GoesLeft(splits_[place], code, nullptr);
    ++counts_[2 * place + (is_left ? 0 : 1)];
    nodes_[row] = is_left ? level.LeftOf(place) : level.RightOf(place);
    if (is_left != children_[place].adds_left) return;
    auto& sums = sums_[level.PairBelow(place)];
    for (std::size_t feature = 0; feature < bins_->features.size(); ++feature) {
      auto const& of_feature = bins_->features[feature];
      auto const cell = codes_.Of(static_cast<std::int64_t>(row), static_cast<std::int64_t>(feature));
      sums[of_feature.first_sum + cell * of_feature.sum_stride] += pairs_[row];
    }
  }

  void Expect(int depth) {
    auto const bytes = cuda::ToHost(cuda_, node_of_row_.data(), nodes_.size());
    EXPECT_EQ(std::vector<std::uint32_t>(bytes.begin(), bytes.end()), nodes_) << "depth " << depth;
    EXPECT_EQ(cuda::ToHost(cuda_, n_left_.data(), n_left_.size()), counts_) << "depth " << depth;
    auto const sums = cuda::ToHost(cuda_, device_sums_.data(), device_sums_.size());
    for (std::size_t pair = 0; pair < sums_.size(); ++pair) {
      auto const* const found = sums.data() + pair * bins_->n_sums;
      auto const is_same = std::equal(sums_[pair].begin(), sums_[pair].end(), found, [](auto const& a, auto const& b) {
        return a.gradient == b.gradient && a.hessian == b.hessian;
      });
      EXPECT_TRUE(is_same) << "depth " << depth << ", pair " << pair;
    }
  }

  cuda::CudaContext cuda_;
  Bins bins_;
  DeviceCodes codes_;
  Random random_;
  std::uint32_t rows_of_flush_;
  std::vector<std::uint32_t> nodes_;  ///< [n_rows]: places
  std::vector<FixedPair> pairs_;
  std::vector<cuda::SmallPair> small_;
  std::vector<cuda::NodeSplit> splits_;     ///< by place
  std::vector<Child> children_;             ///< by place
  std::vector<cuda::HistogramNode> added_;  ///< by pair
  std::vector<std::uint32_t> counts_;
  std::vector<std::vector<FixedSum>> sums_;  ///< by pair
  cuda::Buffer<std::uint8_t> node_of_row_;
  cuda::Buffer<FixedSum> device_sums_;
  cuda::Buffer<std::uint32_t> n_left_;
};

class LevelInPlaceTest : public BinsTest {
 protected:
  Bins MakeBins(InPlaceCase const& given) {
    cuda::DeviceBinsTask task;
    task.max_bin = given.max_bin;
    auto const data = MakeMatrix(MixedValues(given.n_rows, given.n_cols, given.seed), given.n_cols, false);
    return cuda::MakeDeviceBins(Cuda(), OnDevice(), cuda::DenseTable::Of(*data), task).bins;
  }

  void ExpectLevels(InPlaceCase const& given) {
    SCOPED_TRACE(std::to_string(given.n_rows) + " x " + std::to_string(given.n_cols) + ", " +
                 std::to_string(given.max_bin) + " bins");
    auto const bins = MakeBins(given);
    ASSERT_NE(bins, nullptr);
    ASSERT_TRUE(cuda::CanAddInPlace(Cuda(), *bins));
    GrowingLevels levels(Cuda(), bins, given);
    for (int depth = 0; depth < GrowingLevels::kLevels; ++depth) {
      levels.Split(depth);
      levels.List(depth + 1);
    }
  }
};

TEST_F(LevelInPlaceTest, AnyNumberOfRows) {
  for (std::int64_t const n_rows : {1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 1000, 16383, 16385, 70001}) {
    ExpectLevels({n_rows, 28, 255});
  }
}

TEST_F(LevelInPlaceTest, AnyColumns) {
  for (std::int64_t const n_cols : {9, 15, 16, 17, 32}) {
    for (int const max_bin : {2, 16, 60, 255}) {
      if (n_cols == 32 && max_bin == 2) continue;  // the host bundles so few codes of so many columns
      ExpectLevels({9001, n_cols, max_bin, 5});
    }
  }
}

/// Blocks flush their sums on the way, and the rows of several sets are taken in turns.
TEST_F(LevelInPlaceTest, ManyRows) {
  ExpectLevels({200001, 28, 255, 2, 256});
  ExpectLevels({4200001, 9, 255, 3});
  ExpectLevels({4200001, 9, 255, 4, 4096});
}

TEST_F(LevelInPlaceTest, IsForRowsOf16Or32Bytes) {
  for (std::int64_t const n_cols : {1, 8, 33, 70}) {
    EXPECT_FALSE(cuda::CanAddInPlace(Cuda(), *MakeBins({100, n_cols}))) << n_cols;
  }
  EXPECT_FALSE(cuda::CanAddInPlace(Cuda(), *MakeBins({5000, 12, 1000}))) << "two bytes a code";
}

/// Whole trainings whose codes do not stay in the second-level cache: trees that end in place, and deeper ones.
TEST_F(LevelInPlaceTest, TreesAsOnTheCpu) {
  constexpr std::int64_t kRows = (std::int64_t{1} << 20) + 77;
  for (Params const& params :
       {Params{{"max_depth", "6"}}, Params{{"max_depth", "8"}, {"gradient_bits", "8"}},
        Params{{"max_depth", "2"}, {"gradient_bits", "4"}}, Params{{"gamma", "200"}}, Params{{"subsample", "0.5"}},
        Params{{"max_depth", "7"}, {"max_bin", "30"}}, Params{{"colsample_bytree", "0.4"}}}) {
    kauri::testing::ExpectSame(CaseOf("in place", kRows, 28, With({{"objective", "binary:logistic"}}, params)));
  }
}

}  // namespace
}  // namespace kauri::testing
