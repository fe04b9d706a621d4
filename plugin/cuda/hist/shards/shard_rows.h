/// \file Distributes the rows of a training set over several devices, for shards of every kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cuda/common/cuda_context.h"
#include "cuda/data/row_parts.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/tree/cut_rows.h"
#include "kauri/span.h"

namespace kauri::cuda {

/// Devices that receive rows.
struct ShardDevices {
  std::vector<int> const& devices;  ///< the first is the main device; with fewer than two it has all rows
  std::int64_t fewest;              ///< minimum rows per shard; if rows are too few, fewer devices get a shard
  Span<RowPart const> rows = {};    ///< [n_shards], the values of each shard's rows, on its device; empty: not there
};

/// Waits for all shards. \throws the first failure, once no shard is working any more.
template <typename Shard>
void WaitForShards(std::vector<std::unique_ptr<Shard>> const& shards) {
  try {
    for (auto const& shard : shards) shard->Wait();
  } catch (...) {
    for (auto const& shard : shards) shard->Settle();
    throw;
  }
}

/// Makes all shards copy their codes of `from` at the same time, or code the values of their rows where they are there,
/// and creates missing shards. Existing shards must have been made for the same number of rows and the same devices.
/// \returns the number of rows, the first ones, that are left to the main device. Waits for the codes. \throws
/// Error(kMemory): call it again before the shards are used.
template <typename Shard>
std::int64_t ShardRows(CudaContext const& main, DeviceBins const& from, ShardDevices const& among,
                       std::vector<std::unique_ptr<Shard>>* shards) {
  if (among.devices.size() < 2) return from.n_rows;
  auto const cut = CutRows(from.n_rows, among.devices.size(), among.fewest);
  if (cut.size() < 2) return from.n_rows;
  if (among.rows.empty()) main.Synchronize();  // for the codes, which other devices copy
  for (auto i = shards->size() + 1; i < cut.size(); ++i) {
    shards->push_back(std::make_unique<Shard>(among.devices[i], main.device, cut[i]));
  }
  for (std::size_t i = 0; i < shards->size(); ++i) {
    if (among.rows.empty()) {
      (*shards)[i]->TakeBins(from);
    } else {
      (*shards)[i]->CodeRows(from, among.rows[i]);
    }
  }
  WaitForShards(*shards);
  return cut[0].count;
}

}  // namespace kauri::cuda
