/// \file What an engine keeps by data set, for as long as the owner of the data set keeps that.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "kauri/data_matrix.h"
#include "kauri/error.h"

namespace kauri {

/// Entry has a HeldMargins `held`. The address of an entry stays.
template <typename Entry>
class DataCache {
 public:
  /// The entry of `data`, a new one if there is none. Drops the entries of data sets that are gone.
  Entry* Open(DataMatrix const& data) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      it = it->second.held.AreLost() ? entries_.erase(it) : std::next(it);
    }
    return &entries_[data.Id()];
  }

  /// \throws Error(kInternal) unless there is an entry.
  Entry& Of(DataMatrix const& data) { return Find(data, &entries_)->second; }
  Entry const& Of(DataMatrix const& data) const { return Find(data, &entries_)->second; }

  void Clear() { entries_.clear(); }

 private:
  template <typename Entries>
  static auto Find(DataMatrix const& data, Entries* entries) {
    auto const found = entries->find(data.Id());
    if (found == entries->end()) Fail(ErrorKind::kInternal, "margins of data set ", data.Id(), " were never computed");
    return found;
  }

  std::map<std::uint64_t, Entry> entries_;  ///< by DataMatrix::Id
};

}  // namespace kauri
