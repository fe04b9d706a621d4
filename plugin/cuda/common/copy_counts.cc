#include "cuda/common/copy_counts.h"

#include "common/per_thread.h"

namespace kauri::cuda {
namespace {

KAURI_STATIC_THREAD_LOCAL CopyCounts t_counts;

}  // namespace

CopyCounts ThreadCopyCounts() { return t_counts; }

void CountCopyToDevice(std::size_t bytes) {
  t_counts.to_device_bytes += bytes;
  ++t_counts.to_device_copies;
}

void CountCopyToHost(std::size_t bytes) {
  t_counts.to_host_bytes += bytes;
  ++t_counts.to_host_copies;
}

}  // namespace kauri::cuda
