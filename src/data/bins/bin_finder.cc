#include "data/bins/bin_finder.h"

#include <algorithm>
#include <limits>

namespace kauri {

BinFinder::BinFinder(float const* cuts, std::uint32_t n_bins, std::uint32_t most_slots)
    : cuts_(cuts, cuts + n_bins - 1) {
  auto const n_cuts = cuts_.size();
  std::uint32_t n_slots = 1;
  if (n_cuts > 0) {
    first_key_ = ToKey(cuts_.front());
    auto const range = ToKey(cuts_.back()) - first_key_;
    while ((range >> shift_) >= most_slots) ++shift_;
    n_slots = (range >> shift_) + 1;
  }
  first_of_slot_.resize(n_slots);
  std::size_t cut = 0;
  for (std::uint32_t slot = 0; slot < n_slots; ++slot) {
    auto const first = cut;
    first_of_slot_[slot] = static_cast<std::uint16_t>(first);
    while (cut < n_cuts && (ToKey(cuts_[cut]) - first_key_) >> shift_ == slot) ++cut;
    most_cuts_ = std::max(most_cuts_, static_cast<std::uint32_t>(cut - first));
  }
  cuts_.resize(n_cuts + most_cuts_, std::numeric_limits<float>::quiet_NaN());
}

}  // namespace kauri
