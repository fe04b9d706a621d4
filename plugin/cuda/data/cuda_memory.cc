#include "cuda/data/cuda_memory.h"

#include <cstring>
#include <utility>

#include "common/large_memory.h"
#include "cuda/common/buffer.h"
#include "cuda/common/look_back.h"
#include "cuda/common/memory_plan.h"
#include "cuda/common/shuffle.h"
#include "cuda/data/convert.h"
#include "cuda/data/device_floats.h"
#include "cuda/data/fetch_bytes.h"
#include "data/arrays/array_dispatch.h"
#include "data/arrays/row_move.h"
#include "data/arrays/value_rules.h"

namespace kauri::cuda {
namespace {

using Arrays = std::vector<DeviceArray>;

/// Returns the attributes of an address. An address outside of all allocations gets the attributes of host memory.
cudaPointerAttributes AttributesOf(void const* address) {
  cudaPointerAttributes attributes{};
  auto const code = cudaPointerGetAttributes(&attributes, address);
  if (code != cudaErrorInvalidValue) {
    KAURI_CUDA_CHECK(code);
    return attributes;
  }
  cudaGetLastError();
  return {};
}

bool IsOnDevice(cudaPointerAttributes const& attributes) {
  return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
}

/// Returns the address of the last element.
void const* LastElement(ArrayView const& array) {
  return ElementAddress(array, array.shape[0] - 1, array.shape[1] - 1);
}

void CheckAlignment(ArrayView const& array) {
  auto const item = ItemSize(array.dtype);
  auto const address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.data) % 8);
  if (address % item == 0 && array.strides[0] % item == 0 && array.strides[1] % item == 0) return;
  Fail(ErrorKind::kData, "an array in device memory at ", array.data, " with the strides [", array.strides[0], ", ",
       array.strides[1], "] is not aligned to its elements of ", item,
       " bytes; make a contiguous copy (cupy.ascontiguousarray).");
}

/// Returns the device of all arrays. Fails if they are on several devices.
int CommonDevice(Arrays const& arrays) {
  auto const device = arrays.empty() ? DeviceOf({}) : DeviceOf(arrays[0].view);
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    if (auto const other = DeviceOf(arrays[i].view); other != device) {
      Fail(ErrorKind::kData, "column ", i, " is on cuda:", other, ", column 0 on cuda:", device,
           "; bring the columns to one device.");
    }
  }
  return device;
}

/// Returns the layout of a packed copy of arrays that lie side by side, without address and number of entries. All
/// arrays have the same number of rows, which the parser checks.
DeviceLayout LayoutOf(Arrays const& arrays, int device) {
  DeviceLayout layout;
  layout.device = device;
  for (auto const& array : arrays) {
    layout.n_rows = array.view.shape[0];
    layout.n_cols += array.view.shape[1];
  }
  layout.row_stride = layout.n_cols;
  return layout;
}

/// Converts arrays, counts present values and looks for infinities.
class Converter {
 public:
  Converter(CudaContext const& cuda, float missing)
      : cuda_(cuda), missing_(missing), found_(ToDevice(cuda, std::vector<Found>{{0, kNoneInfinite}})) {}

  /// to: [n_rows, n_cols] of `layout`; with nullptr nothing is written.
  void Run(Arrays const& arrays, DeviceLayout const& layout, float* to) {
    std::int64_t first_col = 0;
    for (auto const& array : arrays) {
      WaitForArray(cuda_, array, "data");
      auto* const part = to == nullptr ? nullptr : to + first_col;
      ConvertToFloat(cuda_, {array.view, missing_, part, layout.n_cols, 1, found_.data(), first_col, layout.n_cols});
      first_col += array.view.shape[1];
    }
  }

  /// Returns the number of present values; waits for it. layout.values: [n_rows, n_cols], from which an error reads the
  /// first infinite value.
  std::int64_t Finish(DeviceLayout const& layout) {
    auto const found = ToHost(cuda_, found_.data(), 1)[0];
    if (found.first_infinite == kNoneInfinite) return static_cast<std::int64_t>(found.n_present);
    auto const cell = static_cast<std::int64_t>(found.first_infinite);
    auto const row = cell / layout.n_cols;
    auto const col = cell % layout.n_cols;
    auto const* value = layout.values + row * layout.row_stride + col * layout.col_stride;
    FailInfinite(row, col, ToHost(cuda_, value, 1)[0]);
  }

 private:
  CudaContext cuda_;
  float missing_;
  Buffer<Found> found_;
};

/// Rows that the object owns, or rows of the caller.
class CudaStorage : public DeviceStorage {
 public:
  CudaStorage(DeviceLayout const& layout, std::unique_ptr<StreamOwner> stream, Buffer<float> owned)
      : DeviceStorage(layout), stream_(std::move(stream)), owned_(std::move(owned)) {}

 private:
  FloatVector CopyToHost() const override {
    auto const& layout = Layout();
    DeviceScope const scope(layout.device);
    auto const& cuda = stream_->Context();
    auto const n_cells = static_cast<std::size_t>(layout.n_rows * layout.n_cols);
    if (owned_.size() > 0 || n_cells == 0) return ToHost<float, Uninitialised<float>>(cuda, owned_.data(), n_cells);
    ArrayView view;
    view.data = layout.values;
    view.shape = {layout.n_rows, layout.n_cols};
    view.strides = {layout.row_stride * 4, layout.col_stride * 4};
    if (IsContiguous(view)) return ToHost<float, Uninitialised<float>>(cuda, layout.values, n_cells);
    Buffer<float> const packed(cuda, n_cells);
    PackElements(cuda, view, reinterpret_cast<char*>(packed.data()));
    return ToHost<float, Uninitialised<float>>(cuda, packed.data(), n_cells);
  }

  std::unique_ptr<StreamOwner> stream_;  ///< before the buffer, which is freed on it
  Buffer<float> owned_;
};

std::unique_ptr<DeviceStorage> MakeCopy(Arrays const& arrays, float missing, int device) {
  DeviceScope const scope(device);
  auto layout = LayoutOf(arrays, device);
  auto stream = std::make_unique<StreamOwner>(device);
  auto const& cuda = stream->Context();
  auto const n_cells = static_cast<std::size_t>(layout.n_rows * layout.n_cols);
  RequireMemory(cuda, "a copy of the features", {{"float32 values", 4 * n_cells}});
  Buffer<float> values(cuda, n_cells);
  layout.values = values.data();
  Converter converter(cuda, missing);
  converter.Run(arrays, layout, values.data());
  layout.n_entries = converter.Finish(layout);
  return std::make_unique<CudaStorage>(layout, std::move(stream), std::move(values));
}

std::unique_ptr<DeviceStorage> MakeReference(DeviceArray const& array, int device) {
  DeviceScope const scope(device);
  auto layout = LayoutOf({array}, device);
  layout.values = static_cast<float const*>(array.view.data);
  layout.row_stride = array.view.strides[0] / 4;
  layout.col_stride = array.view.strides[1] / 4;
  auto stream = std::make_unique<StreamOwner>(device);
  Converter converter(stream->Context(), kMissingValue);
  converter.Run({array}, layout, nullptr);
  layout.n_entries = converter.Finish(layout);
  return std::make_unique<CudaStorage>(layout, std::move(stream), Buffer<float>());
}

/// The elements of an array, contiguous, in device memory of its own.
class PackedArray {
 public:
  /// Has read the array when it returns.
  explicit PackedArray(DeviceArray const& array) : view_(array.view) {
    auto const item = ItemSize(view_.dtype);
    view_.strides = {item * view_.shape[1], item};
    view_.data = nullptr;
    if (view_.Size() == 0) return;
    stream_ = std::make_unique<StreamOwner>(DeviceOf(array.view));
    auto const& cuda = stream_->Context();
    DeviceScope const scope(cuda.device);
    WaitForArray(cuda, array, "data");
    elements_ = Buffer<char>(cuda, static_cast<std::size_t>(view_.Size() * item));
    PackElements(cuda, array.view, elements_.data());
    cuda.Synchronize();  // for the array, which belongs to the caller
  }

  /// Returns the view, contiguous, without an address.
  ArrayView const& View() const { return view_; }

  void Fetch(ArrivingArray::Take const& take) const {
    if (elements_.size() == 0) return;
    DeviceScope const scope(stream_->Context().device);
    FetchBytes(stream_->Context(), elements_.data(), elements_.size(), take);
  }

  HostArray ToHost() const {
    HostArray copy;
    copy.view = view_;
    if (elements_.size() == 0) return copy;
    copy.bytes.reset(new char[elements_.size()]);  // not initialised
    AdviseLargePages(copy.bytes.get(), elements_.size());
    auto* to = copy.bytes.get();
    Fetch([&to](char const* bytes, std::size_t n_bytes) {
      std::memcpy(to, bytes, n_bytes);
      to += n_bytes;
    });
    copy.view.data = copy.bytes.get();
    return copy;
  }

 private:
  ArrayView view_;                       ///< without an address
  std::unique_ptr<StreamOwner> stream_;  ///< before the buffer, which is freed on it
  Buffer<char> elements_;
};

class CudaMemory : public DeviceMemory {
 public:
  explicit CudaMemory(BinMaker make_bins) : make_bins_(make_bins) {}

  bool Holds(void const* address) const override {
    cudaPointerAttributes attributes{};
    auto const code = cudaPointerGetAttributes(&attributes, address);
    if (code != cudaSuccess) cudaGetLastError();
    return code == cudaSuccess && IsOnDevice(attributes);
  }

  std::unique_ptr<DeviceStorage> Copy(Arrays const& arrays, float missing) const override {
    return MakeCopy(arrays, missing, CommonDevice(arrays));
  }

  std::unique_ptr<DeviceStorage> Borrow(Arrays const& arrays, float missing) const override {
    auto const device = CommonDevice(arrays);
    auto const as_it_is = arrays.size() == 1 && arrays[0].view.dtype == DType::kF32 && missing != missing;
    return as_it_is ? MakeReference(arrays[0], device) : MakeCopy(arrays, missing, device);
  }

  HostArray ToHost(DeviceArray const& array) const override { return PackedArray(array).ToHost(); }

  ArrivingArray ToHostLater(DeviceArray const& array) const override {
    auto const packed = std::make_shared<PackedArray const>(array);
    return {packed->View(), [packed](ArrivingArray::Take const& take) { packed->Fetch(take); }};
  }

  std::unique_ptr<DeviceFloats> ToDevice(Span<float const> values, int device) const override {
    auto result = std::make_unique<OwnedFloats>(device, static_cast<std::int64_t>(values.size()));
    DeviceScope const scope(device);
    CopyToDevice(result->Cuda(), values.data(), values.size(), result->Values().data());
    result->Cuda().Synchronize();  // for `values`, which belong to the caller
    return result;
  }

  void ShuffleRows(DeviceArray const& from, DeviceArray const& to, std::uint64_t seed) const override {
    auto const move = RowMoveOf(from.view, to.view);
    if (from.view.Size() == 0) return;
    StreamOwner const stream(DeviceOf(from.view));
    auto const& cuda = stream.Context();
    DeviceScope const scope(cuda.device);
    WaitForArray(cuda, from, "in");
    WaitForArray(cuda, to, "out");
    if (move.from == move.to) {
      ShuffleDeviceRowsInPlace(cuda, move, seed);
    } else {
      LookBack look_back;
      ShuffleDeviceRows(cuda, move, seed, &look_back);
    }
    cuda.Synchronize();  // for the rows, which belong to the caller
  }

  std::unique_ptr<DeviceNumbers> ListShuffle(std::int64_t n, std::uint64_t seed, std::int64_t count,
                                             int device) const override {
    DeviceScope const scope(device);
    auto result = std::make_unique<OwnedIntegers>(device, count);
    LookBack look_back;
    cuda::ListShuffle(result->Cuda(), Shuffle(n, seed), result->Values(), &look_back);
    result->Cuda().Synchronize();  // for the elements: they may be read on any stream
    return result;
  }

  CodedRows MakeBins(Context const& ctx, DeviceBatches const& rows, BinRequest const& request) const override {
    return make_bins_(ctx, rows, request);
  }

 private:
  BinMaker make_bins_;
};

}  // namespace

std::unique_ptr<DeviceMemory> MakeCudaMemory(BinMaker make_bins) { return std::make_unique<CudaMemory>(make_bins); }

int DeviceOf(ArrayView const& array) {
  if (array.Size() == 0) {
    int device = 0;
    KAURI_CUDA_CHECK(cudaGetDevice(&device));
    return device;
  }
  CheckAlignment(array);
  auto const first = AttributesOf(array.data);
  if (!IsOnDevice(first)) {
    Fail(
        ErrorKind::kData, "the array at ", array.data,
        " is in host memory, but an array in device memory was announced; use the calls for host arrays, or move it to "
        "the device.");
  }
  auto const last = AttributesOf(LastElement(array));
  if (!IsOnDevice(last) || last.device != first.device) {
    Fail(ErrorKind::kData, "the array at ", array.data, " with the shape [", array.shape[0], ", ", array.shape[1],
         "] and the strides [", array.strides[0], ", ", array.strides[1],
         "] reaches out of the device's memory; check shape and strides, and that the array still lives.");
  }
  return first.device;
}

void WaitForArray(CudaContext const& cuda, DeviceArray const& array, char const* name) {
  if (array.view.Size() == 0) return;
  if (auto const device = DeviceOf(array.view); device != cuda.device) {
    Fail(ErrorKind::kDevice, name, " is on cuda:", device, ", but cuda:", cuda.device,
         " works on it; move it there, or set device=cuda:", device, ".");
  }
  if (array.stream != DeviceArray::kReady) {
    WaitFor(cuda, reinterpret_cast<cudaStream_t>(static_cast<std::uintptr_t>(array.stream)));
  }
}

DeviceLayout const& LayoutOn(CudaContext const& cuda, DeviceStorage const& rows) {
  auto const& layout = rows.Layout();
  if (layout.device == cuda.device) return layout;
  Fail(ErrorKind::kDevice, "the features are on cuda:", layout.device, ", but the booster works on cuda:", cuda.device,
       "; set device=cuda:", layout.device, ", or move the features.");
}

}  // namespace kauri::cuda
