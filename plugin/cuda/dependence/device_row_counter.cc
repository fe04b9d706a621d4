/// Rows come in tiles, whose features become keys of the forest's slots on the device. If there is a single tile, which
/// is the rule, its keys stay there for all calls.
#include "cuda/dependence/device_row_counter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/common/memory_plan.h"
#include "cuda/dependence/count_rows.h"
#include "cuda/forest/host_rows.h"
#include "cuda/shap/row_keys.h"
#include "cuda/shap/shap_session.h"

namespace kauri::cuda {
namespace {

/// A query for the free memory takes longer than a call that needs no more than this number of bytes.
constexpr std::int64_t kCountWithoutAsking = std::int64_t{32} << 20U;

/// Appends the steps of a tree in pre-order.
class StepMaker {
 public:
  StepMaker(Forest const& forest, TreeBoxes const& boxes, bool has_pairs) : forest_(forest), boxes_(boxes) {
    for (auto const& leaf : boxes.leaves) {
      leaf_begin_.push_back(n_counts_);
      n_counts_ += NumLeafCounts(leaf.n_boxes, has_pairs);
    }
    subtree_.assign(boxes.split_place.size(), 1);
    for (auto node = static_cast<std::uint32_t>(subtree_.size()); node-- > 0;) {  // children come after their parent
      auto const left = forest.Node(boxes.tree, node).left;
      if (left != node) subtree_[node] += subtree_[left] + subtree_[left + 1];
    }
  }

  CountTree Append(std::int64_t counts_begin, std::vector<CountStep>* steps) {
    CountTree tree{static_cast<std::int64_t>(steps->size()), counts_begin, n_counts_, subtree_[0], 0};
    open_.push_back({0, 0, true});
    while (!open_.empty()) {
      auto const at = open_.back();
      open_.pop_back();
      tree.n_levels = std::max(tree.n_levels, at.depth + 1);
      auto const number = static_cast<std::uint32_t>(static_cast<std::int64_t>(steps->size()) - tree.step_begin);
      steps->push_back(StepOf(at, number));
      auto const left = steps->back().split.left;
      if (left == at.node) continue;
      open_.push_back({left + 1, at.depth + 1, false});
      open_.push_back({left, at.depth + 1, true});
    }
    return tree;
  }

 private:
  struct OpenStep {
    std::uint32_t node;
    std::uint32_t depth;
    bool is_left;
  };

  CountStep StepOf(OpenStep const& at, std::uint32_t number) const {
    CountStep step{};
    step.split = forest_.Node(boxes_.tree, at.node);
    step.counts = -1;
    step.place = boxes_.split_place[at.node];
    if (step.split.left == at.node) {
      auto const leaf = boxes_.leaf_of_node[at.node];
      step.counts = leaf_begin_[leaf];
      step.place = boxes_.leaves[leaf].n_boxes;
    }
    step.depth = at.depth;
    step.skip = number + subtree_[at.node];
    step.is_left = at.is_left ? 1 : 0;
    return step;
  }

  Forest const& forest_;
  TreeBoxes const& boxes_;
  std::int64_t n_counts_ = 0;
  std::vector<std::int64_t> leaf_begin_;  ///< by leaf, its first count within the tree
  std::vector<std::uint32_t> subtree_;    ///< by node, the nodes of its subtree
  std::vector<OpenStep> open_;
};

/// Axes in device memory.
class DeviceAxes {
 public:
  DeviceAxes(CudaContext const& cuda, std::vector<Axis> const& axes) {
    std::vector<std::int32_t> thresholds;
    std::vector<std::int64_t> begin{0};
    for (auto const& axis : axes) {
      thresholds.insert(thresholds.end(), axis.thresholds.begin(), axis.thresholds.end());
      begin.push_back(static_cast<std::int64_t>(thresholds.size()));
      most_cells_ = std::max<std::int64_t>(most_cells_, axis.NumCells());
    }
    n_cells_ = begin.back() + 2 * static_cast<std::int64_t>(axes.size());
    thresholds_ = ToDevice(cuda, thresholds);
    begin_ = ToDevice(cuda, begin);
    cuda.Synchronize();  // for the host's arrays
  }

  AxesView View() const {
    return {thresholds_.data(), begin_.data(), static_cast<std::int64_t>(begin_.size()) - 1, most_cells_};
  }
  /// Returns the number of cells of all slots.
  std::int64_t NumCells() const { return n_cells_; }

 private:
  Buffer<std::int32_t> thresholds_;
  Buffer<std::int64_t> begin_;
  std::int64_t most_cells_ = 0;
  std::int64_t n_cells_ = 0;
};

class DeviceRowCounter : public RowCounter {
 public:
  DeviceRowCounter(Context const& ctx, WeighedRows const& rows, std::int64_t tile_bytes)
      : rows_(rows),
        tile_bytes_(tile_bytes),
        device_(ctx.device.ordinal),
        session_(device_),
        feature_of_slot_(ToDevice(session_.Cuda(), rows.forest.feature_of_slot)),
        slot_of_feature_(ToDevice(session_.Cuda(), rows.forest.slot_of_feature)),
        sets_(ToDevice(session_.Cuda(), rows.forest.categories.Sets())),
        set_data_(ToDevice(session_.Cuda(), rows.forest.categories.Data())) {}

  std::vector<std::int64_t> CountLeaves(Context const& ctx, TreesToCount const& trees) override {
    DeviceScope const scope(device_);
    auto const begin = trees.CountsBegin();
    std::vector<CountTree> heads;
    std::vector<CountStep> steps;
    for (std::size_t t = 0; t < trees.trees.size(); ++t) {
      heads.push_back(StepMaker(rows_.forest, *trees.trees[t], trees.has_pairs).Append(begin[t], &steps));
    }
    auto const& cuda = session_.Cuda();
    CountTrees const on_device(cuda, heads, steps, trees.has_pairs, !rows_.weights.empty());
    Counts const counts(cuda, ToSize(begin.back()));
    FillZero(cuda, counts.data(), counts.size());
    ForTiles(ctx, [&](RowsToCount const& tile, std::int64_t) { on_device.Add(cuda, tile, counts.data()); });
    return ToHostCounts(counts);
  }

  std::vector<std::int64_t> CountCells(Context const& ctx, std::vector<Axis> const& axes) override {
    DeviceScope const scope(device_);
    auto const& cuda = session_.Cuda();
    DeviceAxes const on_device(cuda, axes);
    Counts const counts(cuda, ToSize(on_device.NumCells()));
    FillZero(cuda, counts.data(), counts.size());
    ForTiles(ctx, [&](RowsToCount const& tile, std::int64_t) {
      AddCellCounts(cuda, on_device.View(), tile, counts.data());
    });
    return ToHostCounts(counts);
  }

  void FindCells(Context const& ctx, std::vector<Axis> const& axes, std::vector<std::int32_t> const& slots,
                 Span<std::int32_t> cells) override {
    DeviceScope const scope(device_);
    auto const& cuda = session_.Cuda();
    DeviceAxes const on_device(cuda, axes);
    auto const chosen = ToDevice(cuda, slots);
    auto const n_chosen = static_cast<std::int64_t>(slots.size());
    Buffer<std::int32_t> found;
    ForTiles(ctx, [&](RowsToCount const& tile, std::int64_t first) {
      auto const size = ToSize(tile.keys.n_rows * n_chosen);
      found.Reserve(cuda, size);
      WriteCells(cuda, on_device.View(), tile.keys, chosen.data(), n_chosen, found.data());
      CopyToHost(cuda, found.data(), size, cells.data() + first * n_chosen);
    });
    cuda.Synchronize();  // for the cells
  }

 private:
  using Counts = Buffer<unsigned long long>;  // the type that atomicAdd takes

  std::vector<std::int64_t> ToHostCounts(Counts const& counts) const {
    auto const found = ToHost(session_.Cuda(), counts.data(), counts.size());
    return {found.begin(), found.end()};
  }

  /// Calls fn(tile, first row) for each tile of rows.
  template <typename Fn>
  void ForTiles(Context const& ctx, Fn const& fn) {
    auto const n_rows = rows_.rows.NumRows();
    if (has_all_) return fn(tile_, 0);
    auto const tile_rows = TileRows();
    for (std::int64_t begin = 0; begin < n_rows; begin += tile_rows) {
      ReadTile(ctx, begin, std::min(n_rows, begin + tile_rows));
      fn(std::as_const(tile_), begin);
    }
    has_all_ = tile_rows >= n_rows && n_rows > 0;
  }

  std::int64_t TileRows() const {
    auto const row_bytes = 8 * rows_.forest.NumSlots() + 8;  // features, keys and weight
    auto const wanted = rows_.rows.NumRows() * row_bytes;
    auto budget = tile_bytes_;
    if (budget == 0) {
      budget = wanted <= kCountWithoutAsking ? wanted : static_cast<std::int64_t>(FreeBytes(session_.Cuda()) / 4);
    }
    return std::max<std::int64_t>(1, budget / row_bytes);
  }

  /// Makes tile_ the rows [begin, end).
  void ReadTile(Context const& ctx, std::int64_t begin, std::int64_t end) {
    auto const& cuda = session_.Cuda();
    auto const n_rows = end - begin;
    auto const rows = DeviceRowsOf(ctx, begin, end);
    keys_.Reserve(cuda, ToSize(n_rows * rows_.forest.NumSlots()));
    tile_ = {{keys_.data(), n_rows, 1, n_rows}, nullptr, {sets_.data(), set_data_.data()}};
    ReadRowKeys(cuda, SlotsView(), rows, tile_.keys);
    if (!rows_.weights.empty()) {
      weights_.Reserve(cuda, ToSize(n_rows));
      CopyToDevice(cuda, rows_.weights.data() + begin, ToSize(n_rows), weights_.data());
      tile_.weights = weights_.data();
    }
    cuda.Synchronize();  // for page-locked memory, which the rows of the next tile reuse
  }

  DeviceRows DeviceRowsOf(Context const& ctx, std::int64_t begin, std::int64_t end) {
    auto const* const storage = rows_.rows.OnDevice();
    if (storage != nullptr && storage->Layout().device == device_) {
      return RowsFrom(RowsOn(session_.Cuda(), *storage), begin, end);
    }
    return session_.Upload(ctx, rows_.forest, rows_.rows, begin, end);
  }

  /// Returns the part of a forest that ReadRowKeys reads.
  ForestView SlotsView() const {
    ForestView view{};
    view.n_slots = static_cast<std::int32_t>(rows_.forest.NumSlots());
    view.feature_of_slot = feature_of_slot_.data();
    view.slot_of_feature = slot_of_feature_.data();
    view.n_mapped_features = static_cast<std::int64_t>(slot_of_feature_.size());
    return view;
  }

  WeighedRows rows_;
  std::int64_t tile_bytes_;
  int device_;
  ShapSession session_;  ///< before the buffers, which are freed on its stream
  Buffer<std::uint32_t> feature_of_slot_;
  Buffer<std::int32_t> slot_of_feature_;
  Buffer<CategorySet> sets_;
  Buffer<std::uint32_t> set_data_;
  Buffer<std::int32_t> keys_;
  Buffer<std::int64_t> weights_;
  RowsToCount tile_{};
  bool has_all_ = false;  ///< tile_ has all rows
};

}  // namespace

std::shared_ptr<RowCounter> MakeDeviceRowCounter(Context const& ctx, WeighedRows const& rows, std::int64_t tile_bytes) {
  auto const& depths = rows.forest.tree_depth;
  auto const most_levels = MostCountLevels(ctx.device.ordinal);
  if (std::any_of(depths.begin(), depths.end(), [=](auto depth) { return depth >= most_levels; })) return nullptr;
  DeviceScope const scope(ctx.device.ordinal);
  return std::make_shared<DeviceRowCounter>(ctx, rows, tile_bytes);
}

}  // namespace kauri::cuda
