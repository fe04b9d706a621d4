/// \file The totals of a tree's pairs and their unit; the device may have them before the host needs them.
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

/// Returns the parameters with the unit of these totals, or unchanged if there are none.
KAURI_HD GainParam WithUnit(GainParam gain, PairTotals const* totals) {
  if (totals != nullptr) gain.unit = totals->unit;
  return gain;
}

/// The totals of one tree. Not owning.
class TreeTotals {
 public:
  TreeTotals() = default;
  /// Makes totals that only the host knows.
  explicit TreeTotals(PairTotals const& known) : known_(known) {}
  /// on_device: valid for all work queued on the tree's stream from now on. read: waits for them; if it throws, the
  /// tree must fail, whatever was made of it by then.
  TreeTotals(PairTotals const* on_device, std::function<PairTotals()> read)
      : on_device_(on_device), read_(std::move(read)), known_(std::nullopt) {}

  /// Returns nullptr if only the host has the totals.
  PairTotals const* OnDevice() const { return on_device_; }
  /// Returns the totals; the first call waits. \throws Error(kData) for pairs that are not finite.
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
