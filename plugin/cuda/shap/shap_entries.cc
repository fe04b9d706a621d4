#include "cuda/shap/shap_entries.h"

#include <limits>
#include <utility>

namespace kauri::cuda {
namespace {

/// Pairs of each slot, with both its smaller and its larger slots.
struct BothHalves {
  std::vector<std::int64_t> begin;  ///< [n_outputs * n_slots + 1]
  std::vector<std::uint32_t> other;
  std::vector<std::int32_t> number;
};

BothHalves FindBothHalves(PathPairs const& pairs) {
  BothHalves both;
  auto const n_lines = pairs.n_outputs * pairs.n_slots;
  both.begin.assign(ToSize(n_lines) + 1, 0);
  for (std::int64_t line = 0; line < n_lines; ++line) {
    auto const first_line = line / pairs.n_slots * pairs.n_slots;
    for (auto i = pairs.begin[line]; i < pairs.begin[line + 1]; ++i) {
      ++both.begin[line + 1];
      ++both.begin[(first_line + pairs.other[i]) + 1];
    }
  }
  for (std::int64_t line = 0; line < n_lines; ++line) both.begin[line + 1] += both.begin[line];
  both.other.resize(both.begin.back());
  both.number.resize(both.begin.back());
  auto next = both.begin;
  auto const add = [&](std::int64_t line, std::uint32_t other, std::int64_t number) {
    auto const place = next[line]++;
    both.other[place] = other;
    both.number[place] = static_cast<std::int32_t>(number);
  };
  // The smaller slots of a line come before the line's own pairs, in their order.
  for (std::int64_t line = 0; line < n_lines; ++line) {
    auto const first_line = line / pairs.n_slots * pairs.n_slots;
    for (auto i = pairs.begin[line]; i < pairs.begin[line + 1]; ++i) {
      add(line, pairs.other[i], i);
      add(first_line + pairs.other[i], static_cast<std::uint32_t>(line - first_line), i);
    }
  }
  return both;
}

/// Fails if the cells cannot be numbered by int32.
void CheckCells(std::int64_t n_cells) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (n_cells <= kMost) return;
  Fail(ErrorKind::kModel, "the trees need ", n_cells,
       " sums per row (outputs, features and pairs of features); at most ", kMost,
       " can be explained on a device. Use device=cpu.");
}

std::int32_t CellOfPathPair(PathPairs const& pairs, std::int32_t number) {
  return static_cast<std::int32_t>(pairs.n_outputs * pairs.n_slots) + number;
}

}  // namespace

ShapEntries ContributionEntries(Forest const& forest) {
  CheckCells(forest.n_outputs * forest.NumSlots());
  ShapEntries entries;
  auto const width = forest.n_features + 1;
  entries.row_floats = forest.n_outputs * width;
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    for (std::int64_t slot = 0; slot < forest.NumSlots(); ++slot) {
      entries.Add(output, output * forest.NumSlots() + slot);
      entries.to.push_back(output * width + forest.feature_of_slot[slot]);
    }
    entries.Add(output, kBiasCell - output);
    entries.to.push_back(output * width + forest.n_features);
  }
  return entries;
}

ShapEntries MatrixEntries(Forest const& forest, PathPairs const& pairs) {
  ShapEntries entries;
  auto const width = forest.n_features + 1;
  auto const both = FindBothHalves(pairs);
  entries.row_floats = forest.n_outputs * width * width;
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    for (std::int64_t slot = 0; slot < pairs.n_slots; ++slot) {
      auto const line = output * pairs.n_slots + slot;
      auto const out_line = (output * width + forest.feature_of_slot[slot]) * width;
      entries.Add(output, line);
      entries.to.push_back(out_line + forest.feature_of_slot[slot]);
      for (auto i = both.begin[line]; i < both.begin[line + 1]; ++i) {
        entries.Add(output, CellOfPathPair(pairs, both.number[i]));
        entries.to.push_back(out_line + forest.feature_of_slot[both.other[i]]);
      }
    }
    entries.Add(output, kBiasCell - output);
    entries.to.push_back((output + 1) * width * width - 1);
  }
  return entries;
}

SparseEntries FindSparseEntries(Forest const& forest, PathPairs const& pairs, PathPairs const& range,
                                bool with_diagonal) {
  SparseEntries found;
  auto const add = [&](std::int64_t output, std::int64_t cell, std::int64_t first, std::int64_t second) {
    found.entries.Add(output, cell);
    found.first.push_back(static_cast<std::uint32_t>(first));
    found.second.push_back(static_cast<std::uint32_t>(second));
  };
  for (std::int64_t output = 0; output < forest.n_outputs; ++output) {
    found.begin.push_back(static_cast<std::int64_t>(found.first.size()));
    for (std::int64_t slot = 0; slot < range.n_slots; ++slot) {
      auto const line = output * range.n_slots + slot;
      auto const first = forest.feature_of_slot[slot];
      if (with_diagonal && range.is_used[line] != 0) add(output, line, first, first);
      for (auto i = range.begin[line]; i < range.begin[line + 1]; ++i) {
        auto const other = range.other[i];
        auto const number = pairs.Number(output, static_cast<std::uint32_t>(slot), other);
        add(output, CellOfPathPair(pairs, number), first, forest.feature_of_slot[other]);
      }
    }
    if (with_diagonal) add(output, kBiasCell - output, forest.n_features, forest.n_features);
  }
  found.begin.push_back(static_cast<std::int64_t>(found.first.size()));
  found.entries.row_floats = found.begin.back();
  return found;
}

DeviceEntries::DeviceEntries(CudaContext const& cuda, ShapEntries const& entries)
    : row_floats_(entries.row_floats),
      cell_(ToDevice(cuda, entries.cell)),
      output_(ToDevice(cuda, entries.output)),
      to_(ToDevice(cuda, entries.to)) {
  cuda.Synchronize();  // for the host's arrays, which their owner frees
}

ShapEntriesView DeviceEntries::View() const {
  return {cell_.data(), output_.data(), to_.data(), static_cast<std::int64_t>(cell_.size()), row_floats_};
}

DevicePairs::DevicePairs(CudaContext const& cuda, PathPairs pairs) : pairs_(std::move(pairs)) {
  CheckCells(pairs_.n_outputs * pairs_.n_slots + pairs_.NumPairs());
  auto const both = FindBothHalves(pairs_);
  begin_ = ToDevice(cuda, both.begin);
  numbers_ = ToDevice(cuda, both.number);
  cuda.Synchronize();  // for the host's arrays
}

}  // namespace kauri::cuda
