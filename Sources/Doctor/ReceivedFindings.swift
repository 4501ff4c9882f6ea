// SPDX-License-Identifier: Apache-2.0

internal import Receivers

/// Findings about the lines that the daemon has received from serial receivers.
enum ReceivedFindings {
  /// Returns the counts of the received lines, with the remedy if many lines are bad.
  static func findings(_ snapshot: DoctorSnapshot) -> [DoctorFinding] {
    guard snapshot.isEnforced, let lines = snapshot.daemonSource.received, lines.bytes > 0 else {
      return []
    }
    let isBad = lines.hasManyBadLines
    return [
      DoctorFinding(
        isBad ? .note : .good, "received", lines.text, remedy: isBad ? remedy(lines) : nil)
    ]
  }

  /// Returns the remedy for the most frequent fault.
  private static func remedy(_ lines: ReceivedLines) -> String? {
    let bad: [ReceivedLines.Result] = [.refused, .wrongChecksum, .noChecksum, .cut, .other]
    return switch bad.max(by: { lines[$0] < lines[$1] }) {
    // A receiver may send another protocol beside NMEA, whose bytes look like lines.
    case .other where lines[.used] > 0, .cut where lines[.used] > 0: nil
    case .refused: NoFixExplanation(lines, input: .refused).advice
    case .noChecksum: NoFixExplanation(lines, input: .unchecked).advice
    case .other: NoFixExplanation(lines, input: .text).advice
    default: NoFixExplanation(lines, input: .damaged).advice
    }
  }
}

extension NoFixExplanation {
  fileprivate init(_ lines: ReceivedLines, input: LineInput) {
    self.init(input: input, reportsEpochs: false, seconds: 0)
    firstRefused = lines.firstRefused
  }
}
