#include "tree/exact/exact_columns.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/threads/parallel_for.h"
#include "tree/exact/exact_rows.h"
#include "tree/exact/label_bin_scan.h"

namespace kauri {
namespace {

constexpr std::int64_t kEntriesPerTask = 1 << 15;

}  // namespace

/// Places [begin, end) of a column, with about kEntriesPerTask entries in total.
struct ExactColumns::Work {
  std::size_t column;
  std::size_t begin;
  std::size_t end;
  std::int64_t n_entries;
};

ExactColumns::ExactColumns(SortedColumns const& source)
    : source_(&source), moved_(new ColumnEntry[source.NumEntries()]) {}

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
  // Sort by node, so that data gathered for a node stay in the cache from feature to feature.
  std::stable_sort(work.begin(), work.end(), [&](Work const& a, Work const& b) {
    return columns_[a.column].places[a.begin].node < columns_[b.column].places[b.begin].node;
  });
  return work;
}

void ExactColumns::FindSplits(Context const& ctx, ExactLevel const& level, Span<RowMove const> moves,
                              std::vector<SplitCandidate>* best) {
  if (columns_.empty()) return;
  auto const n_threads = static_cast<std::size_t>(ctx.threads);
  std::vector<std::vector<SplitCandidate>> found(n_threads, std::vector<SplitCandidate>(best->size()));
  if (buffers_.size() < n_threads) buffers_.resize(n_threads);
  if (category_entries_.size() < n_threads) category_entries_.resize(n_threads);
  if (!moves.empty()) {
    for (std::size_t column = 0; column < columns_.size(); ++column)
      next_[column].resize(2 * columns_[column].places.size());
  }
  auto const work = CutIntoWork();
  auto const size_of = [&](std::int64_t item) { return work[item].n_entries; };
  ForEachBundled(ctx, static_cast<std::int64_t>(work.size()), kEntriesPerTask, size_of, [&](std::int64_t item) {
    auto const& piece = work[item];
    auto* const own = &found[ThreadIndex()];
    auto const& column = columns_[piece.column];
    for (auto index = piece.begin; index < piece.end; ++index) {
      auto const& place = column.places[index];
      if (moves.empty()) {
        ScanPlace(level, column, entries_, place, own);
      } else {
        SplitPlace(level, moves[place.node], piece.column, index, own);
      }
    }
  });
  if (!moves.empty()) AdoptChildren();
  level.Merge(found, best);
}

void ExactColumns::SplitPlace(ExactLevel const& level, RowMove const& move, std::size_t column, std::size_t index,
                              std::vector<SplitCandidate>* best) {
  auto const& place = columns_[column].places[index];
  auto const* from = entries_ + place.begin;
  auto* const to = moved_.get() + place.begin;
  auto const* new_position = level.Task().rows->NewPositions();
  Place left{place.begin, 0, move.left};
  Place right{place.begin, 0, move.right};
  if (move.left >= 0 && move.right >= 0) {
    auto& buffer = buffers_[ThreadIndex()];
    auto const count = static_cast<std::size_t>(place.count);
    if (buffer.size() < count) buffer.resize(count);
    left.count = PartitionEntries(from, place.count, new_position, move.middle, buffer.data(), to);
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

void ExactColumns::ScanPlace(ExactLevel const& level, Column const& column, ColumnEntry const* entries,
                             Place const& place, std::vector<SplitCandidate>* best) {
  auto const index = static_cast<std::size_t>(place.node);
  if (!level.MayUse(column.feature, index)) return;
  auto segment = level.SegmentOf(column.feature, index);
  segment.entries = entries + place.begin;
  segment.count = place.count;
  segment.has_missing = place.count < level.Task().nodes[index].range.Size();
  segment.mode = column.mode;
  auto const floor = level.Floor(index);
  auto const& categories = *level.Task().categories;
  auto* const scratch = &category_entries_[ThreadIndex()];
  auto const& gain = level.Task().gain;
  auto const scan = [&] {
    if (level.Task().errors != nullptr) return level.Task().errors->Scan(gain, segment, index, floor);
    return categories.Has(column.feature) ? ScanCategories(gain, categories, segment, floor, scratch)
                                          : ScanSegment(gain, segment, floor);
  };
  level.Keep(scan(), index, &(*best)[index]);
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
