/// \file Rows that come batch by batch and can be asked for again.
#pragma once

#include <functional>
#include <memory>

#include "kauri/data_matrix.h"
#include "kauri/meta_info.h"

namespace kauri {

struct RowBatch {
  std::unique_ptr<DataView> rows;                   ///< may be read until the source is asked for anything else
  std::shared_ptr<void const> keep;                 ///< what `rows` reads, where nobody else owns it
  MetaInfo info;                                    ///< of the batch
  std::function<void(MetaInfo*)> finish_info = {};  ///< where there is one, `info` lacks labels that it waits for
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Goes back to before the first batch.
  virtual void Restart() = 0;
  /// The next batch, or false at the end. The same batches come every time.
  virtual bool Next(Context const& ctx, RowBatch* batch) = 0;
};

}  // namespace kauri
