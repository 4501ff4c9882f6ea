// SPDX-License-Identifier: Apache-2.0

import Glibc
import Positioning
internal import SystemSupport

/// Connects to the first of a host's addresses that accepts, with one deadline for all attempts.
///
/// libgps connects without a timeout: if a firewall drops the packets, the kernel gives up only
/// after two minutes.
struct GPSDConnector {
  /// The time limit for all attempts together.
  var timeoutNanoseconds: Int64 = 4_000_000_000

  /// Connects and returns the socket, or `nil` if `wake` became readable first.
  ///
  /// - Throws: ``GPSDConnectionError`` if no address accepts the connection.
  func connect(
    to addresses: [SocketAddress], wake: Int32 = -1
  ) throws(GPSDConnectionError) -> Int32? {
    let isLoopback = addresses.allSatisfy(\.isLoopback)
    var race = ConnectionRace(
      count: addresses.count, startsAt: .now(), timeoutNanoseconds: timeoutNanoseconds)
    var attempts: [Int32] = []
    defer { for attempt in attempts { SystemCall.close(attempt) } }
    while true {
      switch race.next(at: .now()) {
      case .start(let index):
        do throws(SystemCallFailure) {
          attempts.append(try addresses[index].beginConnecting())
        } catch {
          race.fail(error.number)
        }
      case .giveUp(let number): throw connectionError(number, isLoopback: isLoopback)
      case .wait(let until):
        guard let ready = try Self.wait(for: attempts, wake: wake, until: until) else {
          return nil
        }
        for attempt in ready {
          attempts.removeAll { $0 == attempt }
          let number = Self.result(of: attempt)
          if number == 0 { return attempt }
          SystemCall.close(attempt)
          race.fail(number)
        }
      }
    }
  }

  private func connectionError(_ number: Int32?, isLoopback: Bool) -> GPSDConnectionError {
    switch number {
    case nil, ETIMEDOUT?:
      .noAnswer(milliseconds: timeoutNanoseconds / 1_000_000, isLoopback: isLoopback)
    case ECONNREFUSED?: .refused(isLoopback: isLoopback)
    case let number?: .network(errorNumber: number)
    }
  }

  /// Waits, and returns the finished attempts, or `nil` if `wake` became readable.
  private static func wait(
    for attempts: [Int32], wake: Int32, until: MonotonicTime
  ) throws(GPSDConnectionError) -> [Int32]? {
    // poll(2) ignores a negative descriptor.
    var descriptors = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
    descriptors += attempts.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    // Rounded up, so that the deadline has passed when poll(2) times out.
    let left = max(0, until.nanoseconds &- MonotonicTime.now().nanoseconds) / 1_000_000 + 1
    do throws(SystemCallFailure) {
      try SystemCall.run("poll") {
        poll(&descriptors, nfds_t(descriptors.count), Int32(clamping: left))
      }
    } catch {
      throw .network(errorNumber: error.number)
    }
    if let first = descriptors.first, first.revents != 0 { return nil }
    return descriptors.dropFirst().filter { $0.revents != 0 }.map(\.fd)
  }

  /// Returns the result of a finished attempt: 0 or an `errno`.
  private static func result(of descriptor: Int32) -> Int32 {
    var number: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else { return errno }
    return number
  }
}
