#include "c_api/handles.h"

#include <utility>
#include <vector>

#include "c_api/global.h"
#include "c_api/guard.h"
#include "common/large_memory.h"
#include "data/arrays/array_dispatch.h"
#include "data/meta_info.h"

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

namespace {

/// Receives the labels. float32 is stored directly in its final place: a second copy of millions of rows takes longer
/// than the transfer over the bus.
void Take(ArrivingArray const& arriving, Context const& ctx, MetaInfo* info) {
  auto const n = static_cast<std::size_t>(arriving.view.Size());
  if (arriving.view.dtype == DType::kF32) {
    std::vector<float> values;
    ReserveLarge(ctx, &values, n);
    arriving.fetch([&values](char const* bytes, std::size_t n_bytes) {
      auto const* const from = reinterpret_cast<float const*>(bytes);
      values.insert(values.end(), from, from + n_bytes / sizeof(float));
    });
    return SetLabels(info, arriving.view, std::move(values), ctx);
  }
  std::vector<char> all;
  all.reserve(n * static_cast<std::size_t>(ItemSize(arriving.view.dtype)));
  arriving.fetch([&all](char const* bytes, std::size_t n_bytes) { all.insert(all.end(), bytes, bytes + n_bytes); });
  auto view = arriving.view;
  view.data = all.data();
  SetInfo(info, "label", view, ctx);
}

}  // namespace

void SetDeviceLabels(DeviceArray const& array, MetaInfo* info) {
  Take(RequireDeviceMemory()->ToHostLater(array), MakeContext(0), info);
}

PendingLabels::PendingLabels(MetaInfo const& info, DeviceArray const& array) {
  MetaInfo of_labels;
  of_labels.n_rows = info.n_rows;
  of_labels.n_cols = info.n_cols;
  auto arriving = RequireDeviceMemory()->ToHostLater(array);
  auto const ctx = MakeContext(0);
  labels_ = std::async(std::launch::async, [of_labels, arriving = std::move(arriving), ctx]() mutable {
    Take(arriving, ctx, &of_labels);
    return std::move(of_labels);
  });
}

void PendingLabels::Finish(MetaInfo* info) {
  auto of_labels = labels_.get();
  info->labels = std::move(of_labels.labels);
  info->n_targets = of_labels.n_targets;
}

}  // namespace kauri::c_api
