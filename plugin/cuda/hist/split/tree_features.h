/// \file The features of a tree as the split search reads them: those that the tree may use, and those among them that
/// are searched by one thread each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/pinned_buffer.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {

class TreeFeatures {
 public:
  /// Adds the features to a request. features: ascending.
  void AddTo(Upload* upload, DeviceBins const& bins, std::vector<std::uint32_t> const& features);
  /// Sets the features of the task, once the request is sent.
  void PutInto(Upload const& upload, FindTask* task) const;

 private:
  struct Array {
    std::size_t place = 0;  ///< place in the request
    std::size_t size = 0;

    Span<std::uint32_t const> In(Upload const& upload) const { return {upload.At<std::uint32_t>(place), size}; }
  };

  static Array Add(Upload* upload, std::vector<std::uint32_t> const& values) {
    return {upload->Add(values), values.size()};
  }

  Array features_;
  Array narrow_;
  Array wide_;
};

}  // namespace kauri::cuda
