#include "c_api/guard.h"

#include <dmlc/logging.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "common/quoted.h"

namespace kauri::c_api {
namespace {

struct LastError {
  std::string message;
  int kind = KAURI_ERROR_NONE;
};

LastError& OfThisThread() {
  thread_local LastError error;
  return error;
}

int KindNumber(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kParameter:
      return KAURI_ERROR_PARAMETER;
    case ErrorKind::kData:
      return KAURI_ERROR_DATA;
    case ErrorKind::kModel:
      return KAURI_ERROR_MODEL;
    case ErrorKind::kIo:
      return KAURI_ERROR_IO;
    case ErrorKind::kDevice:
      return KAURI_ERROR_DEVICE;
    case ErrorKind::kMemory:
      return KAURI_ERROR_MEMORY;
    case ErrorKind::kCollective:
      return KAURI_ERROR_COLLECTIVE;
    case ErrorKind::kInternal:
      break;
  }
  return KAURI_ERROR_INTERNAL;
}

void Keep(int kind, char const* message) {
  auto& error = OfThisThread();
  error.kind = kind;
  error.message = Presentable(message);
}

}  // namespace

void KeepCurrentException() noexcept {
  try {
    try {
      throw;
    } catch (Error const& error) {
      Keep(KindNumber(error.Kind()), error.what());
    } catch (std::bad_alloc const&) {
      Keep(KAURI_ERROR_MEMORY, "not enough memory; use less data, fewer threads or smaller trees.");
    } catch (std::length_error const&) {
      Keep(KAURI_ERROR_MEMORY, "an array would be longer than memory can be; check the shapes that were passed.");
    } catch (std::exception const& error) {
      Keep(KAURI_ERROR_INTERNAL, error.what());
    } catch (...) {
      Keep(KAURI_ERROR_INTERNAL, "an unknown exception");
    }
  } catch (...) {  // no memory for the message itself
    OfThisThread().kind = KAURI_ERROR_MEMORY;
    OfThisThread().message.clear();
  }
}

}  // namespace kauri::c_api

char const* XGBGetLastError(void) { return kauri::c_api::OfThisThread().message.c_str(); }

int XGBGetLastErrorCode(void) { return -1; }

int KauriGetLastErrorKind(void) { return kauri::c_api::OfThisThread().kind; }
