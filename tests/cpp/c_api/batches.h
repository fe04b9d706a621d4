/// \file An iterator of the C ABI whose batches are functions.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "c_api/support.h"

namespace kauri::testing {

class Batches {
 public:
  /// Each function gives its data to the proxy.
  explicit Batches(std::vector<std::function<void(DMatrixHandle)>> batches) : batches_(std::move(batches)) {
    DMatrixHandle handle = nullptr;
    EXPECT_OK(XGProxyDMatrixCreate(&handle));
    proxy_.reset(handle);
  }

  /// Calls XGDMatrixCreateFromCallback.
  int Read(DMatrixHandle* out, char const* config = kNaNMissing) {
    return XGDMatrixCreateFromCallback(this, proxy_.get(), &Reset, &Next, config, out);
  }
  /// Calls XGQuantileDMatrixCreateFromCallback. ref: null for none.
  int ReadBins(DMatrixHandle ref, DMatrixHandle* out, char const* config = kNaNMissing) {
    return XGQuantileDMatrixCreateFromCallback(this, proxy_.get(), ref, &Reset, &Next, config, out);
  }
  /// Calls XGExtMemQuantileDMatrixCreateFromCallback.
  int WriteBins(DMatrixHandle* out, char const* config = kNaNMissing) {
    return XGExtMemQuantileDMatrixCreateFromCallback(this, proxy_.get(), nullptr, &Reset, &Next, config, out);
  }
  /// Calls KauriSummarizeBatches.
  int Summarize(char const* config, bst_ulong const** out_shape, bst_ulong* out_dim, double const** out_result) {
    return KauriSummarizeBatches(this, proxy_.get(), &Reset, &Next, config, out_shape, out_dim, out_result);
  }
  int NumResets() const { return n_resets_; }

  static void Reset(DataIterHandle self) {
    auto& batches = *static_cast<Batches*>(self);
    batches.at_ = 0;
    ++batches.n_resets_;
  }
  static int Next(DataIterHandle self) {
    auto& batches = *static_cast<Batches*>(self);
    if (batches.at_ == batches.batches_.size()) return 0;
    batches.batches_[batches.at_++](batches.proxy_.get());
    return 1;
  }

 private:
  std::vector<std::function<void(DMatrixHandle)>> batches_;
  Data proxy_;
  std::size_t at_ = 0;
  int n_resets_ = 0;
};

}  // namespace kauri::testing
