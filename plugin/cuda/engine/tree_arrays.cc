#include "cuda/engine/tree_arrays.h"

#include "cuda/engine/leaf_vectors.h"

namespace kauri::cuda {

Span<std::uint8_t> TreeArrays::Marks(CudaContext const& cuda, float rate, std::int64_t n_rows) {
  if (rate >= 1.0F) return {};
  sampled.Reserve(cuda, pairs.size());
  return {sampled.data(), ToSize(n_rows)};
}

void TreeArrays::Quantise(CudaContext const& cuda, PairTable const& gradients, std::int64_t output,
                          RowSample const& sample, Span<std::uint8_t> marks) {
  Span<FixedPair> const to(pairs.data(), ToSize(gradients.NumRows()));
  cuda::Quantise(cuda, {gradients, output, summary.Largest() + output, sample, to, marks, summary.Totals() + output});
}

void TreeArrays::AddLeaves(CudaContext const& cuda, std::vector<float> const& values, LeafTarget const& to) {
  leaf_values.Clear();
  auto const place = leaf_values.Add(values);
  leaf_values.Send(cuda);
  Span<float const> const on_device(leaf_values.At<float>(place), values.size());
  Span<std::int32_t const> const leaves(leaf_of_row.data(), ToSize(to.n_rows));
  if (to.vector_leaves) {
    AddLeafVectors(cuda, on_device, leaves, to.n_outputs, to.margins);
  } else {
    cuda::AddLeaves(cuda, on_device, leaves, to.n_outputs, to.output, to.margins);
  }
}

}  // namespace kauri::cuda
