/// \file Sums by label bin of the entries of a segment that lie before a tile: what a thread that begins there has on
/// its left.
///
/// At most one segment goes on from a tile to the next. Its entries in the tile are added up, and from the first tile
/// on all tiles' sums: the difference at two tiles is what the segment has between them, if it goes on over all of
/// them. Sums of all tiles are modulo 2^64, the differences are exact. A segment's entries in its last tile are kept
/// apart.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/exact/label_bins/label_types.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

/// Device memory, not owning.
struct TileSums {
  unsigned long long* weights = nullptr;   ///< [kLabelBins, n_tiles]: of the tiles before
  unsigned long long* products = nullptr;  ///< [kLabelBins, n_tiles]
  ResidualSum* ends = nullptr;             ///< [kLabelBins, n_tiles]: of the segment that ends in the tile
  std::int64_t n_tiles = 0;

  /// Of a segment that goes on over tiles [from, to): its entries in these.
  KAURI_HD ResidualSum Between(std::size_t bin, std::int64_t from, std::int64_t to) const {
    auto const row = static_cast<std::int64_t>(bin) * n_tiles;
    return {static_cast<std::int64_t>(weights[row + to] - weights[row + from]),
            static_cast<std::int64_t>(products[row + to] - products[row + from])};
  }
  /// Of a segment that begins in tile `from` and ends in a later one: all of its entries.
  KAURI_HD ResidualSum All(std::size_t bin, std::int64_t from, std::int64_t last) const {
    return Between(bin, from, last) + ends[static_cast<std::int64_t>(bin) * n_tiles + last];
  }
};

class TileSummer {
 public:
  /// Of one chunk of features of one level; valid until the next. Segments of features that their node may not use
  /// count as nothing. Costs a row number, a bin and 16 gathered bytes per entry, and 5 KB per tile.
  TileSums Sum(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels);
  /// Device memory of n tiles.
  static constexpr std::size_t BytesOf(std::size_t n_tiles) {
    return n_tiles * kLabelBins * (2 * sizeof(unsigned long long) + sizeof(ResidualSum));
  }

 private:
  Buffer<unsigned long long> weights_;
  Buffer<unsigned long long> products_;
  Buffer<ResidualSum> ends_;
};

}  // namespace kauri::cuda
