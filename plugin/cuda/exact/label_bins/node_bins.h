/// \file The label bins of a level's nodes, as LabelBinner makes them, and the sum of each bin; and the sums by label
/// bin of the entries of a segment before a tile, which are the left side of a thread that begins there.
///
/// At most one segment continues from a tile to the next. Its entries in the tile are added up, and then the sums of
/// all tiles, from the first one on. The difference at two tiles is the segment's sum between them, if the segment
/// continues over all of them. Sums over tiles are modulo 2^64; the differences are exact. A segment's entries in its
/// last tile are kept separately.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/exact/label_bins/label_rows.h"
#include "cuda/exact/split/find_split.h"

namespace kauri::cuda {

/// Device memory, not owning.
struct NodeBinsTask {
  RowsByNode rows;
  LineScale scale;
  float const* residuals = nullptr;    ///< [n_rows]
  ResidualSum const* sums = nullptr;   ///< [n_rows]
  double const* shares = nullptr;      ///< [kLabelBins - 1]: SharesOfEdges
  float* edges = nullptr;              ///< scratch, [n_nodes, kLabelBins]
  std::uint8_t* bin_of_row = nullptr;  ///< (out) [n_rows], set for rows in a node
  ResidualSum* node_bins = nullptr;    ///< (out) [n_nodes, kLabelBins]
  NodeLabels* nodes = nullptr;         ///< (out) [n_nodes]
};

/// Finds the label bins of all nodes.
/// 1. A block sorts a sample of a node's rows and picks the edges.
/// 2. Each row's bin is searched among the edges, and the bins are added up.
/// 3. The errors of a node follow from its bins.
/// Costs a sort of at most 4,096 residuals per node, and 29 bytes a row.
void FindNodeBins(CudaContext const& cuda, NodeBinsTask const& task);

/// Device memory, not owning.
struct TileSums {
  unsigned long long* weights = nullptr;   ///< [kLabelBins, n_tiles]: sums over the tiles before
  unsigned long long* products = nullptr;  ///< [kLabelBins, n_tiles]
  ResidualSum* ends = nullptr;             ///< [kLabelBins, n_tiles]: sums of the segment that ends in the tile
  std::int64_t n_tiles = 0;

  /// Returns the sum of a segment's entries in tiles [from, to). The segment must continue over all of them.
  KAURI_HD ResidualSum Between(std::size_t bin, std::int64_t from, std::int64_t to) const {
    auto const row = static_cast<std::int64_t>(bin) * n_tiles;
    return {static_cast<std::int64_t>(weights[row + to] - weights[row + from]),
            static_cast<std::int64_t>(products[row + to] - products[row + from])};
  }
  /// Returns the sum of all entries of a segment that begins in tile `from` and ends in the later tile `last`.
  KAURI_HD ResidualSum All(std::size_t bin, std::int64_t from, std::int64_t last) const {
    return Between(bin, from, last) + ends[static_cast<std::int64_t>(bin) * n_tiles + last];
  }
};

class TileSummer {
 public:
  /// Returns the sums of one chunk of features of one level, valid until the next call. Segments of features that their
  /// node may not use count as nothing. Costs a row number, a bin and 16 gathered bytes per entry, and 5 KB per tile.
  TileSums Sum(CudaContext const& cuda, SplitTask const& task, LabelLevel const& labels);
  /// Returns the device memory for n tiles.
  static constexpr std::size_t BytesOf(std::size_t n_tiles) {
    return n_tiles * kLabelBins * (2 * sizeof(unsigned long long) + sizeof(ResidualSum));
  }

 private:
  Buffer<unsigned long long> weights_;
  Buffer<unsigned long long> products_;
  Buffer<ResidualSum> ends_;
};

}  // namespace kauri::cuda
