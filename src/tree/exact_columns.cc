#include "tree/exact_columns.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "common/parallel_for.h"
#include "tree/exact_partition.h"
#include "tree/exact_pieces.h"

namespace kauri {
namespace {

constexpr std::int64_t kEntriesPerTask = 1 << 15;

/// A loss change below it does not make a split, whatever its rounding to float32.
constexpr double kLeastLossChange = 0.99 * static_cast<double>(kMinLossChange);

/// Raises to `value` if that is more.
void RaiseTo(double value, std::atomic<double>* reached) {
  auto seen = reached->load(std::memory_order_relaxed);
  while (seen < value && !reached->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

bool Contains(std::vector<std::uint32_t> const& ascending, std::uint32_t value) {
  return std::binary_search(ascending.begin(), ascending.end(), value);
}

}  // namespace

/// What the tasks of one level share.
struct ExactColumns::Level {
  Level(LevelTask const& level_task, Span<RowMove const> row_moves)
      : task(level_task), moves(row_moves), reached(level_task.nodes.size()) {
    for (auto const& node : task.nodes) {
      bounds.push_back(task.constraints->BoundsOf(node.id));
      node_gain.push_back(NodeGain(node.sum, task.gain, bounds.back()));
    }
    for (auto& loss_change : reached) loss_change.store(kLeastLossChange, std::memory_order_relaxed);
    level_set = task.sampler->LevelSet(task.depth);
    auto const samples = task.sampler->SamplesNodes();
    if (!samples && !task.constraints->LimitsFeatures()) return;
    for (auto const& node : task.nodes) {
      auto const drawn = samples ? task.sampler->NodeSet(task.depth, node.id) : level_set;
      node_sets.push_back(task.constraints->AllowedOf(node.id, drawn));
    }
  }
  bool MayUse(std::uint32_t feature, std::size_t node) const {
    return Contains(node_sets.empty() ? level_set : node_sets[node], feature);
  }

  LevelTask const& task;
  Span<RowMove const> moves;
  std::vector<WeightBounds> bounds;
  std::vector<double> node_gain;
  std::vector<std::uint32_t> level_set;
  std::vector<std::vector<std::uint32_t>> node_sets;  // empty when all are the level's
  /// The largest loss change found so far, to pass over what cannot win. It is timing that decides how early a value
  /// gets here, but only candidates that lose anyway are passed over.
  mutable std::vector<std::atomic<double>> reached;
};

/// Places [begin, end) of a column, about kEntriesPerTask entries in all.
struct ExactColumns::Work {
  std::size_t column;
  std::size_t begin;
  std::size_t end;
  std::int64_t n_entries;
};

ExactColumns::ExactColumns(SortedColumns const& source)
    : source_(&source), moved_(new ColumnEntry[static_cast<std::size_t>(source.NumEntries())]) {}

void ExactColumns::Start(std::vector<std::uint32_t> const& features) {
  entries_ = source_->Entries().data();
  columns_.resize(features.size());
  next_.resize(features.size());
  for (std::size_t i = 0; i < features.size(); ++i) {
    auto const feature = static_cast<std::int64_t>(features[i]);
    auto const count = static_cast<std::int64_t>(source_->Column(feature).size());
    columns_[i].feature = features[i];
    columns_[i].mode = ScanModeOf(*source_, feature);
    columns_[i].places.clear();
    if (count > 0) columns_[i].places.push_back({source_->ColumnPtr()[features[i]], count, 0});
  }
}

std::vector<ExactColumns::Work> ExactColumns::CutIntoWork() const {
  std::vector<Work> work;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    auto const& places = columns_[column].places;
    std::int64_t n_entries = 0;
    for (std::size_t begin = 0, end = 0; end < places.size();) {
      n_entries += places[end++].count;
      if (n_entries < kEntriesPerTask && end < places.size()) continue;
      work.push_back({column, begin, end, n_entries});
      begin = end;
      n_entries = 0;
    }
  }
  // Node by node: what is gathered for a node stays in the cache from feature to feature.
  std::stable_sort(work.begin(), work.end(), [&](Work const& a, Work const& b) {
    return columns_[a.column].places[a.begin].node < columns_[b.column].places[b.begin].node;
  });
  return work;
}

std::vector<SplitCandidate> ExactColumns::FindSplits(Context const& ctx, LevelTask const& task,
                                                     Span<RowMove const> moves) {
  Level const level(task, moves);
  auto const n_threads = static_cast<std::size_t>(ctx.threads);
  std::vector<std::vector<SplitCandidate>> best(n_threads, std::vector<SplitCandidate>(task.nodes.size()));
  if (buffers_.size() < n_threads) buffers_.resize(n_threads);
  if (category_entries_.size() < n_threads) category_entries_.resize(n_threads);
  if (!moves.empty()) {
    for (std::size_t column = 0; column < columns_.size(); ++column)
      next_[column].resize(2 * columns_[column].places.size());
  }
  auto const work = CutIntoWork();
  auto const size_of = [&](std::int64_t item) { return work[static_cast<std::size_t>(item)].n_entries; };
  ForEachBundled(ctx, static_cast<std::int64_t>(work.size()), kEntriesPerTask, size_of, [&](std::int64_t item) {
    auto const& piece = work[static_cast<std::size_t>(item)];
    auto const thread = static_cast<std::size_t>(ThreadIndex());
    for (auto index = piece.begin; index < piece.end; ++index) {
      if (moves.empty()) {
        ScanPlace(level, columns_[piece.column], entries_, columns_[piece.column].places[index], &best[thread]);
      } else {
        SplitPlace(level, piece.column, index, &buffers_[thread], &best[thread]);
      }
    }
  });
  if (!moves.empty()) AdoptChildren();
  for (std::size_t thread = 1; thread < n_threads; ++thread) {
    for (std::size_t node = 0; node < task.nodes.size(); ++node) {
      if (IsBetter(best[thread][node], best[0][node])) best[0][node] = best[thread][node];
    }
  }
  return std::move(best[0]);
}

void ExactColumns::SplitPlace(Level const& level, std::size_t column, std::size_t index,
                              std::vector<ColumnEntry>* buffer, std::vector<SplitCandidate>* best) {
  auto const& place = columns_[column].places[index];
  auto const& move = level.moves[static_cast<std::size_t>(place.node)];
  auto const* from = entries_ + place.begin;
  auto* const to = moved_.get() + place.begin;
  auto const* new_position = level.task.rows->NewPositions();
  Place left{place.begin, 0, move.left};
  Place right{place.begin, 0, move.right};
  if (move.left >= 0 && move.right >= 0) {
    auto const count = static_cast<std::size_t>(place.count);
    if (buffer->size() < count) buffer->resize(count);
    left.count = PartitionEntries(from, place.count, new_position, move.middle, buffer->data(), to);
    right.begin += left.count;
    right.count = place.count - left.count;
  } else if (move.left >= 0) {
    left.count = SelectEntries(from, place.count, new_position, 0, move.middle, to);
  } else if (move.right >= 0) {
    right.count = SelectEntries(from, place.count, new_position, move.middle, kDropped, to);
  }
  for (auto const& child : {left, right}) {
    if (child.count > 0) ScanPlace(level, columns_[column], moved_.get(), child, best);
  }
  next_[column][2 * index] = left;
  next_[column][2 * index + 1] = right;
}

void ExactColumns::ScanPlace(Level const& level, Column const& column, ColumnEntry const* entries, Place const& place,
                             std::vector<SplitCandidate>* best) {
  auto const index = static_cast<std::size_t>(place.node);
  if (!level.MayUse(column.feature, index)) return;
  auto const& node = level.task.nodes[index];
  SegmentView segment;
  segment.entries = entries + place.begin;
  segment.count = place.count;
  segment.pairs = level.task.rows->Pairs();
  segment.total = node.sum;
  segment.node_gain = level.node_gain[index];
  segment.bounds = level.bounds[index];
  segment.sign = level.task.constraints->SignOf(column.feature);
  segment.has_missing = place.count < node.range.Size();
  segment.feature = column.feature;
  segment.mode = column.mode;
  auto const floor = level.reached[index].load(std::memory_order_relaxed);
  auto const& categories = *level.task.categories;
  auto* const scratch = &category_entries_[static_cast<std::size_t>(ThreadIndex())];
  auto const candidate = categories.Has(column.feature)
                             ? ScanCategories(level.task.gain, categories, segment, floor, scratch)
                             : ScanSegment(level.task.gain, segment, floor);
  if (!IsBetter(candidate, (*best)[index])) return;
  (*best)[index] = candidate;
  RaiseTo(candidate.loss_change, &level.reached[index]);
}

void ExactColumns::AdoptChildren() {
  entries_ = moved_.get();
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    auto& places = columns_[column].places;
    places.clear();
    std::copy_if(next_[column].begin(), next_[column].end(), std::back_inserter(places),
                 [](Place const& place) { return place.count > 0; });
  }
}

Span<ColumnEntry const> ExactColumns::Segment(std::uint32_t feature, std::int64_t node) const {
  auto const column = std::lower_bound(columns_.begin(), columns_.end(), feature,
                                       [](Column const& a, std::uint32_t b) { return a.feature < b; });
  auto const place = std::lower_bound(column->places.begin(), column->places.end(), node,
                                      [](Place const& a, std::int64_t b) { return a.node < b; });
  if (place == column->places.end() || place->node != node) return {};
  return {entries_ + place->begin, static_cast<std::size_t>(place->count)};
}

}  // namespace kauri
