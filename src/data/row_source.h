/// \file Rows that come batch by batch and can be read repeatedly.
#pragma once

#include <functional>
#include <memory>

#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"

namespace kauri {

struct RowBatch {
  std::unique_ptr<DataView> rows;                   ///< valid until the next call of the source
  std::shared_ptr<void const> keep;                 ///< memory that `rows` reads, unless it has another owner
  MetaInfo info;                                    ///< metadata of the batch
  std::function<void(MetaInfo*)> finish_info = {};  ///< if set, it adds the pending labels to the metadata
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Returns to the position before the first batch.
  virtual void Restart() = 0;
  /// Reads the next batch; returns false at the end. Every pass gives the same batches.
  virtual bool Next(Context const& ctx, RowBatch* batch) = 0;
};

}  // namespace kauri
