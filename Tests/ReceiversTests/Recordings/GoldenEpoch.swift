// SPDX-License-Identifier: Apache-2.0

import Foundation
import Positioning

/// A `TPV` of gpsd, with gpsd's field names.
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

  /// The date; `nil` if the time has no valid date.
  var date: UTCDate? {
    guard let parts = time?.split(separator: "T").first?.split(separator: "-"), parts.count == 3,
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    return UTCDate(year: year, month: month, day: day)
  }

  /// The time of day in milliseconds, which identifies the epoch.
  var millisecondOfDay: Int? {
    guard let clock = time?.split(separator: "T").last?.dropLast().split(separator: ":"),
      clock.count == 3, let hour = Int(clock[0]), let minute = Int(clock[1]),
      let second = Double(clock[2])
    else { return nil }
    return (hour * 60 + minute) * 60_000 + Int((second * 1000).rounded())
  }
}

extension UTCTime {
  /// The time of day in milliseconds, the precision of gpsd.
  var millisecondOfDay: Int {
    let seconds = Int(timeOfDay.wholeSecondsSinceMidnight)
    return seconds * 1000 + Int((Double(nanosecond) / 1e6).rounded())
  }
}

extension Recording {
  /// Returns gpsd's epochs with a time and a position, by time of day.
  ///
  /// gpsd reports an epoch several times until it has learned the cycle of the receiver; only the
  /// last report is complete.
  func goldenEpochs() -> [Int: GoldenEpoch] {
    var epochs: [Int: GoldenEpoch] = [:]
    for epoch in objects(GoldenEpoch.self, of: "TPV") where epoch.mode >= 2 {
      if let key = epoch.millisecondOfDay { epochs[key] = epoch }
    }
    return epochs
  }

  /// Returns gpsd's objects of a class.
  func objects<Object: Decodable>(_ type: Object.Type, of name: String) -> [Object] {
    let start = Array("{\"class\":\"\(name)\"".utf8)
    let decoder = JSONDecoder()
    return golden.split(separator: 0x0A).filter { $0.starts(with: start) }.compactMap {
      try? decoder.decode(type, from: Data($0))
    }
  }
}
