// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// The comparison of a decoded recording with gpsd's decoding, by epoch and satellite.
struct RecordingComparison: Sendable, CustomTestStringConvertible {
  let name: String
  private(set) var epochs = 0
  private(set) var agreeingEpochs = 0
  private(set) var disagreements: [Disagreement] = []
  /// The number of epochs in which both decoders report a field.
  private(set) var compared: [ComparedField: Int] = [:]
  /// The number of epochs in which only gpsd reports a field.
  private(set) var absent: [ComparedField: Int] = [:]
  /// The number of our fixes with the time of the previous fix.
  private(set) var repeatedTimes = 0
  /// The number of our fixes with an earlier time than the previous fix.
  private(set) var stepsBack = 0
  private(set) var goldenSightings = 0
  private(set) var ourSightings = 0
  private(set) var sharedSightings = 0

  var testDescription: String { name }

  /// The disagreements that are not known errors of gpsd.
  var unexplained: [Disagreement] {
    disagreements.filter { disagreement in
      !KnownGPSDError.all.contains { $0.explains(disagreement, in: name) }
    }
  }

  init(_ recording: Recording) {
    name = recording.name
    var fixes: [Int: Fix] = [:]
    var (lastTime, repeatedTimes, stepsBack): (UTCTime?, Int, Int) = (nil, 0, 0)
    var sightings: Set<SatelliteSighting> = []
    var survey = RecordingSurvey()
    survey.read(recording.bytes.span)
    var decoder = NMEADecoder(
      source: name, pace: .recorded, allowsMissingChecksum: !recording.hasChecksums, survey: survey)
    let deliver = { (event: FixSourceEvent) in
      switch event {
      case .fix(let fix) where fix.mode > .none:
        fixes[fix.time?.millisecondOfDay ?? -1] = fix
        guard let time = fix.time else { return }
        if time == lastTime { repeatedTimes += 1 }
        if let lastTime, time < lastTime { stepsBack += 1 }
        lastTime = time
      case .sky(let sky): sightings.formUnion(sky.satellites.map(SatelliteSighting.init))
      default: break
      }
    }
    decoder.decode(recording.bytes.span, receivedAt: nil, deliver: deliver)
    decoder.finish(deliver: deliver)
    (self.repeatedTimes, self.stepsBack) = (repeatedTimes, stepsBack)
    compareEpochs(fixes, with: recording)
    compareSightings(sightings, with: recording.goldenSightings())
  }

  private mutating func compareEpochs(_ fixes: [Int: Fix], with recording: Recording) {
    for (key, golden) in recording.goldenEpochs().sorted(by: { $0.key < $1.key }) {
      epochs += 1
      guard let fix = fixes[key] else {
        if golden.lat == nil {
          agreeingEpochs += 1
        } else {
          disagreements.append(Disagreement(field: .epoch, time: golden.time, text: "no fix"))
        }
        continue
      }
      let comparison = EpochComparison(fix, with: golden, in: recording)
      if comparison.disagreements.isEmpty { agreeingEpochs += 1 }
      disagreements += comparison.disagreements
      for field in comparison.compared { compared[field, default: 0] += 1 }
      for field in comparison.absent { absent[field, default: 0] += 1 }
    }
  }

  private mutating func compareSightings(
    _ ours: Set<SatelliteSighting>, with golden: Set<SatelliteSighting>
  ) {
    let shared = ours.intersection(golden)
    (goldenSightings, ourSightings, sharedSightings) = (golden.count, ours.count, shared.count)
    // A list that is truncated at an end of the log may be reported by only one decoder.
    guard shared.count * 100 < golden.count * 98 else { return }
    let missing = golden.subtracting(ours).map(\.description).sorted().prefix(5)
    disagreements.append(
      Disagreement(
        field: .satellites, time: nil,
        text: "\(shared.count) of gpsd's \(golden.count); missing in our decoding: "
          + missing.joined(separator: "; ")))
  }
}
