#include "cuda/data/kept_columns.h"

#include <string>

#include "cuda/common/cuda_context.h"
#include "data/derived_data.h"

namespace kauri::cuda {
namespace {

/// Columns on a stream of their own, which outlives every training that reads them.
struct OwnedColumns {
  OwnedColumns(Context const& ctx, DataMatrix const& data)
      : stream(ctx.device.ordinal), columns(MakeDeviceColumns(stream.Context(), ctx, data)) {
    stream.Context().Synchronize();  // for the sort: readers use streams of their own
  }

  StreamOwner stream;  ///< before the columns, which are freed on it
  DeviceColumns columns;
};

}  // namespace

std::shared_ptr<DeviceColumns const> KeptColumns::Get(Context const& ctx, DataMatrix const& data) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (columns_ == nullptr) {
    auto const made = std::make_shared<OwnedColumns const>(ctx, data);
    columns_ = std::shared_ptr<DeviceColumns const>(made, &made->columns);
  }
  return columns_;
}

std::shared_ptr<DeviceColumns const> KeptColumns::Hold() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return columns_;
}

void KeptColumns::GiveUp() const {
  std::unique_lock<std::mutex> const lock(mutex_, std::try_to_lock);
  // Only Get and Hold, which need the mutex, can add a second owner.
  if (lock.owns_lock() && columns_.use_count() == 1) columns_.reset();
}

std::shared_ptr<KeptColumns const> KeptColumnsOf(Context const& ctx, DataMatrix const& data) {
  DerivedKey const key{"cuda columns", "device=" + std::to_string(ctx.device.ordinal)};
  return Derive<KeptColumns>(data, key, MemoryBudget{}, [&] {
    auto kept = std::make_shared<KeptColumns const>(ctx.device.ordinal);
    RegisterIdleMemory(kept);
    return kept;
  });
}

}  // namespace kauri::cuda
