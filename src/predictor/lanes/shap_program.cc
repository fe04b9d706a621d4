#include "predictor/lanes/shap_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

/// A batch is full with this number of nodes: enough to amortise moving its sums, few enough to spread small forests
/// over a device. Pairs are not moved, and are requested for fewer rows. With 2048 nodes for both, an H100 took 2 to 6
/// % longer for 10,000 rows of trees of depth 16, and for the pairs of 200 rows 6 times as long at 12,000 leaves.
constexpr std::int64_t kBatchNodes = 512;
constexpr std::int64_t kPairBatchNodes = 128;

/// Number of trees that are compiled before they are appended; the bound keeps the memory of their copies small.
constexpr std::int64_t kTreesAtOnce = 256;

constexpr std::int64_t kMaxPlaces = 1 << 23;

/// Appends compiled trees, in order.
class ProgramWriter {
 public:
  ProgramWriter(Forest const& forest, bool with_pairs, ShapProgram* program)
      : forest_(forest), with_pairs_(with_pairs), program_(*program), place_of_slot_(ToSize(forest.NumSlots()), -1) {
    if (with_pairs) program_.partner_begin.assign(1, 0);
  }

  void Append(std::int64_t tree, CompiledTree const& compiled) {
    auto const output = forest_.output_of_tree[tree];
    OpenBatch(output, PassShapeFor(program_.semivalue, compiled.n_features));
    auto& batch = program_.batches.back();
    batch.saved_downs = std::max(batch.saved_downs, compiled.saved_downs);
    batch.saved_firsts = std::max(batch.saved_firsts, compiled.saved_firsts);
    auto const first_state = static_cast<std::int64_t>(program_.states.size()) - batch.state_begin;
    program_.trees.push_back({NumNodes(), NumNodes() + static_cast<std::int64_t>(compiled.nodes.size()),
                              NumBatches() - 1, tree, compiled.slots.empty() ? 0 : compiled.slots[0]});
    for (std::size_t i = 0; i < compiled.nodes.size(); ++i) {
      auto node = compiled.nodes[i];
      node.layout |= PlaceOf(compiled.slots[i]) << ProgramNode::kPlaceShift;
      if (node.Is(ProgramNode::kRepeats)) node.earlier += static_cast<std::int32_t>(first_state);
      if (!program_.nodes.empty()) program_.nodes.back().next_slot = compiled.slots[i];
      program_.nodes.push_back(node);
    }
    AppendStates(compiled, batch);
    if (with_pairs_) AppendPartners(compiled, first_state);
  }

 private:
  std::int64_t NumNodes() const { return static_cast<std::int64_t>(program_.nodes.size()); }
  std::int64_t NumBatches() const { return static_cast<std::int64_t>(program_.batches.size()); }

  void OpenBatch(std::int32_t output, PassShape shape) {
    if (!program_.batches.empty()) {
      auto const& last = program_.batches.back();
      auto const is_same = last.output == output && last.points == shape.points && last.passes == shape.passes;
      if (is_same && NumNodes() - batch_nodes_ < (with_pairs_ ? kPairBatchNodes : kBatchNodes)) return;
      for (auto place = last.place_begin; place < last.place_begin + last.n_places; ++place) {
        place_of_slot_[program_.slot_of_place[place]] = -1;
      }
    }
    batch_nodes_ = NumNodes();
    program_.inverses.resize((program_.inverses.size() + 3) / 4 * 4);  // for loads of 16 bytes
    ProgramBatch batch;
    batch.output = output;
    batch.points = shape.points;
    batch.passes = shape.passes;
    batch.place_begin = static_cast<std::int64_t>(program_.slot_of_place.size());
    batch.state_begin = static_cast<std::int64_t>(program_.states.size());
    batch.inverse_begin = static_cast<std::int64_t>(program_.inverses.size());
    program_.batches.push_back(batch);
    points_ = MakePassPoints(program_.semivalue, shape).point;
  }

  std::uint32_t PlaceOf(std::uint32_t slot) {
    auto& place = place_of_slot_[slot];
    if (place < 0) {
      place = program_.batches.back().n_places++;
      if (place >= kMaxPlaces) {
        Fail(ErrorKind::kModel, "a tree splits on more than ", kMaxPlaces, " features; use shap_method=treeshap.");
      }
      program_.slot_of_place.push_back(slot);
    }
    return static_cast<std::uint32_t>(place);
  }

  void AppendStates(CompiledTree const& compiled, ProgramBatch const& batch) {
    auto const n_points = ToSize(batch.points) * ToSize(batch.passes);
    for (std::size_t i = 0; i < compiled.states.size(); ++i) {
      auto state = compiled.states[i];
      auto const z = compiled.zero_fractions[i];
      state.zero_fraction = static_cast<float>(z);
      program_.states.push_back(state);
      for (std::size_t q = 0; q < n_points; ++q) {
        auto const t = static_cast<double>(points_[q]);
        program_.inverses.push_back(static_cast<float>(1.0 / (z + (1.0 - z) * t)));
      }
    }
  }

  void AppendPartners(CompiledTree const& compiled, std::int64_t first_state) {
    auto const first = static_cast<std::int64_t>(program_.partners.size());
    for (auto partner : compiled.partners) {
      partner.state += static_cast<std::int32_t>(first_state);
      program_.partners.push_back(partner);
    }
    for (std::size_t i = 1; i < compiled.partner_begin.size(); ++i) {
      program_.partner_begin.push_back(first + compiled.partner_begin[i]);
    }
  }

  Forest const& forest_;
  bool with_pairs_;
  ShapProgram& program_;
  std::int64_t batch_nodes_ = 0;             ///< first node of the open batch
  std::vector<std::int32_t> place_of_slot_;  ///< place in the open batch; -1: none yet
  std::vector<float> points_;                ///< points of the open batch
};

/// Returns the number of distinct features of each tree's longest path.
std::vector<std::int32_t> LongestPaths(Context const& ctx, Forest const& forest) {
  std::vector<std::int32_t> longest(forest.NumTrees());
  ParallelFor(ctx, forest.NumTrees(), [&](std::int64_t tree) { longest[tree] = LongestPath(forest, tree); });
  return longest;
}

}  // namespace

PassShape PassShapeFor(Semivalue semivalue, std::int32_t n_features) {
  if (semivalue == Semivalue::kBanzhaf || semivalue == Semivalue::kTaylorAlone) return {2, 1};
  auto const needed = PointsFor(n_features);
  auto const passes = (needed + kMaxPassPoints - 1) / kMaxPassPoints;
  auto const points = (needed + passes - 1) / passes;
  return {(points + 1) / 2 * 2, passes};
}

PassPoints MakePassPoints(Semivalue semivalue, PassShape shape) {
  constexpr double kNearZero = 1e-12;
  auto const n_points = static_cast<std::size_t>(shape.points) * static_cast<std::size_t>(shape.passes);
  auto const nodes = SemivalueNodes(semivalue, static_cast<std::int32_t>(n_points));
  auto const copies = n_points / nodes.node.size();
  PassPoints points;
  for (std::size_t q = 0; q < n_points; ++q) {
    auto const t = static_cast<float>(std::max(nodes.node[q / copies], kNearZero));
    points.point.push_back(t);
    points.weight.push_back(static_cast<float>(nodes.weight[q / copies] / static_cast<double>(copies)));
    points.cold.push_back(static_cast<float>(-1.0 / (1.0 - static_cast<double>(t))));
  }
  return points;
}

ShapProgram CompileShapProgram(Context const& ctx, Forest const& forest, Semivalue semivalue, PathPairs const* pairs) {
  ShapProgram program{semivalue, {}, {}, {}, {}, {}, {}, PathCategories(forest.categories), {}, {}};
  auto const longest = LongestPaths(ctx, forest);
  std::vector<std::int64_t> order(forest.NumTrees());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  auto const rank = [&](std::int64_t tree) {
    auto const shape = PassShapeFor(semivalue, longest[tree]);
    return std::make_tuple(forest.output_of_tree[tree], shape.passes, shape.points, tree);
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return rank(a) < rank(b); });

  auto workers = ctx;
  if (forest.has_categorical) workers.threads = 1;  // conditions are numbered in the order of trees
  ProgramWriter writer(forest, pairs != nullptr, &program);
  for (std::int64_t begin = 0; begin < forest.NumTrees(); begin += kTreesAtOnce) {
    auto const n_trees = std::min(kTreesAtOnce, forest.NumTrees() - begin);
    std::vector<CompiledTree> compiled(n_trees);
    ParallelFor(workers, n_trees, [&](std::int64_t i) {
      compiled[i] = CompileTree(forest, order[begin + i], pairs, &program.categories);
    });
    for (std::int64_t i = 0; i < n_trees; ++i) writer.Append(order[begin + i], compiled[i]);
  }
  return program;
}

}  // namespace kauri
