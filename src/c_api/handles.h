/// \file The objects that the opaque handles point to, and how calls hold them.
///
/// A call holds each booster and each DMatrix that it is given from the lookup of the handle to its return. Many calls
/// may read an object at a time; a call that changes it has it alone (BoosterRead, BoosterUse, DataRead and similar
/// classes below). Calls that change data hold no other object, so no locking order is needed. Returned values lie in
/// buffers of the calling thread.
///
/// PendingLabels are the labels of a proxy: given in device memory, they are copied to the host while the device works
/// on the features.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "booster/learner.h"
#include "booster/predict/dependence.h"
#include "common/large_memory.h"
#include "common/threads/shared_lock.h"
#include "data/meta_info.h"
#include "kauri/c_api.h"
#include "kauri/collective.h"
#include "kauri/data_matrix.h"
#include "kauri/device_memory.h"
#include "kauri/meta_info.h"
#include "predictor/interactions/set_interactions.h"

namespace kauri::c_api {

/// Pending labels: at most one column or table of them.
class PendingLabels {
 public:
  PendingLabels() = default;
  /// Starts the copy. `array`, in device memory, has been read when this returns. info: info of the rows of the labels.
  PendingLabels(MetaInfo const& info, DeviceArray const& array);

  bool AreThere() const { return labels_.valid(); }
  /// Waits for the labels and sets them, once. \throws as SetInfo.
  void Finish(MetaInfo* info);

 private:
  std::future<MetaInfo> labels_;  ///< its destructor waits
};

/// Sets labels that are in device memory. \throws as SetInfo.
void SetDeviceLabels(DeviceArray const& array, MetaInfo* info);

/// The parsed configuration of a prediction in place. The last one is kept, because parsing takes longer than
/// predicting a row.
struct InPlaceSettings {
  std::string config;  ///< the text; empty: none was read yet
  PredictOptions options;
  std::vector<std::string> feature_types;  ///< [n_cols], or empty
  std::vector<std::string> feature_names;  ///< [n_cols], or empty
  float missing = 0.0F;
};

/// The values that calls return to one thread, kept until that thread's next call on the handle.
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
  SetInteractions set_interactions;
  ModelDependence dependence;
  InPlaceSettings in_place;

  /// Returns `values` to the caller as a C array.
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

/// The base of every object behind a handle. The mark distinguishes handles of the other kinds and, as a rule, freed
/// ones.
class HandleBase {
 public:
  explicit HandleBase(HandleKind kind) : mark_(static_cast<std::uint64_t>(kind)) {}
  ~HandleBase() { mark_ = static_cast<std::uint64_t>(HandleKind::kFreed); }
  HandleBase(HandleBase const&) = delete;
  HandleBase& operator=(HandleBase const&) = delete;

  bool Is(HandleKind kind) const { return mark_ == static_cast<std::uint64_t>(kind); }
  /// Returns the buffers of the calling thread.
  ReturnBuffers& Buffers();
  /// Takes the object in order to free it: no other call holds it from now on. `what` names its kind. Returns false if
  /// a fork() left it half changed; its memory must stay then. \throws Error(kParameter) while a call uses the object.
  bool TakeForGood(char const* what);

  SharedLock lock;  ///< held by calls

 private:
  friend class HandleUse;
  std::uint64_t volatile mark_;  ///< volatile, so that the write before the memory is freed is not optimised away
  std::atomic<int> n_uses_{0};
  SharedLock buffers_lock_;
  std::map<std::thread::id, ReturnBuffers> buffers_;
};

/// Forbids freeing a handle in its scope. For calls that run code of the caller, which fills a proxy meanwhile and
/// might free it.
class HandleUse {
 public:
  explicit HandleUse(HandleBase* handle) : handle_(handle) { ++handle_->n_uses_; }
  ~HandleUse() { --handle_->n_uses_; }
  HandleUse(HandleUse const&) = delete;
  HandleUse& operator=(HandleUse const&) = delete;

 private:
  HandleBase* handle_;
};

/// Rows that the caller still owns.
struct CallerRows {
  std::function<std::unique_ptr<DataMatrix>(Context const& ctx, float missing)> copy;
  std::function<std::unique_ptr<DataView>(Context const& ctx, float missing)> view;  ///< null: the rows must be copied
  /// The same without a look for infinite values; has no DenseRows() if the rows must be converted. Null for other
  /// rows.
  std::function<std::unique_ptr<DataView>(Context const& ctx, float missing)> unsearched_view = {};
};

/// A DMatrix or a proxy. A proxy has no `data`, only the info on its rows, which may be set before them.
struct DataHandle : HandleBase {
  explicit DataHandle(std::shared_ptr<DataMatrix> matrix) : HandleBase(HandleKind::kData), data(std::move(matrix)) {}
  MetaInfo const& Info() {
    FinishLabels();
    return data != nullptr ? data->Info() : proxy_info;
  }
  /// Returns the info for setters; labels may still be pending.
  MetaInfo* MutableInfo() { return data != nullptr ? data->MutableInfo() : &proxy_info; }
  /// Waits for pending labels; many calls that read a proxy may do so at the same time. \throws as SetInfo.
  void FinishLabels() {
    if (data != nullptr) return;
    LockHold const hold(&labels_lock, Access::kChange, "proxy");
    if (labels.AreThere()) labels.Finish(&proxy_info);
  }

  std::shared_ptr<DataMatrix> data;
  MetaInfo proxy_info = InfoOfUnknownRows();
  CallerRows rows;       ///< the last rows given to a proxy
  PendingLabels labels;  ///< pending labels of these rows
  SharedLock labels_lock;
  /// The communicator's group in which the rows were numbered, and their numbers (c_api/communicator.h).
  std::weak_ptr<Collective> group;
  std::vector<RowRange> rows_in_group;
};

struct LearnerHandle : HandleBase {
  explicit LearnerHandle(std::unique_ptr<Learner> booster)
      : HandleBase(HandleKind::kBooster), learner(std::move(booster)) {}

  std::unique_ptr<Learner> learner;
  std::shared_ptr<SpareMemory> spare = std::make_shared<SpareMemory>();  ///< spare memory for explanations
  std::shared_ptr<Collective> communicator;  ///< the communicator's group, if the booster trains in it
  bool has_own_group = false;                ///< KauriBoosterSetCollective has set a group, which takes precedence
};

/// One rank of a group, shared by boosters and the creation of matrices.
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

/// An explanation in host memory that outlives its booster. When freed, its memory returns to the booster if that still
/// exists.
struct HostArrayHandle : HandleBase {
  HostArrayHandle(FloatMemory memory, std::weak_ptr<SpareMemory> home)
      : HandleBase(HandleKind::kHostArray), values(std::move(memory)), spare(std::move(home)) {}

  FloatMemory values;
  std::weak_ptr<SpareMemory> spare;
};

/// Returns the object of a kind behind a handle. `what` names the kind. \throws as the functions below.
HandleBase& CheckedHandle(void* handle, HandleKind kind, char const* what);
/// Returns the object behind a handle. \throws Error(kParameter) for null, a handle of another kind or a freed one.
DataHandle& DataOrProxy(DMatrixHandle handle);
/// Returns the DMatrix behind a handle; a proxy is an error.
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

/// Converts `count` strings of a C array to C++ strings. \throws Error(kParameter) for null pointers.
std::vector<std::string> StringsOf(char const* const* strings, bst_ulong count, char const* name);

}  // namespace kauri::c_api
