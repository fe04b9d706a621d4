/// \file The objects that the opaque handles point to, and how calls hold them.
///
/// A call holds each booster and each DMatrix that it is given from where the handle is resolved to where it returns:
/// many calls may read one at a time, a call that changes it has it alone (BoosterRead, BoosterUse, DataRead and their
/// kin below). Calls that change data hold nothing else, so that no order of taking is needed. What calls return lies
/// in buffers of the calling thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "c_api/labels_on_the_way.h"
#include "common/float_memory.h"
#include "common/shared_lock.h"
#include "data/meta_info.h"
#include "kauri/c_api.h"
#include "kauri/collective.h"
#include "kauri/data_matrix.h"

namespace kauri::c_api {

/// What the configuration of a prediction in place says. The last one is kept, as parsing takes longer than predicting
/// a row.
struct InPlaceSettings {
  std::string config;  ///< the text; empty: none was read
  PredictOptions options;
  std::vector<std::string> feature_types;  ///< [n_cols], or empty
  std::vector<std::string> feature_names;  ///< [n_cols], or empty
  float missing = 0.0F;
};

/// What calls hand back to one thread lies here until that thread's next call on the handle.
struct ReturnBuffers {
  std::string text;
  std::vector<std::string> strings;
  std::vector<char const*> pointers;
  std::vector<float> floats;
  std::vector<double> doubles;
  FloatMemory explanation;
  std::vector<unsigned> integers;
  std::vector<bst_ulong> shape;
  std::unique_ptr<DeviceFloats> device_floats;
  SparseInteractions sparse;
  InPlaceSettings in_place;

  /// Shows `strings` as a C array.
  void ReturnStrings(std::vector<std::string> values, bst_ulong* out_len, char const*** out);
};

enum class HandleKind : std::uint64_t {
  kData = 0x6B61757269444D58U,
  kBooster = 0x6B6175726942535BU,
  kDeviceArray = 0x6B61757269444152U,
  kCategories = 0x6B61757269434154U,
  kTracker = 0x6B61757269545241U,
  kCollective = 0x6B61757269434F4CU,
  kHostArray = 0x6B61757269484152U,
  kFreed = 0
};

/// Starts every object behind a handle. The mark tells handles of the other kind, and as a rule freed ones, apart.
class HandleBase {
 public:
  explicit HandleBase(HandleKind kind) : mark_(static_cast<std::uint64_t>(kind)) {}
  ~HandleBase() { mark_ = static_cast<std::uint64_t>(HandleKind::kFreed); }
  HandleBase(HandleBase const&) = delete;
  HandleBase& operator=(HandleBase const&) = delete;

  bool Is(HandleKind kind) const { return mark_ == static_cast<std::uint64_t>(kind); }
  /// Those of the calling thread.
  ReturnBuffers& Buffers();
  /// For calls that free the object: no other call holds it from now on. `what` names its kind. False where a fork()
  /// left it half changed; then its memory must stay. \throws Error(kParameter) while a call uses the object.
  bool TakeForGood(char const* what);

  SharedLock lock;  ///< held by calls

 private:
  friend class HandleUse;
  std::uint64_t volatile mark_;  ///< volatile: the write before the memory is given back is meant
  std::atomic<int> n_uses_{0};
  SharedLock buffers_lock_;
  std::map<std::thread::id, ReturnBuffers> buffers_;
};

/// For calls that run code of the caller, which fills a proxy meanwhile and might free it: in its scope that is
/// refused.
class HandleUse {
 public:
  explicit HandleUse(HandleBase* handle) : handle_(handle) { ++handle_->n_uses_; }
  ~HandleUse() { --handle_->n_uses_; }
  HandleUse(HandleUse const&) = delete;
  HandleUse& operator=(HandleUse const&) = delete;

 private:
  HandleBase* handle_;
};

/// Rows that a caller still owns.
struct CallerRows {
  std::function<std::unique_ptr<DataMatrix>(Context const& ctx, float missing)> copy;
  std::function<std::unique_ptr<DataView>(Context const& ctx, float missing)> view;  ///< null: they must be copied
};

/// A DMatrix, or a proxy: a proxy has no `data`, only what is known of the rows, which may come before them.
struct DataHandle : HandleBase {
  explicit DataHandle(std::shared_ptr<DataMatrix> matrix) : HandleBase(HandleKind::kData), data(std::move(matrix)) {}
  MetaInfo const& Info() {
    FinishLabels();
    return data != nullptr ? data->Info() : proxy_info;
  }
  /// For setters: labels may be on their way.
  MetaInfo* MutableInfo() { return data != nullptr ? data->MutableInfo() : &proxy_info; }
  /// Waits for labels on their way; many calls that read a proxy may ask at a time. \throws as SetInfo.
  void FinishLabels() {
    if (data != nullptr) return;
    LockHold const hold(&labels_lock, Access::kChange, "proxy");
    if (labels.AreThere()) labels.Finish(&proxy_info);
  }

  std::shared_ptr<DataMatrix> data;
  MetaInfo proxy_info = InfoOfUnknownRows();
  CallerRows rows;        ///< of a proxy: what it was given last
  LabelsOnTheWay labels;  ///< of those rows
  SharedLock labels_lock;
};

struct LearnerHandle : HandleBase {
  explicit LearnerHandle(std::unique_ptr<Learner> booster)
      : HandleBase(HandleKind::kBooster), learner(std::move(booster)) {}

  std::unique_ptr<Learner> learner;
  std::shared_ptr<SpareMemory> spare = std::make_shared<SpareMemory>();  ///< for explanations
};

/// One rank of a group; boosters and the making of matrices share it.
struct CollectiveHandle : HandleBase {
  explicit CollectiveHandle(std::shared_ptr<Collective> rank)
      : HandleBase(HandleKind::kCollective), collective(std::move(rank)) {}

  std::shared_ptr<Collective> collective;
};

/// A vector in device memory: a prediction, which outlives its booster, or a list of elements.
struct DeviceArrayHandle : HandleBase {
  explicit DeviceArrayHandle(std::unique_ptr<DeviceNumbers> numbers)
      : HandleBase(HandleKind::kDeviceArray), values(std::move(numbers)) {}

  std::unique_ptr<DeviceNumbers> values;
};

/// An explanation in host memory that outlives its booster, to which the memory goes in the end if it is still there.
struct HostArrayHandle : HandleBase {
  HostArrayHandle(FloatMemory memory, std::weak_ptr<SpareMemory> home)
      : HandleBase(HandleKind::kHostArray), values(std::move(memory)), spare(std::move(home)) {}

  FloatMemory values;
  std::weak_ptr<SpareMemory> spare;
};

/// The object of a kind behind a handle. `what` names the kind. \throws as those below.
HandleBase& CheckedHandle(void* handle, HandleKind kind, char const* what);
/// The object behind a handle. \throws Error(kParameter) for null, a handle of another kind or a freed one.
DataHandle& DataOrProxy(DMatrixHandle handle);
/// The same without proxies.
DataHandle& DataOf(DMatrixHandle handle);
LearnerHandle& BoosterOf(BoosterHandle handle);
DeviceArrayHandle& DeviceHandleOf(KauriDeviceArrayHandle handle);
HostArrayHandle& HostArrayOf(KauriHostArrayHandle handle);
CollectiveHandle& CollectiveOf(KauriCollectiveHandle handle);

constexpr char const* NameOf(DataHandle const*) { return "DMatrix"; }
constexpr char const* NameOf(LearnerHandle const*) { return "booster"; }

/// The object behind a handle, held in this scope. Functions of the caller that run meanwhile may read it; they cannot
/// change or free it. \throws as `kFind`, and as LockHold.
template <typename Object, Access kAccess, Object& (*kFind)(void*)>
class Held {
 public:
  explicit Held(void* handle) : object_(kFind(handle)), hold_(&object_.lock, kAccess, NameOf(&object_)) {}

  Object& operator*() const { return object_; }
  Object* operator->() const { return &object_; }

 private:
  Object& object_;
  LockHold hold_;
};

using BoosterRead = Held<LearnerHandle, Access::kRead, BoosterOf>;
using DataRead = Held<DataHandle, Access::kRead, DataOf>;
using DataOrProxyRead = Held<DataHandle, Access::kRead, DataOrProxy>;
using DataOrProxyChange = Held<DataHandle, Access::kChange, DataOrProxy>;

/// A booster that a call changes.
class BoosterUse {
 public:
  explicit BoosterUse(BoosterHandle handle) : booster_(handle) {}

  LearnerHandle& Handle() const { return *booster_; }
  Learner* operator->() const { return booster_->learner.get(); }

 private:
  Held<LearnerHandle, Access::kChange, BoosterOf> booster_;
};

/// `count` strings of a C array as C++ strings. \throws Error(kParameter) for null pointers.
std::vector<std::string> StringsOf(char const* const* strings, bst_ulong count, char const* name);

}  // namespace kauri::c_api
