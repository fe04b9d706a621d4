/// \file Lets memory run out on request. Linked into a target, it replaces operator new of the whole process.
#pragma once

#include <cstdint>

namespace kauri::fuzz {

/// Makes one allocation fail during its lifetime: the one after `countdown` others, on any thread.
class FailingNew {
 public:
  /// countdown: 0 for the next one, below 0 for none.
  explicit FailingNew(std::int64_t countdown);
  ~FailingNew();
  FailingNew(FailingNew const&) = delete;
  FailingNew& operator=(FailingNew const&) = delete;

  /// Returns whether the allocation has failed.
  bool HasFailed() const;
};

}  // namespace kauri::fuzz
