#include "cuda/hist/bins/kept_bins.h"

#include <utility>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/make_device_bins.h"

namespace kauri::cuda {
namespace {

/// Bins with their own stream, which outlives every training that reads them.
class KeptBins final : public CodesOnDevice {
 public:
  KeptBins(std::unique_ptr<StreamOwner> stream, std::unique_ptr<DeviceBins const> bins)
      : stream_(std::move(stream)), bins_(std::move(bins)) {}

  void CopyTo(BinMatrix* to) const override {
    auto const& cuda = stream_->Context();
    DeviceScope const scope(cuda.device);
    DownloadCodes(cuda, *bins_, to);
  }
  int Device() const { return stream_->Context().device; }
  DeviceBins const& Bins() const { return *bins_; }

 private:
  std::unique_ptr<StreamOwner> stream_;  ///< declared before the bins, which are freed on it
  std::unique_ptr<DeviceBins const> bins_;
};

}  // namespace

CodedRows KeepBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) {
  DeviceScope const scope(rows.device);
  auto stream = std::make_unique<StreamOwner>(rows.device);
  auto const& cuda = stream->Context();
  DeviceBinsTask task;
  task.max_bin = request.max_bin;
  task.given = request.given;
  task.weights = request.weights;
  auto made = MakeDeviceBins(cuda, ctx, DenseTable::Of(rows), task);
  if (made.bins == nullptr) return {};
  cuda.Synchronize();  // for the codes, which others read on their own streams
  return {std::move(made.features), std::make_shared<KeptBins const>(std::move(stream), std::move(made.bins))};
}

std::shared_ptr<DeviceBins const> KeptBinsOn(int device, std::shared_ptr<CodesOnDevice const> const& codes) {
  auto const kept = std::dynamic_pointer_cast<KeptBins const>(codes);
  if (kept == nullptr || kept->Device() != device) return nullptr;
  return {kept, &kept->Bins()};
}

}  // namespace kauri::cuda
