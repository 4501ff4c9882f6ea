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
      Asks udev only, so nothing that is plugged in can tell. A receiver is used by itself. A \
      candidate is a converter that may have a receiver behind it, or an Arduino: it is opened \
      only where --source names it. The speed is the usual one, since the port is not asked.

      Without root, programs of other users that hold a port are not seen; it says so.
      """)

  @Flag(name: .long, help: "Go on, and tell what is plugged in and pulled out.")
  var watch = false

  @Flag(name: .long, help: "Print one JSON object a line.")
  var json = false

  func run() async throws {
    // A reader that goes away is an error of the write, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    let printer = DevicePrinter(json: json)
    if watch {
      try Self.check(await Self.follow(printer))
    } else {
      let events = UDevReceivers().present()
      try Self.check(printer.print(events))
      if case .unavailable(let reason)? = events.last {
        throw CommandFailure.unavailable("\(reason)")
      }
    }
  }

  /// Prints what comes and goes until a signal; the error number of a write that failed.
  private static func follow(_ printer: DevicePrinter) async -> Int32? {
    let stop = StopSignals()
    let (failures, failure) = AsyncStream.makeStream(
      of: Int32.self, bufferingPolicy: .bufferingOldest(1))
    return await withTaskGroup(of: Int32?.self) { group in
      group.addTask {
        await UDevReceivers().run { event in
          if let number = printer.print(event) { failure.yield(number) }
        }
        return nil
      }
      group.addTask {
        for await number in failures { return number }
        return nil
      }
      group.addTask {
        await stop.wait()
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  private static func check(_ errorNumber: Int32?) throws {
    guard let errorNumber else { return }
    throw CommandFailure.inputOutput("standard output: \(Descriptor.text(of: errorNumber))")
  }
}
