#include "data/categories/added_columns.h"

#include <algorithm>
#include <set>

namespace kauri {

AddedColumns::AddedColumns(OrderedEncoding const& encoding) : encoding_(encoding), columns_(encoding.AddedColumns()) {
  std::set<std::size_t> members;
  for (auto const& added : columns_) {
    if (added.number > 1) continue;  // the members of this column are in the set already
    for (auto const feature : encoding.MembersOf(added.column)) members.insert(static_cast<std::size_t>(feature));
  }
  members_.assign(members.begin(), members.end());
  for (auto const& combination : encoding.combinations) {
    parts_.push_back(
        {PlaceOf(static_cast<std::size_t>(combination.base)), PlaceOf(static_cast<std::size_t>(combination.feature))});
  }
  for (auto const& added : columns_) places_.push_back(PlaceOf(added.column));
}

std::size_t AddedColumns::PlaceOf(std::size_t column) const {
  auto const n_features = encoding_.columns.size();
  if (column >= n_features) return members_.size() + column - n_features;
  return static_cast<std::size_t>(std::lower_bound(members_.begin(), members_.end(), column) - members_.begin());
}

void AddedColumns::Fill(Span<std::int32_t> positions, Span<float> numbers) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    positions[members_.size() + i] =
        encoding_.combinations[i].PositionOf(positions[parts_[i].base], positions[parts_[i].feature]);
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    numbers[i] = encoding_.ValueAt(columns_[i], positions[places_[i]]);
  }
}

}  // namespace kauri
