/// \file Values in device memory that stay with a matrix for the next training, as long as there is memory for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cuda/common/cuda_context.h"
#include "cuda/common/memory_plan.h"
#include "data/derived_data.h"
#include "data/memory_budget.h"
#include "kauri/data_matrix.h"

namespace kauri::cuda {

/// A value of type T that the trainings on a device share. It is given up if memory is short and nobody uses it, or if
/// the device was reset; the next training makes it anew. Thread-safe.
template <typename T>
class Kept final : public IdleMemory {
 public:
  explicit Kept(int device) : device_(device) {}

  /// Returns the value. If there is none, make(cuda) makes it, as a std::unique_ptr<T>, on a stream that outlives it;
  /// null is returned, and not kept. The value is complete, so any stream of the device may read it; it must have read
  /// it when the user releases it. The device is current. \throws what `make` throws; the next call then makes it.
  template <typename Make>
  std::shared_ptr<T const> Get(Make&& make) const {
    std::lock_guard<std::mutex> const lock(mutex_);
    ForgetIfReset();
    if (value_ != nullptr) return value_;
    auto const owned = std::make_shared<Owned>(device_);
    owned->value = make(owned->stream.Context());
    owned->stream.Context().Synchronize();  // because readers use streams of their own
    if (owned->value != nullptr) value_ = std::shared_ptr<T const>(owned, owned->value.get());
    context_id_ = ContextId();
    return value_;
  }
  /// Returns the value if there is one, else nullptr. A holder keeps it from being given up.
  std::shared_ptr<T const> Hold() const {
    DeviceScope const scope(device_);
    std::lock_guard<std::mutex> const lock(mutex_);
    ForgetIfReset();
    return value_;
  }

  int Device() const override { return device_; }
  void GiveUp() const override {
    std::unique_lock<std::mutex> const lock(mutex_, std::try_to_lock);
    // Only Get and Hold, which need the mutex, can add a second owner.
    if (lock.owns_lock() && value_.use_count() == 1) value_.reset();
  }
  /// Returns the bytes in host memory, where budgets count: next to nothing.
  std::int64_t BytesHeld() const { return 0; }

 private:
  struct Owned {
    explicit Owned(int device) : stream(device) {}
    StreamOwner stream;  ///< declared before the value, which is freed on it
    std::unique_ptr<T const> value;
  };

  /// The device is current.
  void ForgetIfReset() const {
    if (value_ == nullptr || context_id_ == ContextId()) return;
    // Its memory ended with the context. It is never destroyed, because others may have its addresses now.
    static_cast<void>(new std::shared_ptr<T const>(std::move(value_)));
    value_.reset();
  }

  int device_;
  mutable std::mutex mutex_;  ///< held while the value is made
  mutable std::shared_ptr<T const> value_;
  mutable std::uint64_t context_id_ = 0;  ///< of the value
};

/// Returns the place of a value that is kept with `data` on a device. key: what the value depends on besides the rows.
template <typename T>
std::shared_ptr<Kept<T> const> KeptWith(DataMatrix const& data, DerivedKey key, int device) {
  key.settings += ",device=" + std::to_string(device);
  return Derive<Kept<T>>(data, key, MemoryBudget{}, [&] {
    auto kept = std::make_shared<Kept<T> const>(device);
    RegisterIdleMemory(kept);
    return kept;
  });
}

}  // namespace kauri::cuda
