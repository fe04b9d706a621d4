/// \file Giving rows of a training set to several devices: one home for shares of every kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"

namespace kauri::cuda {

/// Who is to have rows.
struct ShareDevices {
  std::vector<int> const& devices;  ///< the first is the main one; fewer than two: it has all rows
  std::int64_t fewest;              ///< rows of a share: below that fewer devices have one
};

/// Waits for all shares. \throws what failed first, once none of them is at work any more.
template <typename Share>
void WaitForShares(std::vector<std::unique_ptr<Share>> const& shares) {
  try {
    for (auto const& share : shares) share->Wait();
  } catch (...) {
    for (auto const& share : shares) share->Settle();
    throw;
  }
}

/// Has each share copy its codes of `from`, all at the same time; makes the shares that are not there yet. Those that
/// are were made for as many rows and the same devices. \returns how many rows, the first ones, are left to the main
/// device. Waits for the copies. \throws Error(kMemory): call it again before the shares are used.
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
