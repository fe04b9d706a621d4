#include "data/arrays/row_move.h"

#include <cstdlib>

#include "data/arrays/array_dispatch.h"
#include "kauri/error.h"

namespace kauri {
namespace {

void RequireAlike(ArrayView const& from, ArrayView const& to) {
  if (from.shape != to.shape || from.n_dims != to.n_dims) {
    Fail(ErrorKind::kData, "in has the shape [", from.shape[0], ", ", from.shape[1], "], out [", to.shape[0], ", ",
         to.shape[1], "]; make out as large as in.");
  }
  if (from.dtype != to.dtype) Fail(ErrorKind::kData, "in and out have different types; give out the type of in.");
}

void RequireWholeRows(ArrayView const& array, char const* name) {
  auto const item = ItemSize(array.dtype);
  if (array.shape[1] < 2 || array.strides[1] == item) return;
  Fail(ErrorKind::kData, name, " has elements of a row ", array.strides[1], " bytes apart; expected ", item,
       ", as rows are moved as a whole: make a copy in C order (numpy.ascontiguousarray, cupy.ascontiguousarray).");
}

/// The address range of an array, as [begin, end).
struct Reach {
  std::uintptr_t begin;
  std::uintptr_t end;
};

Reach ReachOf(char const* data, std::int64_t stride, RowMove const& move) {
  auto const first = reinterpret_cast<std::uintptr_t>(data);
  auto const last = first + static_cast<std::uintptr_t>((move.n_rows - 1) * stride);
  auto const low = stride < 0 ? last : first;
  auto const high = stride < 0 ? first : last;
  return {low, high + static_cast<std::uintptr_t>(move.row_bytes)};
}

}  // namespace

RowMove RowMoveOf(ArrayView const& from, ArrayView const& to) {
  RequireAlike(from, to);
  RequireWholeRows(from, "in");
  RequireWholeRows(to, "out");
  RowMove move;
  move.from = static_cast<char const*>(from.data);
  // An ArrayView is for reading, but the caller passes `to` as the array to write.
  move.to = const_cast<char*>(static_cast<char const*>(to.data));
  move.from_stride = from.strides[0];
  move.to_stride = to.strides[0];
  move.n_rows = from.shape[0];
  move.row_bytes = from.shape[1] * ItemSize(from.dtype);
  if (move.n_rows == 0 || move.row_bytes == 0) return move;
  if (move.n_rows > 1 && std::abs(move.to_stride) < move.row_bytes) {
    Fail(ErrorKind::kData, "out has rows of ", move.row_bytes, " bytes, ", move.to_stride,
         " bytes apart: they overlap; give it memory of its own.");
  }
  auto const source = ReachOf(move.from, move.from_stride, move);
  auto const target = ReachOf(move.to, move.to_stride, move);
  auto const is_one = move.from == move.to && move.from_stride == move.to_stride;
  if (!is_one && source.begin < target.end && target.begin < source.end) {
    Fail(ErrorKind::kData, "in and out overlap; give out memory of its own, or the same array to shuffle in place.");
  }
  return move;
}

}  // namespace kauri
