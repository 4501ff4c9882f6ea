// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

/// A handler of SIGHUP, which requests a reload of the configuration.
///
/// The signal's default action would terminate the daemon, and systemd would not restart it.
/// Therefore the handler is installed before the initializer returns, and before the daemon reports
/// that it is ready.
final class HangUpSignal: Sendable {
  /// The reload requests, for one reader.
  ///
  /// Requests that arrive while the reader is busy are merged.
  let requests: AsyncStream<Void>
  // Safe: only retained, never used after the initializer.
  nonisolated(unsafe) private let source: any DispatchSourceSignal

  init() {
    let (requests, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.requests = requests
    source = DispatchSource.makeSignalSource(signal: SIGHUP)
    source.setEventHandler { continuation.yield() }
    // Dispatch installs the handler asynchronously on its own thread, so wait for the installation.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.resume()
    registered.wait()
  }
}
