// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Receivers

/// `fixcast devices`: lists receivers without opening any.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List receivers and possible receivers without opening them.",
    discussion: """
      Gets the list from udev and from gpsd on this host, without opening a device. A receiver is \
      used automatically. A candidate is an Arduino, or a USB converter to which a receiver may be \
      connected; a candidate is opened only if --source names it. The speed is the default of the \
      model, since the port is not opened.

      Without root, other users' programs that hold a port are not visible; a message then prints \
      the number of hidden processes.

      Exits 69 if nothing can be listed. With --watch, also exits 69 if udev is not running, after \
      listing the present devices.

      Examples:
        fixcast devices
        fixcast devices --watch --json
      """)

  @Flag(name: .long, help: "Keep running and report every change.")
  var watch = false

  @Flag(name: .long, help: "Print one JSON object per line.")
  var json = false

  func run() async throws {
    let printer = DevicePrinter(output: Output(json: json))
    guard !watch else { return try await Self.follow(printer) }
    let events = UDevReceivers().present()
    try? printer.print(events)
    try printer.output.check()
    if case .unavailable(let reason)? = events.last {
      throw CommandFailure.unavailable("\(reason)")
    }
  }

  private enum End {
    case signal
    case outputClosed
    case unavailable(UDevUnavailable)
  }

  /// Prints changes until a signal arrives, the reader of standard output closes the pipe, or udev
  /// becomes unavailable.
  private static func follow(_ printer: DevicePrinter) async throws {
    let stop = StopSignals()
    let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingOldest(1))
    let first = await withTaskGroup(of: End?.self) { group in
      group.addTask {
        await UDevReceivers().run { event in
          if (try? printer.print(event)) == nil { end.yield(.outputClosed) }
          if case .unavailable(let reason) = event { end.yield(.unavailable(reason)) }
        }
        // The stream has ended because of cancellation, or for the reason in `ends`.
        return nil
      }
      group.addTask {
        for await end in ends { return end }
        return nil
      }
      group.addTask { await stop.waitWhileOutputIsOpen() ? .signal : .outputClosed }
      var first = End.signal
      for await end in group {
        guard let end else { continue }
        first = end
        break
      }
      group.cancelAll()
      return first
    }
    switch first {
    case .signal: break
    case .outputClosed:
      try printer.output.check()
      throw Output.failure(EPIPE)
    case .unavailable(let reason):
      throw CommandFailure.unavailable("\(reason)")
    }
  }
}
