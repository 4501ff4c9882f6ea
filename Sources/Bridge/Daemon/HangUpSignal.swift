// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// SIGHUP as the wish that the configuration be read again, heard from the moment that this is made.
///
/// Its default action would end the daemon, and systemd takes that for an orderly end and starts
/// none anew: so it is heard before anybody is told that the daemon is ready.
final class HangUpSignal: Sendable {
  /// The wishes, for one reader; several that came meanwhile are one.
  let wishes: AsyncStream<Void>
  // Set once, and only held so that it lives: nothing is ever called on it again.
  nonisolated(unsafe) private let source: any DispatchSourceSignal

  init() {
    let (wishes, wish) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.wishes = wishes
    source = DispatchSource.makeSignalSource(signal: SIGHUP)
    source.setEventHandler { wish.yield() }
    // Dispatch puts its handler in place on a thread of its own.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.resume()
    registered.wait()
  }
}
