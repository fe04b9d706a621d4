/// \file Distributes the rows of a training set over several devices, for shares of every kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"

namespace kauri::cuda {

/// Devices that receive rows.
struct ShareDevices {
  std::vector<int> const& devices;  ///< the first is the main device; with fewer than two it has all rows
  std::int64_t fewest;              ///< minimum rows per share; if rows are too few, fewer devices get a share
};

/// Waits for all shares. \throws the first failure, once no share is working any more.
template <typename Share>
void WaitForShares(std::vector<std::unique_ptr<Share>> const& shares) {
  try {
    for (auto const& share : shares) share->Wait();
  } catch (...) {
    for (auto const& share : shares) share->Settle();
    throw;
  }
}

/// Makes all shares copy their codes of `from` at the same time, and creates missing shares. Existing shares must have
/// been made for the same number of rows and the same devices. \returns the number of rows, the first ones, that are
/// left to the main device. Waits for the copies. \throws Error(kMemory): call it again before the shares are used.
template <typename Share>
std::int64_t ShareRows(CudaContext const& main, DeviceBins const& from, ShareDevices const& among,
                       std::vector<std::unique_ptr<Share>>* shares) {
  if (among.devices.size() < 2) return from.n_rows;
  auto const cut = CutRows(from.n_rows, among.devices.size(), among.fewest);
  if (cut.size() < 2) return from.n_rows;
  main.Synchronize();  // for the codes, which other devices copy
  for (auto i = shares->size() + 1; i < cut.size(); ++i) {
    shares->push_back(std::make_unique<Share>(among.devices[i], main.device, cut[i]));
  }
  for (auto const& share : *shares) share->TakeBins(from);
  WaitForShares(*shares);
  return cut[0].count;
}

}  // namespace kauri::cuda
