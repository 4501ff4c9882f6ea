// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Receivers

/// `fixcast devices`: which receivers there are, without opening any.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List receivers and what may be one; opens nothing.",
    discussion: """
      Asks udev, and gpsd by its port on this host, so nothing that is plugged in can tell. A \
      receiver is used by itself. A \
      candidate is a converter that may have a receiver behind it, or an Arduino: it is opened \
      only where --source names it. The speed is the usual one, since the port is not asked.

      Without root, programs of other users that hold a port are not seen; it says so.

      Exits 69 where nothing can be listed, and with --watch where udev does not run: what is \
      there is listed all the same.
      """)

  @Flag(name: .long, help: "Go on, and tell what is plugged in and pulled out.")
  var watch = false

  @Flag(name: .long, help: "Print one JSON object a line.")
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
    case asked
    case unread
    case unavailable(UDevUnavailable)
  }

  /// Prints what comes and goes until a signal, the end of its reader, or the end of all news.
  private static func follow(_ printer: DevicePrinter) async throws {
    let stop = StopSignals()
    let (ends, end) = AsyncStream.makeStream(of: End.self, bufferingPolicy: .bufferingOldest(1))
    let first = await withTaskGroup(of: End?.self) { group in
      group.addTask {
        await UDevReceivers().run { event in
          if (try? printer.print(event)) == nil { end.yield(.unread) }
          if case .unavailable(let reason) = event { end.yield(.unavailable(reason)) }
        }
        // Ended before it was cancelled, it has said why.
        return nil
      }
      group.addTask {
        for await end in ends { return end }
        return nil
      }
      group.addTask { await stop.waitWhileRead() ? .asked : .unread }
      var first = End.asked
      for await end in group {
        guard let end else { continue }
        first = end
        break
      }
      group.cancelAll()
      return first
    }
    switch first {
    case .asked: break
    case .unread:
      try printer.output.check()
      throw Output.failure(EPIPE)
    case .unavailable(let reason):
      throw CommandFailure.unavailable("\(reason)")
    }
  }
}
