#include "data/categories/combined_columns.h"

#include <algorithm>
#include <set>

namespace kauri {

CombinedColumns::CombinedColumns(OrderedEncoding const& encoding) : encoding_(encoding) {
  auto const n_features = encoding.columns.size();
  std::set<std::size_t> members;
  for (std::size_t i = 0; i < encoding.combinations.size(); ++i) {
    for (auto const feature : encoding.MembersOf(n_features + i)) members.insert(static_cast<std::size_t>(feature));
  }
  members_.assign(members.begin(), members.end());
  auto const place_of = [&](std::int32_t column) {
    auto const number = static_cast<std::size_t>(column);
    if (number >= n_features) return members_.size() + number - n_features;
    return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), number) - members_.begin());
  };
  for (auto const& combination : encoding.combinations) {
    parts_.push_back({place_of(combination.base), place_of(combination.feature)});
  }
}

void CombinedColumns::Fill(Span<std::int32_t> positions, Span<float> numbers) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    auto const position = encoding_.combinations[i].PositionOf(positions[parts_[i].base], positions[parts_[i].feature]);
    positions[members_.size() + i] = position;
    numbers[i] = encoding_.ValueAt(encoding_.columns.size() + i, position);
  }
}

}  // namespace kauri
