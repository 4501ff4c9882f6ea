// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A measured process, with its reported arrivals and its resource usage.
final class MeasuredProcess {
  let name: String
  private let processID: pid_t
  /// The read end of the pipe connected to the process's standard output.
  private let output: Int32
  private var unread: [UInt8] = []
  /// The arrivals, keyed by epoch time in milliseconds.
  private(set) var arrivals: [Int64: Arrival] = [:]

  /// Starts a program; `nil` if it cannot be started.
  ///
  /// Standard output is read if the program reports arrivals, and discarded otherwise. Standard
  /// error is discarded, because gpsd complains about a missing D-Bus.
  init?(
    _ name: String, path: String, _ arguments: [String], environment: [String] = [],
    reportsArrivals: Bool = false
  ) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    if reportsArrivals {
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    var arguments = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var processID = pid_t()
    let number = posix_spawn(&processID, path, &actions, nil, &arguments, &variables)
    close(ends[1])
    guard number == 0 else {
      close(ends[0])
      return nil
    }
    (self.name, self.processID, output) = (name, processID, ends[0])
  }

  /// Reads the arrivals reported so far, without waiting.
  func collect() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(output, &buffer, buffer.count)
      guard count > 0 else { break }
      unread += buffer[..<count]
    }
    guard let end = unread.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in String(decoding: unread[..<end], as: UTF8.self).split(separator: "\n") {
      guard let arrival = Arrival(line: line) else { continue }
      arrivals[arrival.epochMilliseconds] = arrival
    }
    unread.removeSubrange(...end)
  }

  /// The current resource usage; `nil` if the process has exited.
  var usage: ProcessUsage? { ProcessUsage(processID: processID) }

  /// Terminates the process, or kills it after two seconds, and waits for its exit.
  func end() {
    kill(processID, SIGTERM)
    for _ in 0..<200 {
      if waitpid(processID, nil, WNOHANG) == processID {
        close(output)
        return
      }
      usleep(10_000)
    }
    kill(processID, SIGKILL)
    waitpid(processID, nil, 0)
    close(output)
  }
}
