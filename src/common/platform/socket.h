/// \file Connections of TCP. No call waits but WaitForSockets, and programs that this process starts inherit no socket.
///
/// A socket is a number; its owner closes it. Errors are numbers of the system, which SocketErrorText explains.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kauri::platform {

using SocketHandle = std::intptr_t;
constexpr SocketHandle kNoSocket = -1;

/// Address and port of one side, in the form of the system.
struct SocketAddress {
  int family = 0;
  std::string bytes;
};

/// A socket that somebody waits for, and for which event. The end of a connection makes it ready in either case.
struct SocketWait {
  SocketHandle socket = kNoSocket;
  bool reads = false;   ///< there is something to read, or a connection to accept
  bool writes = false;  ///< there is room for something to send
  bool is_ready = false;
};

/// Returns the text of an error.
std::string SocketErrorText(int error);

/// Looks a host's name or numeric address up. is_listener: for ListenAtAddress. \returns false on failure, with the
/// reason in *problem.
bool FindAddresses(std::string const& host, int port, bool is_listener, std::vector<SocketAddress>* found,
                   std::string* problem);

/// Returns a socket that listens, and its port, which the system chooses for port 0; kNoSocket with *error set.
SocketHandle ListenAtAddress(SocketAddress const& address, int* port, int* error);

/// Begins to connect. \returns kNoSocket with *error set; otherwise *is_pending tells whether the connection is still
/// being made: it is there, or has failed, when the socket has room to send.
SocketHandle StartConnecting(SocketAddress const& address, bool* is_pending, int* error);
/// Returns the error of a socket whose connection was being made, 0 for none.
int ErrorOfConnecting(SocketHandle socket);
/// Returns the error of a connection that could not be made in time.
int TimeoutError();

/// Accepts a connection. \returns kNoSocket if there is none, or if this process or the system has no room for
/// another socket, which *is_full tells.
SocketHandle AcceptConnection(SocketHandle listener, bool* is_full);

/// Sends some bytes. \returns their number, 0 if there is no room now, and -1 if the connection is lost.
std::ptrdiff_t SendBytes(SocketHandle socket, void const* data, std::size_t n_bytes);
/// Receives some bytes. \returns as SendBytes does; -1 also if the other side has closed the connection.
std::ptrdiff_t ReceiveBytes(SocketHandle socket, void* data, std::size_t n_bytes);

/// Ends both directions; threads that wait for the socket notice.
void ShutDownSocket(SocketHandle socket);
void CloseSocket(SocketHandle socket);

/// Lets a copy of this process that fork() makes lose the connection, so that the other side notices the end of this
/// process, however long the copy lives; until CloseSocket.
void LoseInFork(SocketHandle socket);

/// Returns the numeric address of this side, or of the other side, of a connection; "unknown" on failure.
std::string OwnHostOf(SocketHandle connection);
std::string OtherHostOf(SocketHandle connection);
/// Returns the numeric address of the interface that leads to most other hosts; "127.0.0.1" if there is none.
std::string LikelyHostAddress();

/// Makes two sockets of this process that are connected with each other. \returns 0 or an error.
int ConnectPair(std::array<SocketHandle, 2>* ends);

/// Waits until a socket is ready, at most so many milliseconds. \returns the number of those that are.
int WaitForSockets(std::vector<SocketWait>* waits, int milliseconds);

}  // namespace kauri::platform
