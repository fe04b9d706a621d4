#include "sequence/failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> countdown{-1};  // global, because operator new has no other place to read it from
std::atomic<bool> has_failed{false};

bool MayAllocate() {
  if (countdown.load(std::memory_order_relaxed) < 0 || countdown.fetch_sub(1) != 0) return true;
  has_failed = true;
  return false;
}

void* Allocate(std::size_t size) { return MayAllocate() ? std::malloc(size == 0 ? 1 : size) : nullptr; }

void* AllocateAligned(std::size_t size, std::align_val_t alignment) {
  auto const unit = static_cast<std::size_t>(alignment);
  return MayAllocate() ? std::aligned_alloc(unit, (size + unit - 1) / unit * unit + (size == 0 ? unit : 0)) : nullptr;
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace kauri::fuzz {

FailingNew::FailingNew(std::int64_t after) {
  has_failed = false;
  countdown = after;
}

FailingNew::~FailingNew() { countdown = -1; }

bool FailingNew::HasFailed() const { return has_failed; }

}  // namespace kauri::fuzz

void* operator new(std::size_t size) { return OrThrow(Allocate(size)); }
void* operator new[](std::size_t size) { return OrThrow(Allocate(size)); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return Allocate(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return Allocate(size); }
void* operator new(std::size_t size, std::align_val_t unit) { return OrThrow(AllocateAligned(size, unit)); }
void* operator new[](std::size_t size, std::align_val_t unit) { return OrThrow(AllocateAligned(size, unit)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
