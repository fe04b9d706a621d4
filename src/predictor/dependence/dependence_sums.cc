#include "predictor/dependence/dependence_sums.h"

#include <algorithm>
#include <utility>

#include "common/memory_size.h"
#include "common/threads/parallel_for.h"

namespace kauri {
namespace {

/// Maximum number of results: 512 GiB of them.
constexpr double kMostNumbers = 6.9e10;

/// Adds to the cell where a box begins, and takes away where it ends, so that a sum over the cells gives the box.
void AddEnds(CellRun run, double value, double* cells, std::int64_t n_cells, std::int64_t stride = 1) {
  cells[run.begin * stride] += value;
  if (run.end < n_cells) cells[run.end * stride] -= value;
}

/// Replaces each row of a plane by its running sum, then each column.
void SumCorners(double* cells, std::int64_t n_rows, std::int64_t n_cols) {
  for (std::int64_t row = 0; row < n_rows; ++row) {
    auto* const to = cells + row * n_cols;
    for (std::int64_t col = 1; col < n_cols; ++col) to[col] += to[col - 1];
    if (row == 0) continue;
    for (std::int64_t col = 0; col < n_cols; ++col) to[col] += to[col - n_cols];
  }
}

Span<CellRun const> RunsOf(TreeBoxes const& boxes, BoxedLeaf const& leaf, std::uint32_t place) {
  auto const& box = boxes.boxes[leaf.first_box + place];
  return {boxes.runs.data() + box.first_run, box.n_runs};
}

}  // namespace

std::int32_t FeatureSlot(Forest const& forest, std::uint32_t feature) {
  return feature < forest.slot_of_feature.size() ? forest.slot_of_feature[feature] : -1;
}

std::uint64_t KeyOfPair(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::min(a, b)} << 32U | std::max(a, b);
}

DependenceSums::DependenceSums(Forest const& forest, std::vector<Axis> const& axes, DependenceRequest const& request,
                               Span<double const> start)
    : forest_(forest), axes_(axes), request_(request), curve_of_slot_(axes.size(), -1) {
  sums_.n_outputs = forest.n_outputs;
  sums_.values.assign(start.begin(), start.end());
  sums_.threshold_begin.push_back(0);
  for (std::size_t i = 0; i < request.features.size(); ++i) {
    auto const slot = FeatureSlot(forest, request.features[i]);
    if (slot >= 0) {
      curve_of_slot_[ToSize(slot)] = static_cast<std::int64_t>(i);
      for (auto const key : axes[ToSize(slot)].thresholds) sums_.thresholds.push_back(ValueOfKey(key));
    }
    sums_.threshold_begin.push_back(static_cast<std::int64_t>(sums_.thresholds.size()));
    AddPlane(1, NumCells(request.features[i]));
  }
  double n_numbers = 0.0;
  for (auto const& pair : request.pairs) {
    n_numbers += static_cast<double>(NumCells(pair.first)) * static_cast<double>(NumCells(pair.second)) *
                 static_cast<double>(forest.n_outputs);
  }
  if (n_numbers > kMostNumbers) {
    Fail(ErrorKind::kParameter, "the joint dependence of ", request.pairs.size(), " pairs has ", n_numbers,
         " numbers, more than any memory holds; ask for fewer pairs at a time.");
  }
  for (auto const& pair : request.pairs) {
    plane_of_pair_.emplace_back(KeyOfPair(pair.first, pair.second), planes_.size());
    AddPlane(NumCells(pair.first), NumCells(pair.second));
  }
  std::sort(plane_of_pair_.begin(), plane_of_pair_.end());
  auto const& last = planes_.empty() ? Plane{sums_.values.size(), 0, 0} : planes_.back();
  sums_.values.resize(EndOf(last), 0.0);
}

std::int64_t DependenceSums::NumCells(std::uint32_t feature) const {
  auto const slot = FeatureSlot(forest_, feature);
  return slot < 0 ? 2 : axes_[ToSize(slot)].NumCells();
}

std::size_t DependenceSums::EndOf(Plane const& plane) const {
  return SizeInMemory(static_cast<std::int64_t>(plane.begin) + sums_.n_outputs * plane.n_rows * plane.n_cols);
}

void DependenceSums::AddPlane(std::int64_t n_rows, std::int64_t n_cols) {
  auto begin = ToSize(sums_.n_outputs);
  if (!planes_.empty()) begin = EndOf(planes_.back());
  planes_.push_back({begin, n_rows, n_cols});
}

void DependenceSums::Add(Context const& ctx, std::vector<CountedTree> const& batch) {
  Terms terms(planes_.size());
  ListTerms(batch, &terms);
  ParallelFor(ctx, static_cast<std::int64_t>(planes_.size()), [&](std::int64_t plane) {
    for (auto const& term : terms[plane]) AddTerm(batch[term.tree], term, ToSize(plane));
  });
}

/// Lists what the leaves add to each plane, and adds the leaves to the base.
void DependenceSums::ListTerms(std::vector<CountedTree> const& batch, Terms* terms) {
  for (std::uint32_t t = 0; t < batch.size(); ++t) {
    auto const& tree = batch[t];
    for (std::uint32_t leaf = 0; leaf < tree.boxes.leaves.size(); ++leaf) {
      auto const share = tree.shares.All(leaf);
      for (auto one = tree.boxes.tree; one < forest_.GroupEnd(tree.boxes.tree); ++one) {
        auto const value = forest_.leaf_value[forest_.tree_begin[one] + tree.boxes.leaves[leaf].node];
        sums_.values[forest_.output_of_tree[one]] += share * static_cast<double>(value);
      }
      ListLeaf(tree, {t, leaf, 0, 0}, terms);
    }
  }
}

void DependenceSums::ListLeaf(CountedTree const& tree, Term term, Terms* terms) const {
  auto const& leaf = tree.boxes.leaves[term.leaf];
  auto const* const boxes = tree.boxes.boxes.data() + leaf.first_box;
  for (term.a = 0; term.a < leaf.n_boxes; ++term.a) {
    auto const curve = curve_of_slot_[boxes[term.a].slot];
    if (curve < 0) continue;
    (*terms)[curve].push_back(term);
    if (plane_of_pair_.empty()) continue;
    for (term.b = term.a + 1; term.b < leaf.n_boxes; ++term.b) {
      auto const key =
          KeyOfPair(forest_.feature_of_slot[boxes[term.a].slot], forest_.feature_of_slot[boxes[term.b].slot]);
      auto const found = std::lower_bound(plane_of_pair_.begin(), plane_of_pair_.end(), std::pair{key, std::size_t{0}});
      if (found != plane_of_pair_.end() && found->first == key) (*terms)[found->second].push_back(term);
    }
  }
}

void DependenceSums::AddTerm(CountedTree const& tree, Term const& term, std::size_t number) {
  auto const& plane = planes_[number];
  auto const node = tree.boxes.leaves[term.leaf].node;
  for (auto one = tree.boxes.tree; one < forest_.GroupEnd(tree.boxes.tree); ++one) {
    auto const value = static_cast<double>(forest_.leaf_value[forest_.tree_begin[one] + node]);
    auto* const to =
        sums_.values.data() + plane.begin + ToSize(forest_.output_of_tree[one] * plane.n_rows * plane.n_cols);
    if (number < request_.features.size()) {
      AddToCurve(tree, term, value, to, plane.n_cols);
    } else {
      AddToSurface(tree, term, value, to, plane);
    }
  }
}

void DependenceSums::AddToCurve(CountedTree const& tree, Term const& term, double value, double* to,
                                std::int64_t n_cells) const {
  auto const without = value * tree.shares.Without(term.leaf, term.a);
  for (auto const run : RunsOf(tree.boxes, tree.boxes.leaves[term.leaf], term.a)) {
    AddEnds(run, without, to, n_cells);
  }
  to[0] -= value * tree.shares.All(term.leaf);
}

void DependenceSums::AddToSurface(CountedTree const& tree, Term const& term, double value, double* to,
                                  Plane const& plane) const {
  auto const& leaf = tree.boxes.leaves[term.leaf];
  auto const without_both = value * tree.shares.Without(term.leaf, term.a, term.b, leaf.n_boxes);
  auto first = term.a;
  auto second = term.b;
  auto const feature_of = [&](std::uint32_t place) {
    return forest_.feature_of_slot[tree.boxes.boxes[leaf.first_box + place].slot];
  };
  if (feature_of(first) > feature_of(second)) std::swap(first, second);  // a surface's first feature is the smaller
  auto const columns = RunsOf(tree.boxes, leaf, second);
  for (auto const rows : RunsOf(tree.boxes, leaf, first)) {
    for (auto const run : columns) {
      AddEnds(run, without_both, to + rows.begin * plane.n_cols, plane.n_cols);
      if (rows.end < plane.n_rows) AddEnds(run, -without_both, to + rows.end * plane.n_cols, plane.n_cols);
    }
    AddEnds(rows, -value * tree.shares.Without(term.leaf, first), to, plane.n_rows, plane.n_cols);
  }
  for (auto const run : columns) AddEnds(run, -value * tree.shares.Without(term.leaf, second), to, plane.n_cols);
  to[0] += value * tree.shares.All(term.leaf);
}

Dependence DependenceSums::Finish(Context const& ctx) {
  auto const n_planes = static_cast<std::int64_t>(planes_.size());
  ParallelFor(ctx, n_planes * sums_.n_outputs, [&](std::int64_t index) {
    auto const& plane = planes_[index / sums_.n_outputs];
    auto const output = index % sums_.n_outputs;
    auto const size = plane.n_rows * plane.n_cols;
    auto* const cells = sums_.values.data() + plane.begin + ToSize(output * size);
    if (index / sums_.n_outputs < static_cast<std::int64_t>(request_.features.size())) {
      cells[0] += sums_.values[output];
    }
    SumCorners(cells, plane.n_rows, plane.n_cols);
  });
  return std::move(sums_);
}

}  // namespace kauri
