#include "data/arrays/compressed.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "common/threads/parallel_for.h"
#include "data/arrays/array_dispatch.h"
#include "kauri/error.h"

namespace kauri {
namespace {

constexpr std::int64_t kEntriesPerBlock = 1 << 16;

std::vector<std::int64_t> ReadOffsets(std::string const& name, ArrayView const& indptr, std::int64_t n_entries) {
  if (indptr.Size() == 0) Fail(ErrorKind::kData, name, " is empty; it starts with 0 even when there is nothing.");
  std::vector<std::int64_t> offsets(indptr.Size());
  std::int64_t previous = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    auto const offset = ElementAsIndex(indptr, static_cast<std::int64_t>(i), name.c_str());
    if (offset < previous || offset > n_entries) {
      Fail(ErrorKind::kData, name, "[", i, "] is ", offset, "; it must lie between the element before, ", previous,
           ", and the number of values, ", n_entries, ".");
    }
    offsets[i] = previous = offset;
  }
  return offsets;
}

std::int64_t MajorOf(std::vector<std::int64_t> const& offsets, std::int64_t entry) {
  return std::upper_bound(offsets.begin(), offsets.end(), entry) - offsets.begin() - 1;
}

/// Checks the entries [begin, end) and, unless `converted` is empty, writes them to it.
template <typename T>
void CheckIndices(CompressedNames const& names, ArrayView const& indices, std::int64_t begin, std::int64_t end,
                  CompressedArrays* out) {
  for (auto entry = begin; entry < end; ++entry) {
    auto const index = static_cast<std::int64_t>(LoadElement<T>(ElementAddress(indices, entry, 0)));
    if (index < 0 || index >= out->n_minor) {
      Fail(ErrorKind::kData, names.format, " ", names.major, " ", MajorOf(out->offsets, entry), " has the ",
           names.minor, " index ", index, ", but there are ", out->n_minor, " ", names.minor, "s.");
    }
    if (!out->converted.empty()) out->converted[entry] = static_cast<std::uint32_t>(index);
  }
}

/// Returns one more than the largest index of the entries [begin, end). CheckIndices validates the indices afterwards.
template <typename T>
std::int64_t CountSeen(ArrayView const& indices, std::int64_t begin, std::int64_t end) {
  std::int64_t n_seen = 0;
  for (auto entry = begin; entry < end; ++entry) {
    auto const index = static_cast<std::int64_t>(LoadElement<T>(ElementAddress(indices, entry, 0)));
    if (index < std::numeric_limits<std::uint32_t>::max()) n_seen = std::max(n_seen, index + 1);
  }
  return n_seen;
}

/// Returns whether the indices [begin, end) contain a duplicate. scratch: memory reused between calls.
bool HasRepeated(std::uint32_t const* indices, std::int64_t begin, std::int64_t end,
                 std::vector<std::uint32_t>* scratch) {
  auto ascends = true;
  for (auto entry = begin + 1; entry < end; ++entry) ascends &= indices[entry - 1] < indices[entry];
  if (ascends) return false;
  scratch->assign(indices + begin, indices + end);
  std::sort(scratch->begin(), scratch->end());
  return std::adjacent_find(scratch->begin(), scratch->end()) != scratch->end();
}

bool HasRepeated(Context const& ctx, CompressedArrays const& arrays) {
  constexpr std::int64_t kMajorPerBlock = 1 << 12;
  std::atomic<bool> found{false};
  auto const n_major = static_cast<std::int64_t>(arrays.offsets.size()) - 1;
  ParallelForBlocks(ctx, n_major, kMajorPerBlock, [&](std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<std::uint32_t> scratch;
    for (auto major = begin; major < end && !found.load(std::memory_order_relaxed); ++major) {
      if (HasRepeated(arrays.indices, arrays.offsets[major], arrays.offsets[major + 1], &scratch)) found = true;
    }
  });
  return found;
}

/// Returns the nearest half to a float, ties to even.
Half HalfOf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  auto const sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  auto const magnitude = bits & 0x7FFFFFFFU;
  constexpr std::uint32_t kNan = 0x7F800000U;
  if (magnitude > kNan) return {static_cast<std::uint16_t>(sign | 0x7E00U)};
  if (magnitude >= 0x477FF000U) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
  float scaled = 0;
  std::memcpy(&scaled, &magnitude, sizeof(scaled));
  if (magnitude < 0x38800000U) {  // below the smallest normal number: multiples of 2^-24
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(scaled * 0x1p24F)))};
  }
  auto const rounded = magnitude + 0x0FFFU + (magnitude >> 13U & 1U);
  return {static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13U))};
}

template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_same_v<T, Half>) {
    return HalfOf(static_cast<float>(a) + static_cast<float>(b));
  } else if constexpr (std::is_same_v<T, ByteBool>) {
    return {static_cast<std::uint8_t>(a.byte != 0 || b.byte != 0 ? 1 : 0)};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  } else {
    return a + b;
  }
}

/// Merges duplicates, so that each row has the entries of an index once, in ascending order.
template <typename T>
std::vector<T> SumRows(ArrayView const& values, CompressedArrays* arrays) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint32_t> indices;
  std::vector<T> sums;
  std::vector<std::int64_t> order;
  for (std::size_t major = 0; major + 1 < arrays->offsets.size(); ++major) {
    order.resize(arrays->offsets[major + 1] - arrays->offsets[major]);
    std::iota(order.begin(), order.end(), arrays->offsets[major]);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return arrays->indices[a] < arrays->indices[b]; });
    auto const first = static_cast<std::int64_t>(indices.size());
    for (auto const entry : order) {
      auto const value = LoadElement<T>(ElementAddress(values, entry, 0));
      auto const is_new =
          static_cast<std::int64_t>(indices.size()) == first || indices.back() != arrays->indices[entry];
      if (is_new) {
        indices.push_back(arrays->indices[entry]);
        sums.push_back(value);
      } else {
        sums.back() = Sum(sums.back(), value);
      }
    }
    offsets.push_back(static_cast<std::int64_t>(indices.size()));
  }
  arrays->offsets = std::move(offsets);
  arrays->converted = std::move(indices);
  arrays->indices = arrays->converted.data();
  return sums;
}

}  // namespace

CompressedValues SumRepeated(Context const& ctx, ArrayView const& values, CompressedArrays* arrays) {
  CompressedValues out{values, {}};
  if (!HasRepeated(ctx, *arrays)) return out;
  DispatchDType(values.dtype, [&](auto tag) {
    using T = decltype(tag);
    auto const sums = SumRows<T>(values, arrays);
    auto const* bytes = reinterpret_cast<char const*>(sums.data());
    out.owned.assign(bytes, bytes + sums.size() * sizeof(T));
    out.view.shape = {static_cast<std::int64_t>(sums.size()), 1};
    out.view.strides = {sizeof(T), sizeof(T)};
  });
  out.view.data = out.owned.data();
  return out;
}

CompressedArrays ReadCompressed(Context const& ctx, CompressedNames const& names, ArrayView const& indptr,
                                ArrayView const& indices, std::int64_t n_entries, std::int64_t n_minor) {
  if (indptr.shape[1] != 1 || indices.shape[1] != 1) {
    Fail(ErrorKind::kData, names.format, " indptr and indices must be vectors.");
  }
  if (indices.Size() != n_entries) {
    Fail(ErrorKind::kData, names.format, " has ", indices.Size(), " indices but ", n_entries, " values.");
  }
  if (n_minor < 0 || n_minor > std::numeric_limits<std::uint32_t>::max()) {
    Fail(ErrorKind::kData, names.format, " with ", n_minor, " ", names.minor,
         "s is not supported; at most 2^32 - 1 are.");
  }
  CompressedArrays out;
  out.n_minor = n_minor;
  out.offsets = ReadOffsets(std::string(names.format) + " indptr", indptr, n_entries);
  auto const is_32 = indices.dtype == DType::kI32 || indices.dtype == DType::kU32;
  out.indices = is_32 ? ContiguousData<std::uint32_t>(indices) : nullptr;
  if (out.indices == nullptr) out.converted.resize(n_entries);
  auto const first = out.offsets.front();
  DispatchDType(indices.dtype, [&](auto tag) {
    if constexpr (std::is_integral_v<decltype(tag)>) {
      if (n_minor == 0) out.n_minor = CountSeen<decltype(tag)>(indices, first, out.offsets.back());
      ParallelForBlocks(ctx, out.offsets.back() - first, kEntriesPerBlock,
                        [&](std::int64_t begin, std::int64_t end, std::int64_t) {
                          CheckIndices<decltype(tag)>(names, indices, first + begin, first + end, &out);
                        });
    } else {
      Fail(ErrorKind::kData, names.format, " indices must hold integers; convert them to int32 or int64.");
    }
  });
  if (out.indices == nullptr) out.indices = out.converted.data();
  return out;
}

}  // namespace kauri
