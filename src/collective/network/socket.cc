#include "collective/network/socket.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/text/quoted.h"
#include "kauri/error.h"

namespace kauri {
namespace {

/// Looks an address up. \throws Error(kind).
std::vector<platform::SocketAddress> Find(Address const& address, bool is_listener, ErrorKind kind) {
  std::vector<platform::SocketAddress> found;
  std::string problem;
  if (!platform::FindAddresses(address.host, address.port, is_listener, &found, &problem)) {
    Fail(kind, "the host ", Quoted(address.host), " is unknown (", problem,
         "); give the address of a network interface.");
  }
  return found;
}

/// Waits for a connection that is being made. Returns the system's error number, 0 for none.
int FinishConnecting(Socket const& socket, Deadline deadline, std::function<void()> const& check) {
  constexpr double kSlice = 0.2;
  while (SteadyClock::now() < deadline) {
    std::vector<platform::SocketWait> waits{{socket.Descriptor(), false, true}};
    auto const is_ready = WaitForAny(&waits, std::min(deadline, SecondsFromNow(kSlice)));
    // Versions of Windows before 2004 do not wake who waits for a connection that is refused.
    auto const error = platform::ErrorOfConnecting(socket.Descriptor());
    if (is_ready || error != 0) return error;
    check();
  }
  return platform::TimeoutError();
}

}  // namespace

Socket::Socket(platform::SocketHandle descriptor) : descriptor_(descriptor) {
  if (IsOpen()) platform::LoseInFork(descriptor);
}

void Socket::Close() {
  if (IsOpen()) platform::CloseSocket(std::exchange(descriptor_, platform::kNoSocket));
}

void Socket::ShutDown() const { platform::ShutDownSocket(descriptor_); }

std::ptrdiff_t Socket::Send(void const* data, std::size_t n_bytes) const {
  return platform::SendBytes(descriptor_, data, n_bytes);
}

std::ptrdiff_t Socket::Receive(void* data, std::size_t n_bytes) const {
  return platform::ReceiveBytes(descriptor_, data, n_bytes);
}

Socket Socket::Accept(bool* is_full) const { return Socket(platform::AcceptConnection(descriptor_, is_full)); }

std::string TextOf(Address const& address) { return address.host + ":" + std::to_string(address.port); }

Socket ListenAt(Address* address) {
  auto error = 0;
  for (auto const& each : Find(*address, true, ErrorKind::kIo)) {
    Socket listener(platform::ListenAtAddress(each, &address->port, &error));
    if (listener.IsOpen()) return listener;
  }
  Fail(ErrorKind::kIo, "Failed to bind socket: ", TextOf(*address), " cannot be listened at (",
       platform::SocketErrorText(error), "); give an address of this host and a free port, or port 0.");
}

Socket ConnectTo(Address const& address, Deadline deadline, std::function<void()> const& check) {
  auto error = 0;
  for (auto const& each : Find(address, false, ErrorKind::kCollective)) {
    auto is_pending = false;
    Socket connection(platform::StartConnecting(each, &is_pending, &error));
    if (!connection.IsOpen()) continue;
    error = is_pending ? FinishConnecting(connection, deadline, check) : 0;
    if (error == 0) return connection;
  }
  Fail(ErrorKind::kCollective, "there is no connection to ", TextOf(address), " (", platform::SocketErrorText(error),
       ")");
}

std::string OwnHost(Socket const& connection) { return platform::OwnHostOf(connection.Descriptor()); }

std::string OtherHost(Socket const& connection) { return platform::OtherHostOf(connection.Descriptor()); }

std::string LikelyHost() { return platform::LikelyHostAddress(); }

std::pair<Socket, Socket> ConnectedPair() {
  std::array<platform::SocketHandle, 2> ends{};
  if (auto const error = platform::ConnectPair(&ends)) {
    Fail(ErrorKind::kIo, "the system gives no more sockets (", platform::SocketErrorText(error),
         "); close files, or raise the limit of open files.");
  }
  return {Socket(ends[0]), Socket(ends[1])};
}

bool WaitForAny(std::vector<platform::SocketWait>* sockets, Deadline deadline) {
  constexpr std::int64_t kLongest = 60000;
  for (;;) {
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now()).count() + 1;
    auto const ms = static_cast<int>(std::clamp<std::int64_t>(left, 0, kLongest));
    if (platform::WaitForSockets(sockets, ms) > 0) return true;
    if (SteadyClock::now() >= deadline) return false;
  }
}

}  // namespace kauri
