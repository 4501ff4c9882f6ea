// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// SIGHUP as a request to reload the configuration, received from the moment this is made.
///
/// The signal's default action would end the daemon, and systemd would not restart it. The handler is
/// therefore in place before the daemon reports that it is ready.
final class HangUpSignal: Sendable {
  /// The requests, for one reader; those that arrive while it is busy are merged into one.
  let requests: AsyncStream<Void>
  // Set once and kept only to stay alive: nothing is called on it again.
  nonisolated(unsafe) private let source: any DispatchSourceSignal

  init() {
    let (requests, request) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.requests = requests
    source = DispatchSource.makeSignalSource(signal: SIGHUP)
    source.setEventHandler { request.yield() }
    // Dispatch puts its handler in place on a thread of its own.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.resume()
    registered.wait()
  }
}
