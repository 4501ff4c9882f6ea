// SPDX-License-Identifier: Apache-2.0

import Positioning

extension FixSourceEvent {
  /// A short description of the event for test failures.
  var kind: String {
    switch self {
    case .fix(let fix): "fix \(fix.mode.rawValue)"
    case .sky: "sky"
    case .instruments: "instruments"
    case .sentences(_, let source): "sentences \(source)"
    case .connected: "connected"
    case .receiver(let receiver): "receiver \(receiver.name)"
    case .message(let message): "message \(message)"
    case .lost(let loss): "lost \(loss.reason.rawValue)"
    }
  }

  var isConnected: Bool { if case .connected = self { true } else { false } }
  var fix: Fix? { if case .fix(let fix) = self { fix } else { nil } }
  var sky: SkyView? { if case .sky(let sky) = self { sky } else { nil } }
  var sentences: [UInt8]? { if case .sentences(let bytes, _) = self { bytes } else { nil } }
  var instruments: InstrumentReading? {
    if case .instruments(let reading) = self { reading } else { nil }
  }
  var receiver: ReceiverInfo? { if case .receiver(let info) = self { info } else { nil } }
  var loss: SourceLoss? { if case .lost(let loss) = self { loss } else { nil } }
}
