// SPDX-License-Identifier: Apache-2.0

/// Totals of all compared recordings.
struct RecordingTotal: CustomStringConvertible {
  private let comparisons: [RecordingComparison]

  init(_ comparisons: [RecordingComparison]) { self.comparisons = comparisons }

  var receivers: Int { comparisons.count }

  /// Returns the share of gpsd's epochs with a field in which our decoder reports the field, too.
  func comparedShare(of field: ComparedField) -> Double {
    let both = sum { $0.compared[field] ?? 0 }
    return Double(both) / Double(max(1, both + sum { $0.absent[field] ?? 0 }))
  }

  var sightingShareOfGPSD: Double {
    Double(sum(\.sharedSightings)) / Double(max(1, sum(\.goldenSightings)))
  }

  var sightingShareOfOurs: Double {
    Double(sum(\.sharedSightings)) / Double(max(1, sum(\.ourSightings)))
  }

  private func sum(_ count: (RecordingComparison) -> Int) -> Int {
    comparisons.reduce(0) { $0 + count($1) }
  }

  var description: String {
    let percent = { (share: Double) in "\((share * 1000).rounded() / 10) %" }
    let fields = [ComparedField.altitude, .speed, .course].map {
      "\($0.rawValue) \(percent(comparedShare(of: $0)))"
    }
    return """
      recordings: \(receivers) receivers, \(sum(\.epochs)) epochs compared with gpsd's, \
      \(sum(\.agreeingEpochs)) agree, \(sum { $0.disagreements.count - $0.unexplained.count }) \
      differences are known errors of gpsd, \(sum { $0.unexplained.count }) are not
      recordings: share of gpsd's fields that were compared: \(fields.joined(separator: ", "))
      recordings: \(percent(sightingShareOfGPSD)) of gpsd's \(sum(\.goldenSightings)) satellite \
      reports are in ours, \(percent(sightingShareOfOurs)) of our \(sum(\.ourSightings)) in gpsd's
      """
  }
}
