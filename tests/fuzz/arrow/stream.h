/// \file Streams of the Arrow C stream interface that end, fail or lack functions.
#pragma once

#include "arrow/structs.h"

namespace kauri::fuzz {

/// Streams the batches of a factory. Must outlive the stream.
class ArrowSource {
 public:
  explicit ArrowSource(Bytes* bytes);
  ArrowArrayStream Stream();
  void RequireReleased() const;

 private:
  static ArrowSource& Of(ArrowArrayStream* stream) { return *static_cast<ArrowSource*>(stream->private_data); }
  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out);
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out);
  static char const* GetLastError(ArrowArrayStream* stream);
  static void Release(ArrowArrayStream* stream);

  ArrowFactory factory_;
  unsigned n_batches_;
  unsigned faults_;
  int n_releases_ = 0;
};

}  // namespace kauri::fuzz
