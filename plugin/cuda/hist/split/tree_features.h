/// \file What the search for splits reads of the features of a tree: which it may use, and which of them a thread has
/// for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/common/upload.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/split/find_splits.h"

namespace kauri::cuda {

class TreeFeatures {
 public:
  /// Becomes part of a request. features: ascending.
  void AddTo(Upload* upload, DeviceBins const& bins, std::vector<std::uint32_t> const& features);
  /// Once that is sent.
  void PutInto(Upload const& upload, FindTask* task) const;

 private:
  struct Array {
    std::size_t place = 0;  ///< in the request
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
