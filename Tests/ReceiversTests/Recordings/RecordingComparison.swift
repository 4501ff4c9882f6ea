// SPDX-License-Identifier: Apache-2.0

import Positioning
import Testing

@testable import Receivers

/// A recording decoded and compared with gpsd's decoding, epoch by epoch and satellite by satellite.
struct RecordingComparison: Sendable, CustomTestStringConvertible {
  let name: String
  private(set) var epochs = 0
  private(set) var agreeing = 0
  private(set) var disagreements: [Disagreement] = []
  /// Numbers of epochs that compare a field, and of those in which only gpsd states it.
  private(set) var compared: [ComparedField: Int] = [:]
  private(set) var absent: [ComparedField: Int] = [:]
  /// Our fixes that repeat the time of the fix before, and those that go back in time.
  private(set) var repeatedTimes = 0
  private(set) var stepsBack = 0
  private(set) var goldenSightings = 0
  private(set) var ourSightings = 0
  private(set) var sharedSightings = 0

  var testDescription: String { name }

  /// Disagreements that no known error of gpsd explains.
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
          agreeing += 1
        } else {
          disagreements.append(Disagreement(field: .epoch, time: golden.time, text: "no fix"))
        }
        continue
      }
      let comparison = EpochComparison(fix, with: golden, in: recording)
      if comparison.disagreements.isEmpty { agreeing += 1 }
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
    // A list that the log cuts short may be reported by one decoder alone.
    guard shared.count * 100 < golden.count * 98 else { return }
    let missing = golden.subtracting(ours).map(\.description).sorted().prefix(5)
    disagreements.append(
      Disagreement(
        field: .satellites, time: nil,
        text: "\(shared.count) of gpsd's \(golden.count); not ours: "
          + missing.joined(separator: "; ")))
  }
}
