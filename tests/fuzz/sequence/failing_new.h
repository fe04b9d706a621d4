/// \file Memory that runs out on request: linked into a target, this replaces operator new of the whole process.
#pragma once

#include <cstdint>

namespace kauri::fuzz {

/// While it lives, the allocation after `countdown` others fails, on whatever thread, and no other one.
class FailingNew {
 public:
  /// countdown: 0 for the next one, below 0 for none.
  explicit FailingNew(std::int64_t countdown);
  ~FailingNew();
  FailingNew(FailingNew const&) = delete;
  FailingNew& operator=(FailingNew const&) = delete;

  /// Whether it has come to that.
  bool HasFailed() const;
};

}  // namespace kauri::fuzz
