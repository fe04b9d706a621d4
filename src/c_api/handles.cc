#include "c_api/handles.h"

#include <utility>

#include "c_api/guard.h"

namespace kauri::c_api {
HandleBase& CheckedHandle(void* handle, HandleKind kind, char const* what) {
  if (handle == nullptr) {
    Fail(ErrorKind::kParameter, "the ", what, " handle is null: it was never created or has been disposed of.");
  }
  auto* base = static_cast<HandleBase*>(handle);
  if (!base->Is(kind)) {
    Fail(ErrorKind::kParameter, "the handle ", handle, " is not a ", what,
         ": it was freed already, or belongs to an object of another kind.");
  }
  return *base;
}

void ReturnBuffers::ReturnStrings(std::vector<std::string> values, bst_ulong* out_len, char const*** out) {
  strings = std::move(values);
  pointers.clear();
  for (auto const& string : strings) pointers.push_back(string.c_str());
  *out_len = pointers.size();
  *out = pointers.data();
}

ReturnBuffers& HandleBase::Buffers() {
  auto const thread = std::this_thread::get_id();
  {
    LockHold const hold(&buffers_lock_, Access::kRead, "handle");
    auto const found = buffers_.find(thread);
    if (found != buffers_.end()) return found->second;
  }
  LockHold const hold(&buffers_lock_, Access::kChange, "handle");
  return buffers_[thread];
}

bool HandleBase::TakeForGood(char const* what) {
  if (lock.IsLost()) return false;
  if (n_uses_ == 0 && lock.TryLockExclusive()) return true;
  Fail(ErrorKind::kParameter, "the ", what, " is in use by a call that has not returned; wait for that.");
}

DataHandle& DataOrProxy(DMatrixHandle handle) {
  return static_cast<DataHandle&>(CheckedHandle(handle, HandleKind::kData, "DMatrix"));
}

DataHandle& DataOf(DMatrixHandle handle) {
  auto& data = DataOrProxy(handle);
  if (data.data == nullptr) {
    Fail(ErrorKind::kParameter, "the handle is a proxy, which holds no features; pass a DMatrix.");
  }
  return data;
}

LearnerHandle& BoosterOf(BoosterHandle handle) {
  return static_cast<LearnerHandle&>(CheckedHandle(handle, HandleKind::kBooster, "booster"));
}

DeviceArrayHandle& DeviceHandleOf(KauriDeviceArrayHandle handle) {
  return static_cast<DeviceArrayHandle&>(CheckedHandle(handle, HandleKind::kDeviceArray, "device array"));
}

HostArrayHandle& HostArrayOf(KauriHostArrayHandle handle) {
  return static_cast<HostArrayHandle&>(CheckedHandle(handle, HandleKind::kHostArray, "host array"));
}

CollectiveHandle& CollectiveOf(KauriCollectiveHandle handle) {
  return static_cast<CollectiveHandle&>(CheckedHandle(handle, HandleKind::kCollective, "collective"));
}

std::vector<std::string> StringsOf(char const* const* strings, bst_ulong count, char const* name) {
  if (count > 0) NotNull(strings, name);
  std::vector<std::string> result;
  for (bst_ulong i = 0; i < count; ++i) result.emplace_back(NotNull(strings[i], name));
  return result;
}

}  // namespace kauri::c_api
