// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Signals that request an orderly stop.
struct StopSignals: Sendable {
  private let signals: AsyncStream<Void>
  // Never used after `init`, only retained: a released source would stop delivering signals.
  nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

  /// Installs the handlers; a signal that arrives before the initializer returns kills the program.
  init(_ numbers: [Int32] = [SIGINT, SIGTERM]) {
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      // Dispatch installs its handler asynchronously. If the signal were ignored until then, an
      // early signal could be lost and the program would not stop.
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

  /// Waits for the first signal, or until the reader of standard output closes the pipe.
  ///
  /// - Returns: Whether standard output still has a reader.
  func waitWhileOutputIsOpen() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await wait()
        return true
      }
      group.addTask {
        await Output.waitUntilClosed()
        return Task.isCancelled
      }
      let isOutputOpen = await group.next() ?? true
      group.cancelAll()
      return isOutputOpen
    }
  }

  /// Runs an operation to its end, or until the first signal, which cancels the operation.
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
