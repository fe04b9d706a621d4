#include "cuda/common/buffer.h"

#include "common/threads/per_thread.h"

namespace kauri::cuda {
namespace {

PerThread<CopyCounts> g_counts;

}  // namespace

CopyCounts ThreadCopyCounts() { return g_counts.OfThisThread(); }

void CountCopyToDevice(std::size_t bytes) {
  auto& counts = g_counts.OfThisThread();
  counts.to_device_bytes += bytes;
  ++counts.to_device_copies;
}

void CountCopyToHost(std::size_t bytes) {
  auto& counts = g_counts.OfThisThread();
  counts.to_host_bytes += bytes;
  ++counts.to_host_copies;
}

}  // namespace kauri::cuda
