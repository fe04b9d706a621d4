/// \file The one place where data meet the registry of their readers.
#include "data/binary_format.h"
#include "data/side_files.h"
#include "data/uri.h"
#include "kauri/data_matrix.h"
#include "kauri/registry.h"

namespace kauri {

std::unique_ptr<DataMatrix> DataMatrix::FromUri(Context const& ctx, std::string const& uri_text) {
  auto uri = ParseDataUri(uri_text);
  if (uri.format.empty() && IsBinary(uri.path)) uri.format = "binary";
  auto const& readers = GetRegistries().readers;
  if (uri.format.empty()) {
    std::string known;
    for (auto const& name : readers.Names()) known += (known.empty() ? "" : ", ") + name;
    Fail(ErrorKind::kParameter, "the format of '", uri.path, "' is not known; write '", uri.path,
         "?format=' and one of: ", known, ".");
  }
  auto matrix = readers.Find(uri.format).make(ctx, uri.path, uri.params);
  if (uri.format != "binary") ReadSideFiles(ctx, uri.path, matrix->MutableInfo());  // it has all in itself
  return matrix;
}

}  // namespace kauri
