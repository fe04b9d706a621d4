#include "cuda/collective/nccl.h"

#include <dlfcn.h>

namespace kauri::cuda {
namespace {

constexpr char const* kLibrary = "libnccl.so.2";

class Loader {
 public:
  Nccl Load() {
    handle_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      auto const* reason = dlerror();
      found_.problem = reason == nullptr ? std::string(kLibrary) + " is not there" : reason;
      return found_;
    }
    int (*get_version)(int*) = nullptr;
    Find("ncclGetVersion", &get_version);
    Find("ncclGetUniqueId", &found_.get_unique_id);
    Find("ncclCommInitRank", &found_.comm_init_rank);
    Find("ncclAllReduce", &found_.all_reduce);
    Find("ncclCommGetAsyncError", &found_.comm_get_async_error);
    Find("ncclCommAbort", &found_.comm_abort);
    Find("ncclGetErrorString", &found_.get_error_string);
    if (!found_.problem.empty()) return found_;
    if (get_version(&found_.version) != kNcclSuccess || found_.version < kOldestNccl) {
      found_.problem =
          std::string(kLibrary) + " is of version " + std::to_string(found_.version) + ", and 2.4 or newer is needed";
    }
    return found_;
  }

 private:
  template <typename Function>
  void Find(char const* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (*function == nullptr) found_.problem = std::string(kLibrary) + " has no function " + name;
  }

  void* handle_ = nullptr;  // never closed, because communicators may outlive their users
  Nccl found_;
};

}  // namespace

Nccl const& GetNccl() {
  static Nccl const kNccl = Loader().Load();
  return kNccl;
}

}  // namespace kauri::cuda
