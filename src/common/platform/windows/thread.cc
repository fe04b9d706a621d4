#include "common/platform/thread.h"

#include <windows.h>

#include <new>

namespace kauri::platform {
namespace {

struct ThreadStart {
  void* (*run)(void*);
  void* argument;
};

DWORD WINAPI RunThread(void* start) {
  auto const what = *static_cast<ThreadStart*>(start);
  delete static_cast<ThreadStart*>(start);
  what.run(what.argument);
  return 0;
}

/// Returns the lower half of a word; all processors that Windows runs on are little-endian.
void* LowerHalf(FutexWord const* word) { return const_cast<void*>(static_cast<void const*>(word)); }

}  // namespace

bool StartThread(void* (*run)(void*), void* argument) {
  constexpr SIZE_T kStackBytes = SIZE_T{8} << 20U;
  auto* const start = new (std::nothrow) ThreadStart{run, argument};
  if (start == nullptr) return false;
  auto* const thread = CreateThread(nullptr, kStackBytes, RunThread, start, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  if (thread == nullptr) {
    delete start;
    return false;
  }
  CloseHandle(thread);
  return true;
}

/// Threads have descriptions since Windows 10 only, which nothing of Kauri's needs.
void NameThisThread(char const* /*name*/) {}

int AtFork(void (* /*in_child*/)()) { return 0; }

ThreadPointer::ThreadPointer(void (*destroy)(void*)) noexcept {
  auto const key = FlsAlloc(destroy);
  has_key_ = key != FLS_OUT_OF_INDEXES;
  key_ = key;
}

void* ThreadPointer::Get() const noexcept { return has_key_ ? FlsGetValue(static_cast<DWORD>(key_)) : nullptr; }

bool ThreadPointer::Set(void* pointer) noexcept {
  return has_key_ && FlsSetValue(static_cast<DWORD>(key_), pointer) != 0;
}

void FutexWait(FutexWord const* word, std::uint64_t value) {
  auto half = static_cast<std::uint32_t>(value);
  WaitOnAddress(LowerHalf(word), &half, sizeof(half), INFINITE);
}

void FutexWake(FutexWord const* word) { WakeByAddressSingle(LowerHalf(word)); }

void FutexWakeAll(FutexWord const* word) { WakeByAddressAll(LowerHalf(word)); }

}  // namespace kauri::platform
