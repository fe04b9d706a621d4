#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/common/memory_plan.h"
#include "cuda/data/device_columns.h"
#include "cuda/exact/categories/category_columns.h"
#include "cuda/exact/entries/positions.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "cuda/exact/level_entries.h"
#include "cuda/tree/row_sums.h"
#include "data/categories/categories.h"
#include "kauri/error.h"
#include "tree/growth/tree_common.h"
#include "tree/growth/tree_growth.h"

namespace kauri::cuda {

DMLC_REGISTER_PARAMETER(GpuExactParam);

namespace {

/// Returns the number of present values of each column. For dense data it is the number of rows, an upper bound that
/// needs no look at the values. It is 0 for categorical columns, whose entries do not move.
std::vector<std::int64_t> ColumnSizes(DataMatrix const& data) {
  auto const n_cols = static_cast<std::size_t>(data.NumCols());
  std::vector<std::int64_t> sizes(n_cols, data.IsDense() ? data.NumRows() : 0);
  if (!data.IsDense()) {
    for (auto const feature : data.Csr().features) ++sizes[feature];
  }
  for (std::size_t feature = 0; feature < n_cols; ++feature) {
    if (IsCategorical(data.Info(), feature)) sizes[feature] = 0;
  }
  return sizes;
}

/// Returns the columns. First checks, before any allocation, that they fit together with all other memory of training
/// on numbers.
std::shared_ptr<DeviceColumns const> ColumnsWithRoom(CudaContext const& cuda, Context const& ctx,
                                                     DataMatrix const& data, bool by_errors) {
  auto const held = KeptColumnsOf(ctx, data)->Hold();
  auto const n_entries = held != nullptr ? 0 : static_cast<std::size_t>(data.NumEntries());
  auto const sizes = ColumnSizes(data);
  auto const of_labels = by_errors ? LevelLabels::BytesOf(data.NumRows(), RegionSize(sizes)) : 0;
  RequireMemory(cuda,
                "tree_method=exact on " + std::to_string(data.NumRows()) + " rows and " +
                    std::to_string(data.NumCols()) + " features",
                {{"sorted columns", n_entries * (sizeof(std::uint32_t) + sizeof(float))},
                 {"entries of a tree", BytesOfEntries(sizes)},
                 {"positions of the rows", static_cast<std::size_t>(data.NumRows()) * kBytesPerRow},
                 {"bins of labels", of_labels}});
  return held != nullptr ? held : DeviceColumnsOf(ctx, data);
}

/// Returns the categories. Must be called after the columns are sorted, because only they give the number of
/// categories.
DeviceCategories FindDeviceCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                      DeviceColumns const& columns) {
  auto lists = ListCategories(cuda, ctx, data, columns);
  auto const n_rows = data.NumRows();
  RequireMemory(cuda, "the categories of " + std::to_string(n_rows) + " rows",
                {{"codes", BytesOfCodes(lists, n_rows)}, {"sums by category", BytesOfCells(lists, n_rows)}});
  return MakeDeviceCategories(cuda, columns, std::move(lists));
}

class GpuExactState : public BuildState {
 public:
  GpuExactState(Context const& ctx, DataMatrix const& data, bool by_errors)
      : shared_columns(ColumnsWithRoom({ctx.device.ordinal, nullptr}, ctx, data, by_errors)),
        columns(*shared_columns),
        stream(ctx.device.ordinal),
        categories(FindDeviceCategories(stream.Context(), ctx, data, columns)),
        decisions(ctx.device.ordinal),
        types_(data.Info().feature_types) {}

  /// Finds the categories anew if other column types were set. cuda: the context in which trees are built.
  void UpdateCategories(CudaContext const& cuda, Context const& ctx, DataMatrix const& data) {
    auto const& types = data.Info().feature_types;
    if (types == types_) return;
    cuda.Synchronize();  // for the last tree, which may still read the codes
    category_columns = CategoryColumns();
    categories = FindDeviceCategories(stream.Context(), ctx, data, columns);
    types_ = types;
  }

  /// Declared before the stream, so that the stream is waited for first: it reads the categories from the columns.
  /// Trees, on the engine's stream, have read their columns when the host knows the first split.
  std::shared_ptr<DeviceColumns const> shared_columns;
  DeviceColumns const& columns;
  StreamOwner stream;
  DeviceCategories categories;
  CategoryColumns category_columns;
  ExactWorkspace workspace;
  DeviceDecisions decisions;

 private:
  std::vector<std::string> types_;
};

/// A tree while it grows.
class GpuExactGrower : public ScalarGrowth {
 public:
  GpuExactGrower(CudaContext const& cuda, Context const& ctx, GpuExactBuilder const& builder,
                 DeviceTreeTask const& task, GpuExactState* state)
      : ScalarGrowth(ctx, {builder.Param(), builder.Rules(), task.place}, task.totals.OnHost().unit,
                     state->columns.NumCols()),
        cuda_(cuda),
        builder_(builder),
        task_(task),
        state_(*state),
        entries_(cuda, state->columns, task, LimitsSplits() ? 0 : builder.ExactParam().interleaved_levels,
                 &state->workspace, &state->category_columns) {}

  /// leaf_of_row: the rows' leaves before any pruning, as ~id.
  Tree Grow(Span<std::int32_t> leaf_of_row) {
    Start();
    auto const on_device = !nodes_.empty() && DecidesOnDevice();
    if (on_device) {
      GrowOnDevice();
    } else {
      for (; !nodes_.empty(); ++depth_) Advance(entries_.FindBest(NodesOfLevel()));
    }
    CopyOnDevice(cuda_, state_.workspace.positions.data(), leaf_of_row.size(), leaf_of_row.data());
    if (on_device) ReadTree();
    return std::move(tree_);
  }

 private:
  /// With the criterion of errors, rows are counted to find out whether some are missing, as missing rows may have no
  /// gradients.
  bool LimitsSplits() const {
    return param_.extra_trees || param_.min_data_in_leaf > 1 || param_.split_criterion == TreeParam::kAbsoluteError;
  }
  /// Returns whether the decisions of a level need no data or work of the host.
  bool DecidesOnDevice() const {
    auto const draws = columns_.SamplesLevels() || columns_.SamplesNodes();
    auto const limits = LimitsSplits() || constraints_.LimitsFeatures() || gain_.monotone || !costs_.empty();
    auto const sorts_all = builder_.ExactParam().interleaved_levels == 0 && task_.sampled_rows.empty();
    return sorts_all && !draws && !limits && state_.category_columns.IsEmpty();
  }
  void Start();
  void GrowOnDevice();
  void ReadTree();
  LevelNodes NodesOfLevel() const;
  std::vector<std::uint8_t> AllowedColumns() const;
  void Advance(std::vector<SplitCandidate> const& splits);
  std::vector<NodeMove> Decide(std::vector<SplitCandidate> const& splits);
  NodeMove MakeMove(ActiveNode const& node, SplitCandidate const& split, std::int32_t place);
  std::int32_t AddChild(std::int32_t id, FixedSum sum, std::int32_t from);

  CudaContext cuda_;
  GpuExactBuilder const& builder_;
  DeviceTreeTask const& task_;
  GpuExactState& state_;
  std::int32_t depth_ = 0;
  LevelEntries entries_;
  std::vector<ActiveNode> nodes_;
  std::vector<ActiveNode> children_;
  std::vector<std::int32_t> parent_of_child_;  ///< 2 * parent + (right child)
};

void GpuExactGrower::Start() {
  auto const n_rows = task_.pairs.size();
  auto& workspace = state_.workspace;
  workspace.positions.Reserve(cuda_, n_rows);
  workspace.next_positions.Reserve(cuda_, n_rows);
  auto const sum = task_.totals.OnHost().sum;
  SetRoot(sum);
  auto const splits = MaySplit(sum, 0);
  FillPositions(cuda_, splits ? 0 : ~0, {workspace.positions.data(), n_rows});
  if (!splits) return;
  nodes_.push_back({0, sum});
  entries_.Fill(state_.category_columns.Start(cuda_, state_.categories, CategoryRulesOf(param_), columns_.TreeSet()));
}

void GpuExactGrower::GrowOnDevice() {
  auto& decisions = state_.decisions;
  decisions.Start(cuda_, gain_, nodes_.front().sum);
  for (std::int32_t depth = 0; decisions.NumNodes() > 0; ++depth) {
    entries_.FindBest(gain_, decisions);
    decisions.Decide(cuda_, gain_, state_.workspace.chunks, IsDeepest(depth + 1));
    entries_.Advance(&decisions);
  }
}

/// Repeats the decisions of the device on the host, from the same splits.
void GpuExactGrower::ReadTree() {
  for (auto const& splits : state_.decisions.ReadTree(cuda_)) {
    Decide(splits);
    nodes_.swap(children_);
    ++depth_;
  }
}

/// Returns by node and column, [n_nodes, n_cols], 1 if the node may use the column; empty if all may.
std::vector<std::uint8_t> GpuExactGrower::AllowedColumns() const {
  if (!columns_.SamplesLevels() && !columns_.SamplesNodes() && !constraints_.LimitsFeatures()) return {};
  auto const n_cols = static_cast<std::size_t>(state_.columns.NumCols());
  std::vector<std::uint8_t> allowed(nodes_.size() * n_cols, 0);
  auto const level = columns_.LevelSet(depth_);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto const drawn = columns_.SamplesNodes() ? columns_.NodeSet(depth_, nodes_[node].id) : level;
    for (auto const feature : constraints_.AllowedOf(nodes_[node].id, drawn)) allowed[node * n_cols + feature] = 1;
  }
  return allowed;
}

LevelNodes GpuExactGrower::NodesOfLevel() const {
  LevelNodes level;
  level.gain = gain_;
  for (auto const& node : nodes_) {
    auto const bounds = constraints_.BoundsOf(node.id);
    level.nodes.push_back({node.sum, NodeGain(node.sum, gain_, bounds), bounds});
    if (LimitsSplits()) level.limits.push_back({{param_.min_data_in_leaf, 0}, DrawOf(node.id)});
  }
  level.allowed = AllowedColumns();
  level.signs.assign(constraints_.Signs().begin(), constraints_.Signs().end());
  level.costs = costs_;
  return level;
}

std::int32_t GpuExactGrower::AddChild(std::int32_t id, FixedSum sum, std::int32_t from) {
  if (!MaySplit(sum, depth_ + 1)) return ~id;
  children_.push_back({id, sum});
  parent_of_child_.push_back(from);
  return static_cast<std::int32_t>(children_.size()) - 1;
}

NodeMove GpuExactGrower::MakeMove(ActiveNode const& node, SplitCandidate const& split, std::int32_t place) {
  NodeMove move;
  if (!ReducesLoss(split)) {
    move.left = move.right = ~node.id;
    return move;
  }
  auto const right = state_.category_columns.RightOf(place, split);
  Split(node.id, split, right);
  auto const left = tree_.left[node.id];
  move.feature = static_cast<std::int32_t>(split.feature);
  move.threshold = split.threshold;
  move.default_left = split.default_left ? 1 : 0;
  move.left = AddChild(left, split.left, 2 * place);
  move.right = AddChild(left + 1, split.right, 2 * place + 1);
  return move;
}

/// Makes the splits that reduce the loss enough; the nodes of the next level go to `children_`.
std::vector<NodeMove> GpuExactGrower::Decide(std::vector<SplitCandidate> const& splits) {
  children_.clear();
  parent_of_child_.clear();
  std::vector<NodeMove> moves;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    moves.push_back(MakeMove(nodes_[node], splits[node], static_cast<std::int32_t>(node)));
  }
  return moves;
}

void GpuExactGrower::Advance(std::vector<SplitCandidate> const& splits) {
  entries_.Advance(Decide(splits), parent_of_child_);
  nodes_.swap(children_);
}

}  // namespace

std::unique_ptr<BuildState> GpuExactBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  DeviceScope const scope(ctx.device.ordinal);
  return std::make_unique<GpuExactState>(ctx, data, param_.split_criterion == TreeParam::kAbsoluteError);
}

Tree GpuExactBuilder::BuildOnDevice(CudaContext const& cuda, Context const& ctx, DataMatrix const& data,
                                    DeviceTreeTask const& task, BuildState* state,
                                    Span<std::int32_t> leaf_of_row) const {
  DeviceScope const scope(cuda.device);
  auto* const exact = static_cast<GpuExactState*>(state);
  exact->UpdateCategories(cuda, ctx, data);
  auto tree = GpuExactGrower(cuda, ctx, *this, task, exact).Grow(leaf_of_row);
  std::vector<std::int32_t> new_id;
  if (param_.gamma != 0.0F) new_id = PruneTree(param_.gamma, LeafRate(param_, task.place), &tree);
  auto const device_ids = ToDevice(cuda, new_id);
  FinishLeaves(cuda, leaf_of_row, device_ids.data());
  if (param_.path_smooth > 0.0F) {
    SmoothPaths(param_.path_smooth, LeafRate(param_, task.place),
                CountLeafRows(cuda, tree, task.sampled_rows, leaf_of_row), &tree);
  }
  return tree;
}

std::unique_ptr<TreeBuilder> MakeGpuExactBuilder(TrainingParams const& params) {
  return std::make_unique<GpuExactBuilder>(params.tree, ParseParameters<GpuExactParam>(params.all));
}

}  // namespace kauri::cuda
