// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Turns signals that end a program into an orderly end.
struct StopSignals: Sendable {
  private let signals: AsyncStream<Void>
  // Set once, and only held so that they live: nothing is ever called on them again.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  /// Takes signals from the moment that this returns; those that came before end the program.
  init(_ numbers: [Int32] = [SIGINT, SIGTERM]) {
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      // Dispatch puts its handler in place on a thread of its own. To ignore the signal until then
      // would lose one that comes meanwhile, and the program would never end.
      let registered = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { registered.signal() }
      source.resume()
      registered.wait()
      return source
    }
  }

  /// Waits for the first signal.
  func wait() async {
    for await _ in signals { break }
    withExtendedLifetime(sources) {}
  }

  /// Waits for the first signal or the end of standard output's reader.
  ///
  /// - Returns: Whether there is a reader still.
  func waitWhileRead() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await wait()
        return true
      }
      group.addTask {
        await Output.waitUntilUnread()
        return Task.isCancelled
      }
      let isRead = await group.next() ?? true
      group.cancelAll()
      return isRead
    }
  }

  /// Runs an operation to its end, and cancels it at the first signal.
  func untilSignal(_ operation: @escaping @Sendable () async -> Void) async {
    let signals = signals
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await operation() }
      group.addTask { for await _ in signals { return } }
      await group.next()
      group.cancelAll()
    }
    withExtendedLifetime(sources) {}
  }
}
