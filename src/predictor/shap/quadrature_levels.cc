#include "predictor/shap/quadrature_levels.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace kauri {
namespace {

/// Maximum splits of a batch, so that its memory stays in the first-level cache.
constexpr std::size_t kBatchSplits = 512;
/// Maximum splits of a forest; a second copy of a larger one takes too much memory.
constexpr std::size_t kMostSplits = std::size_t{1} << 20;
/// Maximum splits of a tree. Its lane numbers must fit into 16 bits, and each level may waste a block of lanes.
constexpr std::size_t kMostTreeSplits = 1 << 15;
constexpr std::int32_t kMostTreeLevels = 1 << 10;

/// A split and its position in its tree.
struct Place {
  std::size_t tree;
  std::uint32_t split;
  std::uint32_t parent;  ///< split above
  std::uint8_t flags;
};

bool Fits(Forest const& forest, QuadratureTree const& tree) {
  return tree.order > 0 && tree.order <= kMaxUnitOrder && tree.splits.size() <= kMostTreeSplits &&
         tree.levels <= kMostTreeLevels && forest.NumSlots() <= std::numeric_limits<std::uint16_t>::max() &&
         std::none_of(tree.splits.begin(), tree.splits.end(), [](auto const& split) { return split.is_categorical; });
}

/// Lays out the trees of one batch.
class BatchCompiler {
 public:
  BatchCompiler(QuadratureForest const& compiled, std::int32_t order, QuadratureLevels* out)
      : compiled_(compiled), out_(out) {
    batch_.order = order;
    batch_.points = compiled.rules[order].points;
    batch_.term_begin = out->n_lanes;
  }

  bool HasRoomFor(std::size_t tree) const {
    return n_splits_ == 0 || n_splits_ + compiled_.trees[tree].splits.size() <= kBatchSplits;
  }
  void AddTree(std::size_t tree) {
    n_splits_ += compiled_.trees[tree].splits.size();
    trees_.push_back({tree, {}, {}});
    auto& added = trees_.back();
    added.lane_of_split.resize(compiled_.trees[tree].splits.size());
    ReadSteps(trees_.size() - 1);
  }

  void Finish() {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      for (std::size_t begin = 0; begin < levels_[level].size(); begin += kLevelLanes) {
        AddBlock(levels_[level].data() + begin, std::min<std::size_t>(kLevelLanes, levels_[level].size() - begin),
                 level == 0);
      }
    }
    for (auto const& tree : trees_) {
      for (auto& term : out_->terms[tree.number]) {
        if (term.lane == kFlushTerm) continue;
        term.lane = tree.lane_of_split[term.lane] + static_cast<std::uint32_t>(batch_.term_begin);
      }
    }
    batch_.trees = {static_cast<std::int64_t>(trees_.front().number),
                    static_cast<std::int64_t>(trees_.back().number) + 1};
    out_->n_lanes += static_cast<std::int64_t>(batch_.blocks.size()) * kLevelLanes;
    out_->batches.push_back(std::move(batch_));
  }

 private:
  struct Member {
    std::size_t number;
    std::vector<std::uint32_t> lane_of_split;
    std::vector<std::uint32_t> split_of_edge;  ///< split below the edge
  };

  QuadratureTree const& TreeOf(Place const& place) const { return compiled_.trees[trees_[place.tree].number]; }
  QuadratureSplit const& SplitOf(Place const& place) const { return TreeOf(place).splits[place.split]; }
  std::uint32_t LaneOf(Place const& place, std::uint32_t split) const {
    return trees_[place.tree].lane_of_split[split];
  }

  /// Finds the levels and the order of the terms. Terms hold numbers of splits until lanes are assigned.
  void ReadSteps(std::size_t member) {
    auto const& tree = compiled_.trees[trees_[member].number];
    auto* terms = &out_->terms[trees_[member].number];
    std::vector<std::uint32_t> open;
    std::uint32_t next = 0;
    for (auto const step : tree.steps) {
      if (step == QuadratureStep::kFlush) {
        terms->push_back({kFlushTerm, 0});
      } else if (step <= QuadratureStep::kOpenRightRepeated) {
        AddPlace(member, step, next, open);
        step <= QuadratureStep::kTipRepeated ? terms->push_back({next, tree.splits[next].feature})
                                             : open.push_back(next);
        ++next;
      } else if (step >= QuadratureStep::kClose) {
        terms->push_back({open.back(), tree.splits[open.back()].feature});
        open.pop_back();
      }
    }
    terms->push_back({kFlushTerm, 0});
  }

  /// Adds a split to its level. open: the splits above.
  void AddPlace(std::size_t member, QuadratureStep step, std::uint32_t number, std::vector<std::uint32_t> const& open) {
    auto const& tree = compiled_.trees[trees_[member].number];
    auto const& split = tree.splits[number];
    auto flags = split.side != 0 ? kIsRight : 0;
    if (step <= QuadratureStep::kTipRepeated) {
      flags |= kIsTip;
    } else if (split.is_half_leaf) {
      flags |= step >= QuadratureStep::kOpenRight ? kLeftIsLeaf : kRightIsLeaf;
    }
    if (open.size() == levels_.size()) levels_.emplace_back();
    levels_[open.size()].push_back({member, number, open.empty() ? 0 : open.back(), static_cast<std::uint8_t>(flags)});
    if (open.empty()) return;
    auto const edge = tree.splits[open.back()].edge[split.side];
    auto& split_of_edge = trees_[member].split_of_edge;
    if (edge >= split_of_edge.size()) split_of_edge.resize(edge + 1);
    split_of_edge[edge] = number;
  }

  void AddBlock(Place const* places, std::size_t count, bool is_root) {
    auto const first = batch_.blocks.size() * kLevelLanes;
    auto const first_inverse = batch_.inverses.size();
    batch_.blocks.emplace_back();
    batch_.inverses.resize(first_inverse + ToSize(batch_.points) * kLevelLanes, 1.0F);
    auto& block = batch_.blocks.back();
    block.is_root = is_root;
    std::fill(block.flags, block.flags + kLevelLanes, static_cast<std::uint8_t>(kIsTip));
    for (std::size_t lane = 0; lane < count; ++lane) {
      trees_[places[lane].tree].lane_of_split[places[lane].split] = static_cast<std::uint32_t>(first + lane);
      FillLane(places[lane], lane, &block);
      FillPrevious(places[lane], lane, batch_.inverses.data() + first_inverse + lane, &block);
      if (!is_root) LinkParent(places[0], places[lane], lane, &block);
    }
  }

  void FillLane(Place const& place, std::size_t lane, QuadratureBlock* block) const {
    auto const& split = SplitOf(place);
    auto const is_tip = (place.flags & kIsTip) != 0;
    (is_tip ? block->has_tips : block->has_others) = true;
    block->flags[lane] = place.flags;
    block->threshold[lane] = split.key;
    block->shift[lane] = split.default_left ? 1 : 0;
    block->slot[lane] = static_cast<std::uint16_t>(split.slot);
    block->power[lane] = static_cast<std::uint8_t>(split.power);
    for (std::size_t side = 0; side < 2; ++side) {
      block->zero[side][lane] = is_tip ? split.mean : split.zero[side];
      block->ratio[side][lane] = is_tip ? split.cold_mean : split.ratio[side];
      block->effect[side][lane] = split.effect[side];
      block->leaf[side][lane] = split.leaf[side];
    }
  }

  /// Sets the previous edge of a lane. inverses: inverses of the block, from the lane on.
  void FillPrevious(Place const& place, std::size_t lane, float* inverses, QuadratureBlock* block) const {
    auto const& split = SplitOf(place);
    auto const& member = trees_[place.tree];
    block->previous_effect[lane] = split.previous_effect;
    if (split.previous == 0) {
      block->previous[lane] = static_cast<std::uint16_t>(member.lane_of_split[0]);
      return;
    }
    block->previous[lane] = static_cast<std::uint16_t>(member.lane_of_split[member.split_of_edge[split.previous_edge]]);
    auto const* inverse = TreeOf(place).inverses.data() + split.previous_edge * ToSize(batch_.points);
    for (std::int32_t q = 0; q < batch_.points; ++q) inverses[q * kLevelLanes] = inverse[q];
  }

  /// Links a split to its parent. Parents are in the order of their children, so the first lane has the lowest parent.
  void LinkParent(Place const& first, Place const& place, std::size_t lane, QuadratureBlock* block) {
    auto const& split = SplitOf(place);
    auto const parent_lane = LaneOf(place, place.parent);
    auto const& parent = TreeOf(place).splits[place.parent];
    block->parent_begin = static_cast<std::int32_t>(LaneOf(first, first.parent));
    auto const distance = static_cast<std::int32_t>(parent_lane) - block->parent_begin;
    block->parent[lane] = static_cast<std::uint16_t>(distance);
    block->is_wide = block->is_wide || distance >= 2 * kLevelLanes;
    block->edge_zero[lane] = parent.zero[split.side];
    block->edge_ratio[lane] = parent.ratio[split.side];

    auto& above = batch_.blocks[parent_lane / kLevelLanes];
    auto const own_lane = static_cast<std::int32_t>(LaneOf(place, place.split));
    if (above.child_begin == 0) above.child_begin = own_lane;
    above.child[split.side][parent_lane % kLevelLanes] = static_cast<std::uint8_t>(own_lane - above.child_begin);
  }

  QuadratureForest const& compiled_;
  QuadratureLevels* out_;
  QuadratureBatch batch_;
  std::size_t n_splits_ = 0;
  std::vector<Member> trees_;
  std::vector<std::vector<Place>> levels_;
};

}  // namespace

QuadratureLevels CompileLevels(Forest const& forest, QuadratureForest const& compiled) {
  QuadratureLevels levels;
  levels.terms.resize(compiled.trees.size());
  std::size_t n_splits = 0;
  for (auto const& tree : compiled.trees) n_splits += tree.splits.size();
  for (std::int32_t order = 1; order <= kMaxUnitOrder && n_splits <= kMostSplits; ++order) {
    std::optional<BatchCompiler> batch;
    for (std::size_t tree = 0; tree < compiled.trees.size(); ++tree) {
      if (compiled.trees[tree].order != order || !Fits(forest, compiled.trees[tree])) continue;
      if (batch && !batch->HasRoomFor(tree)) {
        batch->Finish();
        batch.reset();
      }
      if (!batch) batch.emplace(compiled, order, &levels);
      batch->AddTree(tree);
    }
    if (batch) batch->Finish();
  }
  return levels;
}

std::shared_ptr<QuadratureForest const> LazyQuadrature::Get(Context const& ctx, Forest const& forest,
                                                            QuadratureGoal goal) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& compiled = compiled_[goal.semivalue];
  if (compiled.forest == nullptr || (goal.with_pairs && !compiled.has_pairs)) {
    compiled.forest = std::make_shared<QuadratureForest const>(CompileQuadrature(ctx, forest, goal));
    compiled.has_pairs = goal.with_pairs;
  }
  return compiled.forest;
}

std::shared_ptr<QuadratureLevels const> LazyQuadrature::Levels(Context const& ctx, Forest const& forest,
                                                               Semivalue semivalue) const {
  auto const compiled = Get(ctx, forest, {semivalue, false});
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& levels = compiled_[semivalue].levels;
  if (levels == nullptr) levels = std::make_shared<QuadratureLevels const>(CompileLevels(forest, *compiled));
  return levels;
}

}  // namespace kauri
