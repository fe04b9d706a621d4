/// \file A copy of the codes column by column, by which rows of narrow tables go to their children.
///
/// A row is asked for one code. Deep in a tree neighbours in a list of rows are far apart in memory, which gives 64
/// bytes for the 4 or 8 that a row of few columns has; of one column by itself they hold 64 rows, most of which some
/// node of the level asks for while they are in the second-level cache. Wide tables have no copy: it is as large as
/// their codes, which are most of what training has in memory.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"

namespace kauri::cuda {

class ColumnCopy {
 public:
  /// Of narrow rows on the device whose codes have least_bytes or more, if a sixteenth of its free memory has room.
  /// Else there is none, and `bins` are read. Asynchronous.
  void Make(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes = kBytesInCache);
  bool IsThere() const { return codes_.size() != 0; }
  /// Of the bins that it was made of.
  CodeView View(DeviceBins const& bins) const;
  FeaturePlace PlaceOf(DeviceBins const& bins, std::uint32_t feature) const;

 private:
  Buffer<std::uint8_t> codes_;  ///< [n_columns, n_rows], or empty
};

}  // namespace kauri::cuda
