// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

@testable import PathMonitorClientLive

/// A network namespace of a test's own.
final class NetworkNamespace: Sendable {
  let name: String

  static let isPermitted: Bool = {
    let name = "fixcast-probe-\(getpid())"
    defer { _ = run("ip", "netns", "del", name) }
    return run("ip", "netns", "add", name) == 0 && run("ip", "netns", "exec", name, "true") == 0
  }()

  init() {
    name = "fixcast-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    _ = Self.run("ip", "netns", "add", name)
  }

  deinit { _ = Self.run("ip", "netns", "del", name) }

  /// Runs `ip` inside.
  @discardableResult
  func ip(_ line: String) -> Int32 {
    let words = line.split(separator: " ").map(String.init)
    return Self.run(["ip", "-n", name] + words)
  }

  /// Opens a netlink socket inside: on a thread that goes there for it, since a socket stays in
  /// the namespace in which it was made.
  func openSocket(isListening: Bool) throws(NetlinkError) -> any NetlinkSocket {
    final class Slot: @unchecked Sendable {
      // Written by the thread, read after it has been waited for.
      var result: Result<KernelNetlinkSocket, NetlinkError>?
    }
    let slot = Slot()
    let done = DispatchSemaphore(value: 0)
    let path = "/run/netns/\(name)"
    Thread.detachNewThread {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      defer {
        close(descriptor)
        done.signal()
      }
      guard descriptor >= 0, Self.enter(descriptor) == 0 else {
        slot.result = .failure(NetlinkError(call: "setns", number: errno))
        return
      }
      slot.result = Result { () throws(NetlinkError) in
        try KernelNetlinkSocket(isListening: isListening)
      }
    }
    done.wait()
    guard let result = slot.result else { throw NetlinkError(call: "thread", number: EAGAIN) }
    return try result.get()
  }

  /// `setns(2)` for a network namespace, which the Glibc module does not carry.
  private static func enter(_ descriptor: Int32) -> Int32 {
    typealias Setns = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "setns") else { return -1 }
    let newNetwork: Int32 = 0x4000_0000
    return unsafeBitCast(symbol, to: Setns.self)(descriptor, newNetwork)
  }

  private static func run(_ words: String...) -> Int32 { run(words) }

  private static func run(_ words: [String]) -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch { return -1 }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
