#include <algorithm>
#include <utility>
#include <vector>

#include "cuda/common/launch.h"
#include "cuda/data/device_columns.h"
#include "cuda/exact/chunk.h"
#include "cuda/exact/gpu_exact_builder.h"
#include "cuda/exact/positions.h"
#include "cuda/exact/sum_pairs.h"
#include "tree/sampling.h"
#include "tree/tree_common.h"

namespace kauri::cuda {
namespace {

constexpr std::int32_t kDepthCap = 1 << 20;

class GpuExactState : public BuildState {
 public:
  GpuExactState(Context const& ctx, DataMatrix const& data)
      : stream(ctx.device.ordinal), columns(MakeDeviceColumns(stream.Context(), ctx, data)) {}

  StreamOwner stream;
  DeviceColumns columns;
  ExactWorkspace workspace;
};

struct ActiveNode {
  std::int32_t id;
  FixedSum sum;
};

/// One tree on its way up.
class Grower {
 public:
  Grower(CudaContext const& cuda, Context const& ctx, TreeParam const& param, DeviceTreeTask const& task,
         GpuExactState* state)
      : cuda_(cuda),
        param_(param),
        task_(task),
        state_(*state),
        gain_(MakeGainParam(param, task.unit)),
        leaf_rate_(param.eta * task.leaf_scale),
        sampler_(param, ctx.seed, PlaceOf(task), state->columns.NumCols()),
        max_depth_(param.max_depth == 0 ? kDepthCap : std::min(param.max_depth, kDepthCap)) {}

  /// leaf_of_row: the rows' leaves before any pruning, as ~id.
  Tree Grow(Span<std::int32_t> leaf_of_row) {
    Start();
    for (depth_ = 0; !nodes_.empty(); ++depth_) Advance(FindBest());
    KAURI_CUDA_CHECK(cudaMemcpyAsync(leaf_of_row.data(), state_.workspace.positions.data(),
                                     leaf_of_row.size() * sizeof(std::int32_t), cudaMemcpyDeviceToDevice,
                                     cuda_.stream));
    return std::move(tree_);
  }

 private:
  static TreeTask PlaceOf(DeviceTreeTask const& task) {
    TreeTask place;
    place.iteration = task.iteration;
    place.tree_in_iteration = task.tree_in_iteration;
    return place;
  }
  bool MaySplit(FixedSum sum, std::int32_t depth) const {
    return depth < max_depth_ && HessianOf(sum, gain_) >= 2.0 * gain_.min_child_weight * (1.0 - 1e-12);
  }

  void Start();
  void DropUnsampled();
  Buffer<std::uint8_t> AllowedColumns() const;
  std::vector<SplitCandidate> FindBest();
  void Advance(std::vector<SplitCandidate> const& splits);
  NodeMove MakeMove(ActiveNode const& node, SplitCandidate const& split, std::int32_t place);
  std::int32_t AddChild(std::int32_t id, FixedSum sum, std::int32_t from);
  void MoveRows(Buffer<NodeMove> const& moves);
  void MoveEntries(Buffer<NodeMove> const& moves, std::vector<std::int32_t> const& parent_of_child);

  CudaContext cuda_;
  TreeParam const& param_;
  DeviceTreeTask const& task_;
  GpuExactState& state_;
  GainParam gain_;
  float leaf_rate_;
  ColumnSampler sampler_;
  std::int32_t max_depth_;

  Tree tree_;
  std::int32_t depth_ = 0;
  std::vector<Chunk> chunks_;
  std::int64_t spare_slot_ = 0;
  std::vector<ActiveNode> nodes_;
  std::vector<ActiveNode> children_;
  std::vector<std::int32_t> parent_of_child_;  ///< 2 * parent + (right child)
  std::vector<NodeMove> moves_;
};

void Grower::Start() {
  auto const n_rows = task_.pairs.size();
  auto& workspace = state_.workspace;
  workspace.positions.Reserve(cuda_, n_rows);
  workspace.next_positions.Reserve(cuda_, n_rows);
  workspace.row_goes_left.Reserve(cuda_, (n_rows + 31) / 32);
  auto const sum = SumPairs(cuda_, task_.pairs);
  SetNode(sum, gain_, leaf_rate_, 0, &tree_);
  auto const splits = MaySplit(sum, 0);
  FillPositions(cuda_, splits ? 0 : ~0, {workspace.positions.data(), n_rows});
  if (!splits) return;
  nodes_.push_back({0, sum});
  chunks_ = MakeChunks(cuda_, state_.columns, sampler_.TreeSet(), &workspace);
  spare_slot_ = static_cast<std::int64_t>(chunks_.size());
  for (auto& chunk : chunks_) FillChunk(cuda_, state_.columns, task_.pairs, workspace, &chunk);
  if (!task_.sampled_rows.empty()) DropUnsampled();
}

/// As if the root split into the sampled rows and a finished leaf.
void Grower::DropUnsampled() {
  MarkSampled(cuda_, task_.sampled_rows, state_.workspace.row_goes_left.data());
  NodeMove keep;
  keep.feature = 0;
  keep.left = 0;
  MoveEntries(ToDevice(cuda_, std::vector<NodeMove>{keep}), {0});
}

/// [n_nodes, n_cols], 1 where the node may use the column; empty when all may.
Buffer<std::uint8_t> Grower::AllowedColumns() const {
  if (!sampler_.SamplesLevels() && !sampler_.SamplesNodes()) return {};
  auto const n_cols = static_cast<std::size_t>(state_.columns.NumCols());
  std::vector<std::uint8_t> allowed(nodes_.size() * n_cols, 0);
  auto const level = sampler_.LevelSet(depth_);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto const own = sampler_.SamplesNodes() ? sampler_.NodeSet(depth_, nodes_[node].id) : level;
    for (auto const feature : own) allowed[node * n_cols + feature] = 1;
  }
  return ToDevice(cuda_, allowed);
}

std::vector<SplitCandidate> Grower::FindBest() {
  std::vector<NodeTotals> totals;
  for (auto const& node : nodes_) totals.push_back({node.sum, LeafGain(node.sum, gain_)});
  auto const device_totals = ToDevice(cuda_, totals);
  auto const allowed = AllowedColumns();
  auto const best = ToDevice(cuda_, std::vector<SplitCandidate>(nodes_.size()));
  // A split below half of kMinLossChange is never made, so that much is as good as reached.
  auto const floors = ToDevice(cuda_, std::vector<double>(nodes_.size(), kMinLossChange / 2.0));
  for (auto const& chunk : chunks_) {
    SplitTask task;
    task.table = chunk.Table();
    task.entries = state_.workspace.Slot(chunk.slot);
    task.n_entries = chunk.n_entries;
    task.param = gain_;
    task.screen = MakeScreen(gain_, static_cast<std::int64_t>(task_.pairs.size()));
    task.nodes = device_totals.data();
    task.both_ways = chunk.both_ways.data();
    task.feature_ids = chunk.feature_ids.data();
    task.allowed = allowed.data();
    task.n_all_features = static_cast<std::int32_t>(state_.columns.NumCols());
    task.floors = floors.data();
    FindSplits(cuda_, task, state_.workspace.ReserveSplit(cuda_, chunk), best.data());
  }
  return ToHost(cuda_, best.data(), best.size());  // the one wait of the level: which nodes split
}

std::int32_t Grower::AddChild(std::int32_t id, FixedSum sum, std::int32_t from) {
  SetNode(sum, gain_, leaf_rate_, id, &tree_);
  if (!MaySplit(sum, depth_ + 1)) return ~id;
  children_.push_back({id, sum});
  parent_of_child_.push_back(from);
  return static_cast<std::int32_t>(children_.size()) - 1;
}

NodeMove Grower::MakeMove(ActiveNode const& node, SplitCandidate const& split, std::int32_t place) {
  NodeMove move;
  if (!ReducesLoss(split)) {
    move.left = move.right = ~node.id;
    return move;
  }
  tree_.ExpandNode(node.id,
                   {split.feature, split.threshold, split.default_left, static_cast<float>(split.loss_change)});
  auto const left = tree_.left[static_cast<std::size_t>(node.id)];
  move.feature = static_cast<std::int32_t>(split.feature);
  move.threshold = split.threshold;
  move.default_left = split.default_left ? 1 : 0;
  move.left = AddChild(left, split.left, 2 * place);
  move.right = AddChild(left + 1, split.right, 2 * place + 1);
  return move;
}

void Grower::Advance(std::vector<SplitCandidate> const& splits) {
  children_.clear();
  parent_of_child_.clear();
  moves_.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    moves_.push_back(MakeMove(nodes_[node], splits[node], static_cast<std::int32_t>(node)));
  }
  auto const moves = ToDevice(cuda_, moves_);
  MoveRows(moves);
  auto& workspace = state_.workspace;
  if (!children_.empty()) {
    MarkLeftRows(cuda_, {workspace.positions.data(), task_.pairs.size()}, workspace.next_positions.data(), moves.data(),
                 workspace.row_goes_left.data());
    MoveEntries(moves, parent_of_child_);
  }
  std::swap(workspace.positions, workspace.next_positions);
  nodes_.swap(children_);
}

/// To next_positions. The segments hold sampled rows only; with sampling all rows of the split columns are looked at.
void Grower::MoveRows(Buffer<NodeMove> const& moves) {
  auto& workspace = state_.workspace;
  Span<std::int32_t const> const current(workspace.positions.data(), task_.pairs.size());
  auto* const next = workspace.next_positions.data();
  MoveByDefault(cuda_, current, moves.data(), next);
  for (auto const& chunk : chunks_) {
    std::vector<std::int32_t> winners(nodes_.size(), -1);
    for (std::size_t feature = 0; feature < chunk.features.size(); ++feature) {
      auto const id = chunk.features[feature];
      auto used = false;
      for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (moves_[node].feature != id) continue;
        winners[node] = static_cast<std::int32_t>(feature);
        used = true;
      }
      if (!used || task_.sampled_rows.empty()) continue;
      auto const begin = state_.columns.column_ptr[static_cast<std::size_t>(id)];
      auto const size = state_.columns.column_ptr[static_cast<std::size_t>(id) + 1] - begin;
      MoveByColumn(cuda_, state_.columns.rows.data() + begin, state_.columns.values.data() + begin, size, id,
                   current.data(), moves.data(), next);
    }
    if (task_.sampled_rows.empty()) {
      auto const device_winners = ToDevice(cuda_, winners);
      MoveBySegments(cuda_, chunk.Table(), workspace.Slot(chunk.slot), device_winners.data(), moves.data(), next);
    }
  }
}

void Grower::MoveEntries(Buffer<NodeMove> const& moves, std::vector<std::int32_t> const& parent_of_child) {
  auto& workspace = state_.workspace;
  auto const parents = ToDevice(cuda_, parent_of_child);
  auto const n_children = static_cast<std::int32_t>(parent_of_child.size());
  for (auto& chunk : chunks_) {
    auto const n_features = chunk.features.size();
    chunk.next_segments.Reserve(cuda_, n_features * (parent_of_child.size() + 1) + 1);
    PartitionTask task;
    task.table = chunk.Table();
    task.from = workspace.Slot(chunk.slot);
    task.to = workspace.Slot(spare_slot_);
    task.n_entries = chunk.n_entries;
    task.moves = moves.data();
    task.row_goes_left = workspace.row_goes_left.data();
    task.parent_of_child = parents.data();
    task.n_children = n_children;
    task.feature_begin = chunk.feature_begin.data();
    chunk.piece_sums.Reserve(cuda_, chunk.NumPieces(n_children));
    Partition(cuda_, task, workspace.ReservePartition(cuda_, chunk),
              {chunk.next_segments.data(), chunk.tile_segments.data(), chunk.piece_sums.data()});
    std::swap(chunk.slot, spare_slot_);
    std::swap(chunk.segments, chunk.next_segments);
    chunk.n_nodes = n_children;
  }
}

}  // namespace

std::unique_ptr<BuildState> GpuExactBuilder::MakeState(Context const& ctx, DataMatrix const& data) const {
  DeviceScope const scope(ctx.device.ordinal);
  return std::make_unique<GpuExactState>(ctx, data);
}

Tree GpuExactBuilder::BuildOnDevice(CudaContext const& cuda, Context const& ctx, DeviceTreeTask const& task,
                                    BuildState* state, Span<std::int32_t> leaf_of_row) const {
  DeviceScope const scope(cuda.device);
  auto tree = Grower(cuda, ctx, param_, task, static_cast<GpuExactState*>(state)).Grow(leaf_of_row);
  std::vector<std::int32_t> new_id(static_cast<std::size_t>(tree.NumNodes()));
  for (std::size_t node = 0; node < new_id.size(); ++node) new_id[node] = static_cast<std::int32_t>(node);
  if (param_.gamma != 0.0F) new_id = PruneTree(param_.gamma, param_.eta * task.leaf_scale, &tree);
  auto const device_ids = ToDevice(cuda, new_id);
  FinishLeaves(cuda, leaf_of_row, device_ids.data());
  return tree;
}

Tree GpuExactBuilder::Build(Context const& ctx, DataMatrix const& data, TreeTask const& task, BuildState* state,
                            Span<std::int32_t> leaf_of_row) const {
  CheckTask(task, data, leaf_of_row);
  DeviceScope const scope(ctx.device.ordinal);
  auto const& cuda = static_cast<GpuExactState*>(state)->stream.Context();
  Buffer<FixedPair> pairs(cuda, task.gradients.pairs.size());
  CopyToDevice(cuda, task.gradients.pairs.data(), task.gradients.pairs.size(), pairs.data());
  Buffer<std::uint8_t> sampled(cuda, task.sampled_rows.size());
  CopyToDevice(cuda, task.sampled_rows.data(), task.sampled_rows.size(), sampled.data());
  Buffer<std::int32_t> leaves(cuda, leaf_of_row.size());
  DeviceTreeTask device_task;
  device_task.pairs = pairs.span();
  device_task.unit = task.gradients.unit;
  device_task.sampled_rows = sampled.span();
  device_task.iteration = task.iteration;
  device_task.tree_in_iteration = task.tree_in_iteration;
  device_task.leaf_scale = task.leaf_scale;
  auto tree = BuildOnDevice(cuda, ctx, device_task, state, leaves.span());
  auto const host_leaves = ToHost(cuda, leaves.data(), leaves.size());
  std::copy(host_leaves.begin(), host_leaves.end(), leaf_of_row.begin());
  return tree;
}

std::unique_ptr<TreeBuilder> MakeGpuExactBuilder(ParamMap const& map) {
  return std::make_unique<GpuExactBuilder>(ParseParameters<TreeParam>(map));
}

}  // namespace kauri::cuda
