/// \file Sorted columns that stay on a device with the data for the next training, as long as there is room for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "cuda/common/idle_memory.h"
#include "cuda/data/device_columns.h"
#include "kauri/context.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// Trainings share the columns of a data set and a device; those that no training uses are given up when memory is
/// short, and made anew by the next one.
class KeptColumns final : public IdleMemory {
 public:
  explicit KeptColumns(int device) : device_(device) {}

  /// The columns of `data`, whose own they stay; made if there are none. They are finished: any stream of the device
  /// may read them, and has read them when its user lets go of them. \throws what MakeDeviceColumns throws; the next
  /// call makes them then.
  std::shared_ptr<DeviceColumns const> Get(Context const& ctx, DataMatrix const& data) const;
  /// The columns if there are any, else nullptr. Who holds them keeps them from being given up.
  std::shared_ptr<DeviceColumns const> Hold() const;

  int Device() const override { return device_; }
  void GiveUp() const override;
  /// In host memory, where budgets count: next to nothing.
  std::int64_t BytesHeld() const { return 0; }

 private:
  int device_;
  mutable std::mutex mutex_;  ///< held while columns are made
  mutable std::shared_ptr<DeviceColumns const> columns_;
};

/// What is kept of `data` on the device of `ctx`.
std::shared_ptr<KeptColumns const> KeptColumnsOf(Context const& ctx, DataMatrix const& data);

}  // namespace kauri::cuda
