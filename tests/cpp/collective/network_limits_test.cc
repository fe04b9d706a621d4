/// Groups over sockets at their limits: many ranks, long names, strangers, full tables of descriptors, and forks.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collective/network/channel.h"
#include "collective/network/door.h"
#include "collective/network/socket_group.h"
#include "collective/network/tracker.h"
#include "collective/network_group.h"
#include "common/text/json_text.h"
#include "common/text/log.h"
#include "kauri/error.h"
#include "support/need.h"
#include "support/posix.h"
#if KAURI_TEST_POSIX
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif

namespace kauri {
namespace {

Socket Connected(Address const& address) {
  return ConnectTo(address, SecondsFromNow(kTimeout), [] {});
}

/// Waits for a connection.
Socket Accepted(Socket const& listener) {
  auto is_full = false;
  std::vector<platform::SocketWait> waits{{listener.Descriptor(), true}};
  EXPECT_TRUE(WaitForAny(&waits, SecondsFromNow(kTimeout)));
  return listener.Accept(&is_full);
}

#if KAURI_TEST_POSIX
/// A rank that computes for long reads nothing meanwhile, which must not end its connection.
TEST(NetworkLimits, UnreadBytesHaveNoDeadline) {
  Address address{"127.0.0.1", 0};
  auto const listener = ListenAt(&address);
  auto const client = Connected(address);
  auto const server = Accepted(listener);
  for (auto const* each : {&client, &server}) {
    auto const socket = static_cast<int>(each->Descriptor());
    int milliseconds = -1;
    socklen_t size = sizeof(milliseconds);
    ASSERT_EQ(getsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, &size), 0);
    EXPECT_EQ(milliseconds, 0);
    EXPECT_NE(fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  }
}

#endif

/// Rank 0 of 100 gets 99 connections before any of them proves the secret.
TEST(NetworkLimits, AWorkerHasRoomForAllHigherRanksAtOnce) {
  KAURI_SKIP_UNLESS(KAURI_TEST_POSIX,
                    "wine may take longer for 99 connections than the ten seconds that each may wait");
  constexpr int kRanks = 100;
  auto const tracker = StartTracker(kRanks);
  std::string error;
  std::thread lowest([&] {
    try {
      SocketGroup(OptionsFor(*tracker, "a")).Leave();
    } catch (Error const& failure) {
      error = failure.what();
    }
  });
  std::vector<Channel> members;
  std::vector<std::optional<std::string>> answers;
  for (int i = 1; i < kRanks; ++i) {
    members.emplace_back(Connected(tracker->Where()), Side::kClient, tracker->Secret());
    members.back().Queue(R"({"task": "b", "host": "h", "port": 1})");
    answers.emplace_back();
    while (members.back().HasQueued()) answers.back() = members.back().Receive(SecondsFromNow(0.01));
  }
  std::vector<int> ports;
  std::vector<std::string> hellos;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto const answer = answers[i] ? answers[i] : members[i].Receive(SecondsFromNow(kTimeout));
    auto const document = ParseJsonText(answer.value_or("{}"), ErrorKind::kCollective);
    auto const& message = document.Root();
    ports.push_back(message.at("peers").at(0).at(1).get<int>());
    hellos.push_back(JsonObject({{"rank", std::to_string(message.at("rank").get<int>())},
                                 {"group", JsonQuoted(message.at("group").get<std::string>())}}));
  }
  // Soon one after the other: the rank gives each ten seconds to prove the secret.
  std::vector<Channel> links;
  for (auto const port : ports) {
    links.emplace_back(Connected({"127.0.0.1", port}), Side::kClient, tracker->Secret());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  for (std::size_t i = 0; i < links.size(); ++i) links[i].Queue(hellos[i]);
  for (auto& link : links) EXPECT_EQ(link.Receive(SecondsFromNow(kTimeout)).value_or("lost"), "{}");
  lowest.join();
  EXPECT_EQ(error, "");
}

/// The addresses of a few hundred workers, a client's first message, are longer than what a server takes first.
TEST(NetworkLimits, OnlyTheFirstMessageToAServerMustBeShort) {
  auto ends = ConnectedPair();
  Channel server(std::move(ends.first), Side::kServer, "secret");
  Channel client(std::move(ends.second), Side::kClient, "secret");
  std::string const text(20000, 'x');
  client.Queue("hello");
  server.Flush();
  client.Receive(SecondsFromNow(0.01));
  EXPECT_EQ(server.Receive(SecondsFromNow(kTimeout)).value_or("lost"), "hello");
  EXPECT_TRUE(server.Send(text, SecondsFromNow(kTimeout)));
  EXPECT_EQ(client.Receive(SecondsFromNow(kTimeout)).value_or("lost"), text);
  ends = ConnectedPair();
  Channel other_server(std::move(ends.first), Side::kServer, "secret");
  Channel other_client(std::move(ends.second), Side::kClient, "secret");
  other_client.Queue(text);
  other_server.Flush();
  other_client.Receive(SecondsFromNow(0.01));
  EXPECT_THROW(
      for (int i = 0; i < 100; ++i) {
        other_server.Receive(SecondsFromNow(0.01));
        other_client.Receive(SecondsFromNow(0.01));
      },
      Error);
}

#if KAURI_TEST_POSIX
/// Connects from another address of this host.
Socket ConnectedFrom(char const* host, Address const& address) {
  auto const number = socket(AF_INET, SOCK_STREAM, 0);
  Socket connection(number);
  sockaddr_in from{};
  from.sin_family = AF_INET;
  inet_pton(AF_INET, host, &from.sin_addr);
  auto to = from;
  inet_pton(AF_INET, address.host.c_str(), &to.sin_addr);
  to.sin_port = htons(static_cast<std::uint16_t>(address.port));
  EXPECT_EQ(bind(number, reinterpret_cast<sockaddr*>(&from), sizeof(from)), 0);
  EXPECT_EQ(connect(number, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  fcntl(number, F_SETFL, O_NONBLOCK);
  return connection;
}

/// Sends a message through a door. Returns whether it came in.
bool ComesIn(Door* door, Socket connection, std::string const& secret) {
  Channel channel(std::move(connection), Side::kClient, secret);
  channel.Queue("hello");
  for (int i = 0; i < 100; ++i) {
    channel.Receive(SecondsFromNow(0.01));
    for (auto const& guest : door->Admit()) {
      if (guest.message == "hello") return true;
    }
  }
  return false;
}

TEST(NetworkLimits, StrangersOfOneHostKeepNoOtherHostOut) {
  Address address{"127.0.0.1", 0};
  constexpr std::size_t kRoom = 8;
  Door door(ListenAt(&address), "secret", kRoom);
  auto worker = ConnectedFrom("127.0.0.2", address);
  door.Admit();
  std::vector<Socket> strangers;
  for (int i = 0; i < 40; ++i) strangers.push_back(Connected(address));
  for (int i = 0; i < 10; ++i) door.Admit();
  std::vector<platform::SocketWait> waits;
  door.AddTo(&waits);
  EXPECT_EQ(waits.size(), kRoom + 1);
  EXPECT_TRUE(ComesIn(&door, std::move(worker), "secret"));
}

std::vector<std::string> g_lines;

TEST(NetworkLimits, ADoorRestsWhileThereAreNoDescriptors) {
  Address address{"127.0.0.1", 0};
  Door door(ListenAt(&address), "secret", 8);
  auto client = Connected(address);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  auto const next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  SetLogCallback([](char const* line) { g_lines.emplace_back(line); });
  rlimit const none_left{static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none_left), 0);
  std::vector<platform::SocketWait> waits;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(door.Admit().empty());
    door.AddTo(&waits);
  }
  setrlimit(RLIMIT_NOFILE, &before);
  SetLogCallback(nullptr);
  EXPECT_TRUE(waits.empty());
  ASSERT_EQ(g_lines.size(), 1U);
  EXPECT_TRUE(Contains(g_lines[0], "the limit of open files")) << g_lines[0];
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  door.AddTo(&waits);
  EXPECT_EQ(waits.size(), 1U);
  EXPECT_TRUE(ComesIn(&door, std::move(client), "secret"));
}

#endif

TEST(NetworkLimits, AConnectionLostBeforeTheRankIsTriedAgain) {
  Address address{"127.0.0.1", 0};
  auto const listener = ListenAt(&address);
  JoinOptions options;
  options.tracker = address;
  options.secret = "secret";
  options.timeout = kTimeout;
  options.retries = 1;
  std::string error;
  std::thread worker([&] {
    try {
      SocketGroup const group(options);
      EXPECT_EQ(group.Size(), 1);
    } catch (Error const& failure) {
      error = failure.what();
    }
  });
  Accepted(listener).Close();
  Channel tracker(Accepted(listener), Side::kServer, "secret");
  EXPECT_TRUE(tracker.Receive(SecondsFromNow(kTimeout)));
  EXPECT_TRUE(
      tracker.Send(R"({"rank": 0, "group": "g", "peers": [["127.0.0.1", 1, "rank 0"]]})", SecondsFromNow(kTimeout)));
  worker.join();
  EXPECT_EQ(error, "");
}

TEST(NetworkLimits, LongLinesAreRefusedBeforeTheyAreSent) {
  auto const errors = RunGroup(2, [](SocketGroup* group) {
    try {
      group->Print(std::string((1 << 20) + 1, 'x'));
      ADD_FAILURE();
    } catch (Error const& error) {
      EXPECT_EQ(error.Kind(), ErrorKind::kParameter);
      EXPECT_TRUE(Contains(error.what(), "1048577 bytes is too long")) << error.what();
    }
    std::vector<std::int64_t> values{1};
    group->Sum(values);
    EXPECT_EQ(values[0], 2);
  });
  IsQuiet(errors);
}

#if KAURI_TEST_POSIX
/// Joins as rank 1, leaves a copy of this process behind that lives until the pipe closes, and ends without goodbye.
[[noreturn]] void ForkAndEnd(JoinOptions const& options, int pipe_end) {
  SocketGroup const group(options);
  if (fork() == 0) {
    char byte = 0;
    while (read(pipe_end, &byte, 1) > 0) {
    }
    _exit(0);
  }
  _exit(7);
}

TEST(NetworkLimits, TheEndOfAWorkerIsNoticedThoughItsForkLives) {
  auto const tracker = StartTracker(2);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  auto const worker = fork();
  if (worker == 0) {
    close(ends[1]);
    ForkAndEnd(OptionsFor(*tracker, "b"), ends[0]);
  }
  auto const begin = SteadyClock::now();
  std::string error;
  try {
    SocketGroup group(OptionsFor(*tracker, "a"));
    std::vector<std::int64_t> values{1};
    group.Sum(values);
  } catch (Error const& failure) {
    error = failure.what();
  }
  EXPECT_TRUE(Contains(error, "rank 1")) << error;
  EXPECT_LT(SteadyClock::now() - begin, std::chrono::seconds(10));
  int status = 0;
  waitpid(worker, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  for (auto const end : ends) close(end);
}
#endif

}  // namespace
}  // namespace kauri
