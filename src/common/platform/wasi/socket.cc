/// \file WebAssembly modules have no connections: every request for one fails.
#include "common/platform/socket.h"

#include <cerrno>
#include <system_error>

namespace kauri::platform {

std::string SocketErrorText(int error) { return std::generic_category().message(error); }

bool FindAddresses(std::string const& /*host*/, int /*port*/, bool /*is_listener*/,
                   std::vector<SocketAddress>* /*found*/, std::string* problem) {
  *problem = "WebAssembly modules have no connections";
  return false;
}

SocketHandle ListenAtAddress(SocketAddress const& /*address*/, int* /*port*/, int* error) {
  *error = ENOTSUP;
  return kNoSocket;
}

SocketHandle StartConnecting(SocketAddress const& /*address*/, bool* is_pending, int* error) {
  *is_pending = false;
  *error = ENOTSUP;
  return kNoSocket;
}

int ErrorOfConnecting(SocketHandle /*socket*/) { return ENOTSUP; }

int TimeoutError() { return ETIMEDOUT; }

SocketHandle AcceptConnection(SocketHandle /*listener*/, bool* is_full) {
  *is_full = false;
  return kNoSocket;
}

std::ptrdiff_t SendBytes(SocketHandle /*socket*/, void const* /*data*/, std::size_t /*n_bytes*/) { return -1; }

std::ptrdiff_t ReceiveBytes(SocketHandle /*socket*/, void* /*data*/, std::size_t /*n_bytes*/) { return -1; }

void ShutDownSocket(SocketHandle /*socket*/) {}

void CloseSocket(SocketHandle /*socket*/) {}

void LoseInFork(SocketHandle /*socket*/) {}

std::string OwnHostOf(SocketHandle /*connection*/) { return "unknown"; }

std::string OtherHostOf(SocketHandle /*connection*/) { return "unknown"; }

std::string LikelyHostAddress() { return "127.0.0.1"; }

int ConnectPair(std::array<SocketHandle, 2>* /*ends*/) { return ENOTSUP; }

int WaitForSockets(std::vector<SocketWait>* waits, int /*milliseconds*/) {
  for (auto& each : *waits) each.is_ready = false;
  return 0;
}

}  // namespace kauri::platform
