#include "c_api/guard.h"

#include <dmlc/logging.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/text/quoted.h"
#include "common/threads/per_thread.h"

namespace kauri::c_api {
namespace {

struct LastError {
  std::string message;
  int kind = KAURI_ERROR_NONE;
};

PerThread<LastError> g_errors;
/// True if there was not enough memory to store the thread's last error itself.
KAURI_STATIC_THREAD_LOCAL bool t_lacked_memory = false;
constexpr char const* kNoMemory = "not enough memory; use less data, fewer threads or smaller trees.";

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
  auto text = Presentable(message);
  auto& error = g_errors.OfThisThread();
  error.kind = kind;
  error.message = std::move(text);
  t_lacked_memory = false;
}

}  // namespace

void KeepCurrentException() noexcept {
  try {
    try {
      throw;
    } catch (Error const& error) {
      Keep(KindNumber(error.Kind()), error.what());
    } catch (std::bad_alloc const&) {
      Keep(KAURI_ERROR_MEMORY, kNoMemory);
    } catch (std::length_error const&) {
      Keep(KAURI_ERROR_MEMORY, "an array would be longer than memory can be; check the shapes that were passed.");
    } catch (std::exception const& error) {
      Keep(KAURI_ERROR_INTERNAL, error.what());
    } catch (...) {
      Keep(KAURI_ERROR_INTERNAL, "an unknown exception");
    }
  } catch (...) {  // no memory for the message itself
    t_lacked_memory = true;
  }
}

}  // namespace kauri::c_api

using namespace kauri::c_api;  // this file defines functions of the global namespace

int XGBGetLastErrorCode(void) { return -1; }

char const* XGBGetLastError(void) {
  if (t_lacked_memory) return kNoMemory;
  auto const* const error = g_errors.Find();
  return error == nullptr ? "" : error->message.c_str();
}

int KauriGetLastErrorKind(void) {
  if (t_lacked_memory) return KAURI_ERROR_MEMORY;
  auto const* const error = g_errors.Find();
  return error == nullptr ? KAURI_ERROR_NONE : error->kind;
}
