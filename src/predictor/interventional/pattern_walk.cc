#include "predictor/interventional/pattern_walk.h"

#include <algorithm>

#include "common/threads/parallel_for.h"
#include "predictor/forest/row_tile.h"

namespace kauri {

KeyTiles::KeyTiles(Context const& ctx, Forest const& forest, DataView const& rows, std::int64_t begin, std::int64_t end,
                   std::int64_t tile_rows)
    : n_rows_(end - begin), tile_rows_(tile_rows), tile_size_(forest.NumSlots() * tile_rows) {
  keys_.assign(NumTiles() * tile_size_, kMissingKey);
  ParallelForBlocks(ctx, n_rows_, tile_rows, [&](std::int64_t first, std::int64_t last, std::int64_t tile) {
    ReadKeys(forest, rows, begin + first, begin + last, tile_rows_, keys_.data() + tile * tile_size_);
  });
}

std::int64_t KeyTiles::RowsOf(std::int64_t tile) const { return std::min(tile_rows_, n_rows_ - tile * tile_rows_); }

}  // namespace kauri
