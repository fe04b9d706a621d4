/// \file Counts of copies between host and device. Every copy goes through buffer.h, which counts it here. Tests and
/// the log read the counts to show that nothing row-sized crosses the bus while a model grows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kauri::cuda {

struct CopyCounts {
  std::uint64_t to_device_bytes = 0;
  std::uint64_t to_device_copies = 0;
  std::uint64_t to_host_bytes = 0;
  std::uint64_t to_host_copies = 0;

  CopyCounts& operator+=(CopyCounts const& other) {
    to_device_bytes += other.to_device_bytes;
    to_device_copies += other.to_device_copies;
    to_host_bytes += other.to_host_bytes;
    to_host_copies += other.to_host_copies;
    return *this;
  }
  friend CopyCounts operator-(CopyCounts const& a, CopyCounts const& b) {
    return {a.to_device_bytes - b.to_device_bytes, a.to_device_copies - b.to_device_copies,
            a.to_host_bytes - b.to_host_bytes, a.to_host_copies - b.to_host_copies};
  }
};

/// Returns the copies that the calling thread has requested since it began. Counts are per thread, so that parallel
/// sessions do not mix, and counting costs no more than an addition.
CopyCounts ThreadCopyCounts();
void CountCopyToDevice(std::size_t bytes);
void CountCopyToHost(std::size_t bytes);

}  // namespace kauri::cuda
