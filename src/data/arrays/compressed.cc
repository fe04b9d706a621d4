#include "data/arrays/compressed.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "common/parallel_for.h"
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

/// Checks the entries [begin, end) and, unless `converted` is empty, writes them there.
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

/// One more than the largest index of the entries [begin, end), which CheckIndices looks at afterwards.
template <typename T>
std::int64_t CountSeen(ArrayView const& indices, std::int64_t begin, std::int64_t end) {
  std::int64_t n_seen = 0;
  for (auto entry = begin; entry < end; ++entry) {
    auto const index = static_cast<std::int64_t>(LoadElement<T>(ElementAddress(indices, entry, 0)));
    if (index < std::numeric_limits<std::uint32_t>::max()) n_seen = std::max(n_seen, index + 1);
  }
  return n_seen;
}

}  // namespace

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
