/// \file Query groups of a data set as ranking metrics see them.
#pragma once

#include <cstdint>
#include <string>

#include "kauri/meta_info.h"

namespace kauri {

/// Groups of consecutive rows; all rows are one group where none are given. Not owning.
class QueryGroups {
 public:
  explicit QueryGroups(MetaInfo const& info) : info_(info) {}

  /// \throws Error(kData) unless rows have one label and one prediction each, and groups one weight each or none.
  void Validate(std::string const& metric, std::int64_t n_outputs) const;

  std::int64_t Count() const {
    return info_.group_ptr.empty() ? 1 : static_cast<std::int64_t>(info_.group_ptr.size()) - 1;
  }
  std::int64_t Begin(std::int64_t group) const { return info_.group_ptr.empty() ? 0 : Bound(group); }
  std::int64_t End(std::int64_t group) const { return info_.group_ptr.empty() ? info_.n_rows : Bound(group + 1); }
  std::int64_t Size(std::int64_t group) const { return End(group) - Begin(group); }
  float Weight(std::int64_t group) const { return info_.Weight(group); }

 private:
  std::int64_t Bound(std::int64_t place) const { return info_.group_ptr[place]; }

  MetaInfo const& info_;
};

}  // namespace kauri
