#include "arrow/stream.h"

#include "support/require.h"

namespace kauri::fuzz {

ArrowSource::ArrowSource(Bytes* bytes) : factory_(bytes), n_batches_(bytes->Below(4)), faults_(bytes->Next()) {}

ArrowArrayStream ArrowSource::Stream() {
  ArrowArrayStream stream{};
  stream.get_schema = faults_ == 255 ? nullptr : GetSchema;
  stream.get_next = faults_ == 254 ? nullptr : GetNext;
  stream.get_last_error = faults_ % 16 == 13 ? nullptr : GetLastError;
  stream.release = faults_ == 252 ? nullptr : Release;
  stream.private_data = this;
  return stream;
}

int ArrowSource::GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  auto& source = Of(stream);
  if (source.faults_ % 16 == 12) return 5;
  *out = source.factory_.MakeSchema();
  return 0;
}

int ArrowSource::GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto& source = Of(stream);
  *out = {};
  if (source.n_batches_ == 0) return source.faults_ % 16 == 11 || source.faults_ % 16 == 13 ? 5 : 0;
  --source.n_batches_;
  *out = source.factory_.MakeBatch();
  return 0;
}

char const* ArrowSource::GetLastError(ArrowArrayStream* stream) {
  return Of(stream).faults_ % 2 == 0 ? nullptr : "no more";
}

void ArrowSource::Release(ArrowArrayStream* stream) {
  ++Of(stream).n_releases_;
  stream->release = nullptr;
}

void ArrowSource::RequireReleased() const {
  Require(n_releases_ == (faults_ == 252 ? 0 : 1), "a stream is released once");
  factory_.RequireReleased();
}

}  // namespace kauri::fuzz
