/// \file Large arrays on large pages: fewer page faults while they are filled, and far fewer TLB misses when rows are
/// read in the order of nodes. Measured on 10 M rows: see the commit.
#pragma once

#include <cstddef>
#include <vector>

#include "kauri/context.h"

namespace kauri {

/// Asks the system to use large pages for memory that was not touched yet. It does nothing for small memory and on
/// systems without large pages: the request is only a hint.
void AdviseLargePages(void const* memory, std::size_t n_bytes);

/// Asks the system, from all threads, to provide the pages of memory that was not touched yet. A single thread that
/// fills the memory would wait for the zeroing of each page, which takes longer than the filling. Also only a hint.
void ProvidePages(Context const& ctx, void* memory, std::size_t n_bytes);

/// Resizes `values`; new memory is on large pages.
template <typename T>
void ResizeLarge(std::vector<T>* values, std::size_t n) {
  if (values->capacity() < n) {
    values->reserve(n);
    if (values->empty()) AdviseLargePages(values->data(), values->capacity() * sizeof(T));
  }
  values->resize(n);
}

/// Reserves memory that is filled at once; all threads provide its pages.
template <typename T>
void ReserveLarge(Context const& ctx, std::vector<T>* values, std::size_t n) {
  if (values->capacity() >= n || !values->empty()) return;
  values->reserve(n);
  AdviseLargePages(values->data(), values->capacity() * sizeof(T));
  ProvidePages(ctx, values->data(), values->capacity() * sizeof(T));
}

/// Resizes `values` in memory reserved by ReserveLarge.
template <typename T>
void ResizeLarge(Context const& ctx, std::vector<T>* values, std::size_t n) {
  ReserveLarge(ctx, values, n);
  values->resize(n);
}

}  // namespace kauri
