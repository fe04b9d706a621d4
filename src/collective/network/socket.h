/// \file TCP sockets that never block. Every wait has a deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/platform/socket.h"

namespace kauri {

using SteadyClock = std::chrono::steady_clock;
using Deadline = SteadyClock::time_point;

/// Returns the end of a wait of this many seconds.
inline Deadline SecondsFromNow(double seconds) {
  return SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(seconds));
}

/// An open socket, closed by its owner's destructor.
class Socket {
 public:
  Socket() = default;
  /// descriptor: an open one, or kNoSocket. A copy of this process that fork() makes loses the connection, so that the
  /// other side notices the end of this process, however long the copy lives.
  explicit Socket(platform::SocketHandle descriptor);
  ~Socket() { Close(); }
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, platform::kNoSocket)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Socket(Socket const&) = delete;
  Socket& operator=(Socket const&) = delete;

  platform::SocketHandle Descriptor() const { return descriptor_; }
  bool IsOpen() const { return descriptor_ >= 0; }
  void Close();
  /// Ends both directions, so that waiting threads and the other side notice. Callable from any thread.
  void ShutDown() const;

  /// Sends some of the bytes. Returns their number, 0 if the socket would block, and -1 if the connection is lost.
  std::ptrdiff_t Send(void const* data, std::size_t n_bytes) const;
  /// Receives some bytes. Returns as Send does; -1 also if the other side has closed the connection.
  std::ptrdiff_t Receive(void* data, std::size_t n_bytes) const;
  /// Accepts a connection. The result is not open if there is none, or if this process or the system has no room for
  /// another descriptor, which *is_full says.
  Socket Accept(bool* is_full) const;

 private:
  platform::SocketHandle descriptor_ = platform::kNoSocket;
};

/// A host's name or numeric address, and a port.
struct Address {
  std::string host;
  int port = 0;
};

/// "host:port" for messages.
std::string TextOf(Address const& address);

/// Returns a socket that listens at the address. Port 0: the system chooses one, and *address has it afterwards.
/// \throws Error(kIo) naming the address.
Socket ListenAt(Address* address);

/// Returns a connection to the address. check(): called several times a second while it waits; it may throw.
/// \throws Error(kCollective) naming the address, if there is no connection by the deadline or it is refused.
Socket ConnectTo(Address const& address, Deadline deadline, std::function<void()> const& check);

/// Returns the numeric address of this side, or of the other side, of a connection.
std::string OwnHost(Socket const& connection);
std::string OtherHost(Socket const& connection);

/// Returns the numeric address by which other hosts most likely reach this one.
std::string LikelyHost();

/// Returns two connected sockets of this process, by which one thread wakes another. \throws Error(kIo).
std::pair<Socket, Socket> ConnectedPair();

/// Waits until one of the sockets is ready. Returns false at the deadline.
bool WaitForAny(std::vector<platform::SocketWait>* sockets, Deadline deadline);

}  // namespace kauri
