/// \file The codes of bins in device memory, for tests.
#pragma once

#include "cuda/hist/bins/device_bins.h"

namespace kauri::testing {

/// A host copy of dense bins.
class DeviceCodes {
 public:
  DeviceCodes(cuda::CudaContext const& cuda, cuda::DeviceBins const& bins)
      : bins_(bins),
        bytes_(cuda::ToHost(cuda, bins.bytes.data(), bins.bytes.size())),
        words_(cuda::ToHost(cuda, bins.words.data(), bins.words.size())) {}

  /// Returns the code like BinMatrix::FindCode.
  std::uint32_t Of(std::int64_t row, std::int64_t feature) const {
    auto const& of_feature = bins_.features[static_cast<std::size_t>(feature)];
    auto const in_bundle = InColumn(row, of_feature.column) - of_feature.first_code;
    return in_bundle < of_feature.n_codes ? in_bundle : of_feature.most_frequent;
  }
  /// Returns whether the bytes of the groups after their columns are zero.
  bool PaddingIsZero() const {
    for (auto const& group : bins_.groups) {
      for (std::int64_t row = 0; row < bins_.n_rows; ++row) {
        for (auto column = group.n_columns; column < group.width; ++column) {
          if (At(group, row, column) != 0) return false;
        }
      }
    }
    return true;
  }

 private:
  std::uint8_t At(cuda::CodeGroup const& group, std::int64_t row, std::uint32_t column) const {
    return bytes_[group.offset + static_cast<std::uint64_t>(row) * group.width + column];
  }
  std::uint32_t InColumn(std::int64_t row, std::uint32_t column) const {
    if (bins_.form == cuda::CodeForm::kWords) {
      return words_[static_cast<std::size_t>(row) * bins_.columns.size() + column];
    }
    auto const& group = bins_.groups[column / 32];
    return At(group, row, column - group.first_column);
  }

  cuda::DeviceBins const& bins_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> words_;
};

}  // namespace kauri::testing
