#include "tree/hist_vector/vector_gain.h"

#include "tree/growth/tree_common.h"

namespace kauri {

VectorGainParam MakeVectorGainParam(TreeParam const& param, GradientTableView const& table, bool monotone,
                                    Span<std::uint8_t const> free_outputs) {
  VectorGainParam made;
  made.min_child_weight = static_cast<double>(param.min_child_weight);
  made.n_hessians = table.n_hessians;
  made.least_rows = param.min_data_in_leaf;
  for (auto const& unit : table.units) {
    auto const is_free = !free_outputs.empty() && free_outputs[made.outputs.size()] != 0;
    made.outputs.push_back(MakeGainParam(param, unit, monotone && !is_free));
    made.outputs.back().min_child_weight = 0.0;
  }
  return made;
}

double VectorGain(SumRow sums, VectorGainParam const& param, Span<WeightBounds const> bounds) {
  double gain = 0.0;
  for (std::int64_t output = 0; output < param.NumOutputs(); ++output) {
    auto const of_output = bounds.empty() ? WeightBounds{} : bounds[output];
    gain += OutputGain(param.SumOf(sums, output), param.Of(output), of_output);
  }
  return gain;
}

double SumHessians(SumRow sums, VectorGainParam const& param) {
  double sum = 0.0;
  for (std::int64_t output = 0; output < param.NumOutputs(); ++output) {
    sum += HessianOf(param.SumOf(sums, output), param.Of(output));
  }
  return sum;
}

}  // namespace kauri
