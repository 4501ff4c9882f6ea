// SPDX-License-Identifier: Apache-2.0

internal import DaemonServer
internal import Positioning

extension SocketServer {
  /// Tells clients what a source says; what it says of itself they hear of by the pipeline.
  func publish(_ event: FixSourceEvent, from name: String) {
    switch event {
    case .fix(let fix): publish(.fix(fix))
    case .sky(let sky): publish(.sky(sky))
    case .lost(let loss): publish(.lost(loss, source: name))
    case .instruments, .connected, .receiver: break
    }
  }
}
