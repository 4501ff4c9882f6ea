// SPDX-License-Identifier: Apache-2.0

import Plugins
import Positioning
import WeatherClient
import WeatherFeature

/// The live view's section for the weather and its origin, or the reason why there is no weather.
struct WatchWeather: WatchSection {
  /// The age in seconds from which weather is old; lookups are half an hour apart.
  private static let oldSeconds = 3600.0

  let state: WatchState
  let now: MonotonicTime

  private var outlookText: OutlookText { OutlookText(state.format) }

  var rows: [WatchRow] {
    guard state.wantsWeather else { return [] }
    var rows = newestRows()
    if let hold = state.hold {
      rows.append(
        weatherRow(
          isFirst: rows.isEmpty, age(hold.at), "held: \(WatchPath.text(forReason: hold.value))",
          .bad))
      rows.append(
        WatchRow(rank: .detail, text: "looked up as soon as there is a path", tone: .bad))
    } else if let failure = state.weatherFailure {
      rows.append(
        weatherRow(isFirst: rows.isEmpty, age(failure.at), failure.value, .bad))
      rows.append(
        WatchRow(rank: .detail, text: "retry in a minute or more", tone: .bad))
    } else if rows.isEmpty {
      let text =
        state.location == nil
        ? "needs a position first"
        : state.weather == nil ? "no answer yet" : "no report that is still valid"
      rows.append(weatherRow(isFirst: true, "", text, .plain))
    }
    if let tendency = state.outlook?.value.pressureTendencyHectopascals {
      rows.append(WatchRow(rank: .motion, text: outlookText.words(pressureTendency: tendency)))
    }
    if let almanac = state.outlook?.value.resolved.almanac {
      rows.append(WatchRow(rank: .detail, text: "sun " + outlookText.sun(almanac)))
      rows.append(WatchRow(rank: .detail, text: "moon " + OutlookText.moon(almanac)))
    }
    return rows
  }

  private func weatherRow(
    isFirst: Bool, _ age: String, _ text: String, _ tone: TextStyle.Tone
  ) -> WatchRow {
    WatchRow(
      rank: isFirst ? .subject : .detail, label: isFirst ? "Weather" : "", age: age, text: text,
      tone: tone)
  }

  /// The rows of the newest weather.
  ///
  /// An empty outlook does not fall back to an older report.
  private func newestRows() -> [WatchRow] {
    if let outlook = state.outlook, state.weather.map({ $0.at <= outlook.at }) ?? true {
      return outlookRows(outlook) ?? []
    }
    return state.weather.map { reportRows($0) } ?? []
  }

  /// The rows of a provider's report, until an outlook with all origins has been computed.
  private func reportRows(_ newest: WatchState.Timestamped<WatchState.Weather>) -> [WatchRow] {
    let report = newest.value.report
    var source = "\(report.kind.rawValue) by \(report.provider)"
    if report.isSimulated { source += ", simulated" }
    if let time = report.validAt { source += validity(time) }
    let place = newest.value.place.map { self.place($0) } ?? self.place(report.coordinate)
    return rows(
      report.now, since: newest.at, place: place, source: source, report.attribution)
  }

  /// The rows of the best weather; `nil` if the outlook has no weather.
  private func outlookRows(_ newest: WatchState.Timestamped<WeatherOutlook>) -> [WatchRow]? {
    let outlook = newest.value
    guard let best = outlook.resolved.best else { return nil }
    var source = OutlookText.origin(best)
    for mark in Text.marks(isSimulated: best.isSimulated, isReplayed: best.isReplayed) {
      source += ", " + mark
    }
    if best.quality == .fresh, let time = outlook.report?.validAt { source += validity(time) }
    let computed = newest.at.advanced(byNanoseconds: -Int64(min(best.ageSeconds, 1e9) * 1e9))
    let place = outlook.place.map { self.place($0) } ?? self.place(outlook.coordinate)
    var rows = rows(
      best.weather, since: computed, place: place, source: source, best.attribution)
    if best.distanceMeters >= 1000 {
      let text = "for a place \(outlookText.distance(best)) away"
      rows.append(WatchRow(rank: .detail, text: text))
    }
    if best.quality != .sensor,
      let own = outlook.resolved.weather.first(where: { $0.quality == .sensor })
    {
      let measured = newest.at.advanced(byNanoseconds: -Int64(min(own.ageSeconds, 1e9) * 1e9))
      rows += self.rows(
        own.weather, since: measured, place: nil, source: OutlookText.origin(own), nil)
    }
    return rows
  }

  /// The time for which the weather is valid, to the minute, which is the providers' precision.
  private func validity(_ time: UTCTime) -> String { ", valid \(state.format.minute(time))" }

  private func rows(
    _ moment: CurrentWeather, since: MonotonicTime, place: String?, source: String,
    _ attribution: String?
  ) -> [WatchRow] {
    var firstLine: [String] = []
    if let temperature = moment.temperatureDegreesCelsius {
      firstLine.append(state.format.temperature(temperature))
    }
    if let condition = moment.condition { firstLine.append(condition.title) }
    if let felt = moment.apparentTemperatureDegreesCelsius {
      firstLine.append("feels like \(state.format.temperature(felt))")
    }
    var secondLine: [String] = []
    if let wind = outlookText.wind(moment) { secondLine.append("wind \(wind)") }
    if let pressure = moment.pressureSeaLevelHectopascals {
      secondLine.append(state.format.pressure(pressure, places: 0))
    }
    if let humidity = moment.humidityPercent {
      secondLine.append("\(Text.fixed(humidity, 0)) % humidity")
    }
    if let water = moment.waterTemperatureDegreesCelsius {
      secondLine.append("water \(state.format.temperature(water))")
    }
    // If the first line would be empty, the second line replaces it.
    if firstLine.isEmpty { (firstLine, secondLine) = (secondLine, []) }
    let isOld = now.seconds(since: since) > Self.oldSeconds
    return [
      weatherRow(
        isFirst: place != nil, age(since, oldAfter: Self.oldSeconds),
        firstLine.isEmpty ? "no values" : firstLine.joined(separator: ", "), isOld ? .bad : .good),
      secondLine.isEmpty ? nil : WatchRow(rank: .motion, text: secondLine.joined(separator: ", ")),
      place.map { WatchRow(rank: .motion, text: $0) },
      WatchRow(rank: .detail, text: source),
      attribution.map { WatchRow(rank: .detail, text: $0) },
    ].compactMap { $0 }
  }

  private func place(_ coordinate: Coordinate) -> String {
    let text = Text.coordinate(coordinate, places: 2)
    return "for " + text.split(separator: " ").joined(separator: " ")
  }

  private func place(_ place: Place) -> String {
    var text = "for " + place.title + place.regionSuffix
    if let distance = place.distanceMeters {
      text += ", \(state.format.distance(distance)) away"
    }
    return text
  }
}
