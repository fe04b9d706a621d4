/// \file The best boundary of a piece of a segment by label bins: the result of LabelBinScan
/// (tree/exact/label_bin_scan.h) among the boundaries after the piece's entries, found by one thread, on the host or
/// the device.
///
/// 1. The left bins begin with the segment's entries before the piece (TileSums), and the missing rows if they go
///    left. To get the missing rows, the segment's entries are subtracted from the rows of the node, one by one if the
///    segment is within one tile.
/// 2. Entry after entry moves from the right to the left (tree/absolute_error/bin_sides.h).
/// 3. At each change of the value, the gain is the errors of the node less the errors of both sides.
/// A thread has a table of 1 KB. The next entry is loaded while the errors at the current one are computed.
#pragma once

#include <cstdint>

#include "cuda/exact/label_bins/label_rows.h"
#include "cuda/exact/label_bins/node_bins.h"
#include "tree/split_rules.h"

namespace kauri::cuda {

/// The column of one thread in a table of many, [kLabelBins, stride].
struct StridedBins {
  std::int64_t* weights;
  std::int64_t* products;
  std::int64_t stride;

  KAURI_HD ResidualSum Of(std::size_t bin) const {
    auto const at = static_cast<std::int64_t>(bin) * stride;
    return {weights[at], products[at]};
  }
  KAURI_HD void Set(std::size_t bin, ResidualSum const& sum) const {
    auto const at = static_cast<std::int64_t>(bin) * stride;
    weights[at] = sum.weight;
    products[at] = sum.product;
  }
  KAURI_HD void Add(std::size_t bin, ResidualSum const& sum) const { Set(bin, Of(bin) + sum); }
};

/// The input for the pieces of a chunk of features.
struct PieceWalkTask {
  GainParam param;
  EntryArrays entries;
  LabelLevel labels;
  TileSums tiles;
  double floor = 0.0;  ///< candidates with a smaller gain need not be found
};

/// Entries [begin, end) of one tile and one segment.
struct SegmentPiece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t segment_begin = 0;
  std::int64_t segment_end = 0;
  std::int32_t node = 0;
  bool both_ways = false;  ///< missing rows may also go right
  FixedSum node_sum;
  FixedSum before;   ///< sum of the segment's entries before the piece
  FixedSum present;  ///< sum of all of the segment's entries
  RowLimit rows;     ///< limit on the rows of the node

  KAURI_HD std::int64_t NumPresent() const { return segment_end - segment_begin; }
  KAURI_HD bool HasMissing() const { return NumPresent() < rows.of_node; }
  KAURI_HD bool BeginsSegment() const { return begin == segment_begin; }
  KAURI_HD bool EndsSegment() const { return end == segment_end; }
};

class PieceWalk {
 public:
  /// left_bins: scratch of this thread. Referenced objects must outlive it.
  KAURI_HD PieceWalk(PieceWalkTask const& task, SegmentPiece const& piece, StridedBins const& left_bins)
      : task_(task),
        piece_(piece),
        node_(task.labels.nodes[piece.node]),
        node_bins_(task.labels.node_bins +
                   static_cast<std::int64_t>(piece.node) * static_cast<std::int64_t>(kLabelBins)),
        left_bins_(left_bins) {}

  KAURI_HD SegmentCandidate Best() {
    if (piece_.both_ways) Walk(false);
    if (!piece_.both_ways || piece_.HasMissing()) Walk(true);
    return best_;
  }

 private:
  /// The data of an entry that are added to the left.
  struct Entry {
    float value;
    FixedPair pair;
    std::uint8_t bin;
    ResidualSum residual;
  };
  /// The totals of the left side, besides its label bins.
  struct Left {
    FixedSum sum;
    std::int64_t n_rows;
    bool has_missing;
  };
  using Sides = MovingSides<StridedBins>;

  KAURI_HD Entry At(std::int64_t index) const {
    auto const row = task_.entries.rows[index];
    return {task_.entries.values[index], task_.entries.pairs[index], task_.labels.bin_of_row[row],
            task_.labels.sum_of_row[row]};
  }

  /// Sets the left bins as they are before the piece; returns their sum.
  KAURI_HD ResidualSum FillLeft(bool with_missing) const {
    auto const first = piece_.segment_begin / kTileEntries;
    auto const own = piece_.begin / kTileEntries;
    auto const last = (piece_.segment_end - 1) / kTileEntries;
    ResidualSum all;
    for (std::size_t bin = 0; bin < kLabelBins; ++bin) {
      ResidualSum sum;
      if (own > first) sum = task_.tiles.Between(bin, first, own);
      if (with_missing) sum += node_bins_[bin];
      if (with_missing && last > first) sum -= task_.tiles.All(bin, first, last);
      left_bins_.Set(bin, sum);
      all += sum;
    }
    if (!with_missing || last > first) return all;
    for (auto index = piece_.segment_begin; index < piece_.segment_end; ++index) {
      auto const entry = At(index);
      left_bins_.Add(entry.bin, ResidualSum{} - entry.residual);
      all -= entry.residual;
    }
    return all;
  }

  KAURI_HD void Walk(bool missing_left) {
    auto const with_missing = missing_left && piece_.HasMissing();
    Sides sides(task_.labels.scale, node_bins_, node_.all, left_bins_, FillLeft(with_missing));
    Left left{piece_.before, piece_.begin - piece_.segment_begin, missing_left};
    if (with_missing) {
      left.sum += piece_.node_sum - piece_.present;
      left.n_rows += piece_.rows.of_node - piece_.NumPresent();
    }
    auto entry = At(piece_.begin);
    if (with_missing && piece_.BeginsSegment()) Consider(ThresholdBelow(entry.value), left, &sides);
    for (auto index = piece_.begin; index < piece_.end; ++index) {
      auto const next = index + 1 < piece_.segment_end ? At(index + 1) : entry;
      sides.MoveLeft(entry.bin, entry.residual);
      left.sum += entry.pair;
      ++left.n_rows;
      if (entry.value != next.value) Consider(MidpointThreshold(entry.value, next.value), left, &sides);
      entry = next;
    }
    if (!missing_left && piece_.HasMissing() && piece_.EndsSegment() && entry.value < kLargestValue)
      Consider(ThresholdBeyond(entry.value), left, &sides);
  }

  KAURI_HD void Consider(float threshold, Left const& left, Sides* sides) {
    auto const right = piece_.node_sum - left.sum;
    if (!HasEnoughHessian(left.sum, task_.param) || !HasEnoughHessian(right, task_.param)) return;
    if (piece_.rows.IsOn() && !piece_.rows.Allows(left.n_rows)) return;
    auto const of_left = sides->LeftErrors();
    auto const gain = node_.errors - of_left - sides->RightErrors();
    if (gain < task_.floor || gain <= 0.0) return;
    SegmentCandidate found;
    found.loss_change = gain;
    found.left = left.sum;
    found.threshold = threshold;
    found.state = left.has_missing ? SegmentCandidate::kDefaultLeft : SegmentCandidate::kDefaultRight;
    if (IsBetterInSegment(found, best_)) best_ = found;
  }

  PieceWalkTask const& task_;
  SegmentPiece const& piece_;
  NodeLabels node_;
  ResidualSum const* node_bins_;
  StridedBins left_bins_;
  SegmentCandidate best_;
};

}  // namespace kauri::cuda
