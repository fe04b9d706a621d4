/// \file Reads files of any format. The only place where data code uses the registry of readers.
#include "data_from_uri.h"

#include <utility>

#include "common/text/log.h"
#include "common/text/quoted.h"
#include "data/file/binary_format.h"
#include "data/text/side_files.h"
#include "data/text/text_reader.h"
#include "data/text/text_source.h"
#include "data/text/uri.h"
#include "data/text/whole_text.h"
#include "kauri/data_matrix.h"
#include "kauri/registry.h"

namespace kauri {
namespace {

/// Returns the format recognised from the first lines of a file, and logs it; empty if none is recognised. Standard
/// input is not inspected, because it can be read only once.
std::string RecognisedFormat(DataUri const& uri) {
  if (IsStandardInput(uri.path)) return {};
  auto format = RecogniseFormat(TextFile(uri.path));
  if (!format.empty()) {
    Log(LogLevel::kWarning, Quoted(uri.path), " is read as ", format, ", by its first lines; ",
        Quoted(uri.path + "?format=" + format), " says so without a guess.");
  }
  return format;
}

/// Returns the format named in a uri, or recognised from its file. \throws Error(kParameter) if there is neither.
std::string FormatOf(DataUri const& uri) {
  if (!uri.format.empty()) return uri.format;
  if (!IsStandardInput(uri.path) && IsBinary(uri.path)) return "binary";
  if (auto format = RecognisedFormat(uri); !format.empty()) return format;
  std::string known;
  for (auto const& name : GetRegistries().readers.Names()) known += (known.empty() ? "" : ", ") + name;
  Fail(ErrorKind::kParameter, "the format of ", Quoted(uri.path), " is not known; write ",
       Quoted(uri.path + "?format="), " and one of: ", known, ".");
}

std::unique_ptr<DataMatrix> ReadToFile(Context const& ctx, std::string const& format, DataUri const& uri,
                                       BinStoreOptions options) {
  auto const source = MakeTextSource(ctx, format, uri.path, uri.params);
  options.in_file = true;
  options.file_prefix = uri.cache;
  auto matrix = MakeBinnedMatrix(ctx, source.get(), options);
  matrix->MutableInfo()->group_ptr = source->GroupPtr();
  return matrix;
}

std::unique_ptr<DataMatrix> ReadInMemory(Context const& ctx, std::string const& format, DataUri const& uri,
                                         TextNames* names) {
  if (format == "csv") return ReadNamedCsv(ctx, uri.path, uri.params, names);
  return GetRegistries().readers.Find(format).make(ctx, uri.path, uri.params);
}

}  // namespace

std::unique_ptr<DataMatrix> ReadUri(Context const& ctx, std::string const& uri_text, BinStoreOptions options,
                                    TextNames* names) {
  auto const uri = ParseDataUri(uri_text);
  auto const format = FormatOf(uri);
  auto matrix =
      uri.cache.empty() ? ReadInMemory(ctx, format, uri, names) : ReadToFile(ctx, format, uri, std::move(options));
  if (format == "binary" || IsStandardInput(uri.path)) return matrix;  // has everything in itself
  auto* const info = matrix->MutableInfo();
  auto const has_types = !uri.cache.empty();  // the bins already depend on them
  if (!has_types) info->feature_types = ReadFeatureTypes(uri.path, info->n_cols, info->feature_types);
  ReadSideFiles(ctx, uri.path, info);
  return matrix;
}

}  // namespace kauri
