/// \file Sorted columns that stay on a device with the data for the next training, as long as there is memory for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cuda/common/memory_plan.h"
#include "cuda/data/device_columns.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Columns shared by the trainings on a data set and a device. Columns that no training uses are given up if memory is
/// short, and the next training makes them anew.
class KeptColumns final : public IdleMemory {
 public:
  explicit KeptColumns(int device) : device_(device) {}

  /// Returns the columns of `data`, and makes them if there are none. `data` must always be the same. They are
  /// complete, so any stream of the device may read them; it must have read them when their user releases them. \throws
  /// what MakeDeviceColumns throws; the next call then makes them.
  std::shared_ptr<DeviceColumns const> Get(Context const& ctx, DataMatrix const& data) const;
  /// Returns the columns if there are any, else nullptr. A holder keeps them from being given up.
  std::shared_ptr<DeviceColumns const> Hold() const;

  int Device() const override { return device_; }
  void GiveUp() const override;
  /// Returns the bytes in host memory, where budgets count: next to nothing.
  std::int64_t BytesHeld() const { return 0; }

 private:
  int device_;
  mutable std::mutex mutex_;  ///< held while columns are made
  mutable std::shared_ptr<DeviceColumns const> columns_;
};

/// Returns the columns that are kept with `data` on the device of `ctx`.
std::shared_ptr<KeptColumns const> KeptColumnsOf(Context const& ctx, DataMatrix const& data);

}  // namespace kauri::cuda
