// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning

/// A `TPV` of gpsd, by gpsd's names.
struct GoldenEpoch: Decodable, Sendable {
  var time: String?
  var mode: Int
  var status: Int?
  var lat: Double?
  var lon: Double?
  var altMSL: Double?
  var altHAE: Double?
  var speed: Double?
  var track: Double?

  /// The date; `nil` where the text is not a date.
  var date: UTCDate? {
    guard let parts = time?.split(separator: "T").first?.split(separator: "-"), parts.count == 3,
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    return UTCDate(year: year, month: month, day: day)
  }

  /// The time of day, by which epochs are joined.
  var millisecondOfDay: Int? {
    guard let clock = time?.split(separator: "T").last?.dropLast().split(separator: ":"),
      clock.count == 3, let hour = Int(clock[0]), let minute = Int(clock[1]),
      let second = Double(clock[2])
    else { return nil }
    return (hour * 60 + minute) * 60_000 + Int((second * 1000).rounded())
  }
}

extension UTCTime {
  /// The time of day as gpsd prints it, to the millisecond.
  var millisecondOfDay: Int {
    let seconds = Int(timeOfDay.wholeSecondsSinceMidnight)
    return seconds * 1000 + Int((Double(nanosecond) / 1e6).rounded())
  }
}

extension Recording {
  /// gpsd's epochs with a time and a position, by time of day.
  ///
  /// gpsd reports an epoch several times until it has learnt the receiver's cycle; only its last
  /// report is complete.
  func goldenEpochs() -> [Int: GoldenEpoch] {
    var epochs: [Int: GoldenEpoch] = [:]
    for epoch in objects(GoldenEpoch.self, of: "TPV") where epoch.mode >= 2 {
      if let key = epoch.millisecondOfDay { epochs[key] = epoch }
    }
    return epochs
  }

  /// gpsd's objects of a class.
  func objects<Object: Decodable>(_ type: Object.Type, of name: String) -> [Object] {
    let start = Array("{\"class\":\"\(name)\"".utf8)
    let decoder = JSONDecoder()
    return golden.split(separator: 0x0A).filter { $0.starts(with: start) }.compactMap {
      try? decoder.decode(type, from: Data($0))
    }
  }
}
