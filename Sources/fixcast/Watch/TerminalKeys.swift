// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import SystemSupport

/// Reads typed characters from a terminal on a thread, until the task is cancelled.
struct TerminalKeys: Sendable {
  /// The delay in milliseconds after which a background program checks its terminal again.
  private static let backgroundMilliseconds: Int32 = 250

  private let terminal: Terminal
  private let descriptor: Int32

  /// Reads a descriptor; `nil` unless the descriptor is the terminal itself.
  init?(descriptor: Int32, of terminal: Terminal) {
    guard terminal.isSameTerminal(as: descriptor) else { return nil }
    self.terminal = terminal
    self.descriptor = descriptor
  }

  /// Delivers the bytes of each read; returns when the terminal hangs up or the task is cancelled.
  func run(delivering deliver: @escaping @Sendable ([UInt8]) -> Void) async {
    guard let wake = try? WakeUp() else { return }
    await withTaskCancellationHandler {
      await BlockingThread.value { read(until: wake, deliver) }
    } onCancel: {
      wake.signal()
    }
  }

  private func read(until wake: WakeUp, _ deliver: ([UInt8]) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 64)
    while true {
      // Typed characters belong to the program in the foreground.
      let isInBackground = terminal.isInBackground
      var descriptors = [
        pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isInBackground ? -1 : descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = isInBackground ? Self.backgroundMilliseconds : -1
      guard poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 || errno == EINTR,
        descriptors[0].revents == 0
      else { return }
      guard descriptors[1].revents != 0, !terminal.isInBackground else { continue }
      let count = buffer.withUnsafeMutableBytes { Descriptor.readSome(into: $0, from: descriptor) }
      if let count, count > 0 {
        deliver(Array(buffer.prefix(count)))
      } else if !terminal.isInBackground {
        return
      }
    }
  }
}
