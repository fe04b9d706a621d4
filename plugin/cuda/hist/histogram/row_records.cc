#include "cuda/hist/histogram/row_records.h"

#include <utility>

#include "cuda/common/memory_plan.h"

namespace kauri::cuda {

void RowRecords::TakeBins(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes) {
  constexpr std::size_t kShare = 16;  // of the free memory
  auto const size = HasNarrowRows(bins, least_bytes) ? static_cast<std::size_t>(bins.n_rows) : 0;
  if (size == records_.size()) return;
  records_ = Buffer<RowRecord>();
  if (size > 0 && size * sizeof(RowRecord) <= FreeBytes(cuda) / kShare) records_ = Buffer<RowRecord>(cuda, size);
}

void RowRecords::BeginTree(int max_depth) {
  constexpr int kLevels = 4;  // in shallower trees, too few levels have rows that are far apart
  is_used_ = records_.size() > 0 && (max_depth <= 0 || max_depth >= kLevels);
  is_made_ = false;
}

bool RowRecords::TakeTurn() { return is_used_ && !std::exchange(is_made_, true); }

}  // namespace kauri::cuda
