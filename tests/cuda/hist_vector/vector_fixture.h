/// \file Trees with vector leaves grown on devices.
#pragma once

#include <cstdint>

#include "cuda/hist/gpu_hist_builder.h"
#include "support/device_fixture.h"
#include "tree/hist_vector/random_vector_job.h"

namespace kauri::testing {

class VectorDeviceTest : public DeviceTest {
 protected:
  static std::unique_ptr<DataMatrix> DataOf(VectorJob const& job) {
    auto data = MakeMatrix(job.job.values, job.job.n_cols, job.job.sparse);
    data->MutableInfo()->feature_types = job.types;
    return data;
  }

  /// Builds a tree in a state of its own.
  Built BuildOnDevice(VectorJob const& job, Context const& ctx = OnDevice(),
                      cuda::HistMemory const& memory = {}) const {
    auto const data = DataOf(job);
    cuda::GpuHistBuilder const builder(job.job.param, memory);
    auto const state = builder.MakeState(ctx, *data);
    return Build(ctx, *data, builder, job, state.get());
  }

  Built Build(Context const& ctx, DataMatrix const& data, cuda::GpuHistBuilder const& builder, VectorJob const& job,
              BuildState* state) const {
    PackedGradients const packed(job);
    auto const table = packed.View();
    auto const task = job.job.Task();
    cuda::Buffer<std::int32_t> values(Cuda(), table.values.size());
    cuda::CopyToDevice(Cuda(), table.values.data(), values.size(), values.data());
    cuda::DeviceTreeTask on_device;
    on_device.place = task.place;
    on_device.table = table;
    on_device.table.values = values.span();
    cuda::Buffer<std::uint8_t> sampled(Cuda(), task.sampled_rows.size());
    cuda::CopyToDevice(Cuda(), task.sampled_rows.data(), sampled.size(), sampled.data());
    on_device.sampled_rows = sampled.span();
    cuda::Buffer<std::int32_t> leaves(Cuda(), ToSize(data.NumRows()));
    Built built;
    built.tree = builder.BuildOnDevice(Cuda(), ctx, data, on_device, state, leaves.span());
    built.leaf_of_row = Fetch(Cuda(), leaves);
    return built;
  }
};

}  // namespace kauri::testing
