/// \file What the pairs of a tree add up to, and in what unit: the device knows it before the host has to.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "kauri/gradient.h"
#include "kauri/host_device.h"
#include "tree/split_gain.h"

namespace kauri::cuda {

struct PairTotals {
  GradientUnit unit;
  FixedSum sum;  ///< of all pairs
};

/// With the unit of these totals, unless there are none.
KAURI_HD GainParam WithUnit(GainParam gain, PairTotals const* totals) {
  if (totals != nullptr) gain.unit = totals->unit;
  return gain;
}

/// The totals of one tree. Not owning.
class TreeTotals {
 public:
  TreeTotals() = default;
  /// Known to the host alone.
  explicit TreeTotals(PairTotals const& known) : known_(known) {}
  /// on_device: there for all that the tree's stream is asked for from now on. read: waits for them; what it throws
  /// must fail the tree, whatever was made of it by then.
  TreeTotals(PairTotals const* on_device, std::function<PairTotals()> read)
      : on_device_(on_device), read_(std::move(read)), known_(std::nullopt) {}

  /// nullptr: only the host has them.
  PairTotals const* OnDevice() const { return on_device_; }
  /// Waits when it is called first. \throws Error(kData) for pairs that are not finite.
  PairTotals const& OnHost() const {
    if (!known_) known_ = read_();
    return *known_;
  }

 private:
  PairTotals const* on_device_ = nullptr;
  std::function<PairTotals()> read_;
  mutable std::optional<PairTotals> known_ = PairTotals();
};

}  // namespace kauri::cuda
