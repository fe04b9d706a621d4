/// \file Identity and revision of a data set, stored beside everything derived from it.
#pragma once

#include <cstdint>

#include "kauri/data_matrix.h"

namespace kauri {

struct DataStamp {
  std::uint64_t id = 0;
  std::uint64_t revision = 0;

  static DataStamp Of(DataMatrix const& data) { return {data.Id(), data.InfoRevision()}; }
  bool operator==(DataStamp const& other) const { return id == other.id && revision == other.revision; }
  bool operator!=(DataStamp const& other) const { return !(*this == other); }
};

}  // namespace kauri
