#include "engine/training_data.h"

#include "kauri/error.h"

namespace kauri {

void CheckGradientCount(std::int64_t n_pairs, std::int64_t n_rows, std::int64_t n_outputs) {
  if (n_pairs == n_rows * n_outputs) return;
  Fail(
      ErrorKind::kData, "got ", n_pairs, " gradient pairs for ", n_rows, " rows and ", n_outputs, " outputs; expected ",
      n_rows * n_outputs,
      ", row by row. The number of columns in gradient should be equal to the number of targets/classes in the model.");
}

}  // namespace kauri
