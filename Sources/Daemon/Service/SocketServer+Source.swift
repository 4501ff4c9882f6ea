// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Positioning

extension SocketServer {
  /// Publishes a source's fixes, satellites, sentences, receivers and losses to the clients.
  ///
  /// The source's other events reach clients only through the pipeline, or not at all.
  func publish(_ event: FixSourceEvent, from name: String, at utc: UTCTime?) {
    switch event {
    case .fix(let fix): publish(.fix(fix))
    case .sky(let sky): publish(.sky(sky))
    case .lost(let loss): publish(.lost(loss, source: name))
    case .sentences(let bytes, let source): publish(.sentences(bytes, source: source))
    case .receiver(let receiver): publish(.receiver(receiver, at: utc))
    case .instruments, .connected, .message: break
    }
  }
}
