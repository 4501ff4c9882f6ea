// SPDX-License-Identifier: Apache-2.0

package import Positioning
internal import WeatherClient
package import WeatherFeature

extension JSONLine {
  /// Appends what is known of the weather as a `WEATHER` object.
  ///
  /// `lat` and `lon` are where the values are for, `age` and `distance` how far that is from now and
  /// here, and `stale` says that they are not a provider's fresh word. Without any value the object
  /// has the sun and the moon alone, and no `kind`. `reason` says why no provider's fresh word is
  /// told, and `retryAfter` in how many seconds one may be asked again, where that is known.
  ///
  /// `device` is the receiver that carried the sensor's sentences. Beside a provider's report, sensor
  /// values are in `measured` and never mixed with it.
  ///
  /// `pressureTendency` is the change in hectopascals over three hours, of an instrument on a
  /// receiver's wire or of the board's own sensor.
  package mutating func appendWEATHER(_ outlook: WeatherOutlook) {
    appendWEATHER(outlook, secondsLater: 0)
  }

  /// Appends it as it is told so many seconds after it was put together.
  package mutating func appendWEATHER(_ outlook: WeatherOutlook, secondsLater: Double) {
    beginObject()
    constant("class", "WEATHER")
    time("time", outlook.time?.later(bySeconds: secondsLater))
    if let place = outlook.place { self.place(place) }
    let best = outlook.resolver.best
    let coordinate =
      best.flatMap { $0.quality == .sensor ? nil : outlook.report?.coordinate }
      ?? outlook.coordinate
    decimal("lat", coordinate.latitudeDegrees, places: 9)
    decimal("lon", coordinate.longitudeDegrees, places: 9)
    if let best {
      string("kind", best.kind.rawValue)
      string("provider", best.provider)
      if best.isSimulated { boolean("simulated", true) }
      if best.quality != .sensor { time("issued", outlook.report?.issuedAt) }
      integer("age", Int(min(best.ageSeconds + secondsLater, 1e15)))
      decimal("distance", best.distanceMeters, places: 1)
      boolean("stale", best.quality != .fresh)
      string("device", best.receiver)
      current(best.weather)
      if best.quality != .sensor { measured(outlook.resolver, secondsLater) }
    }
    // Plus zero, since what is rounded to nothing has no sign.
    let tendency = outlook.pressureTendencyHectopascals.map { ($0 * 10).rounded() / 10 + 0 }
    decimal("pressureTendency", tendency, places: 1)
    outlookEnd(outlook)
    string("attribution", best?.attribution)
    if best?.quality != .fresh {
      string("reason", outlook.reason)
      integer(
        "retryAfter", outlook.failure?.retryAfterSeconds.map { Int(min($0.rounded(.up), 1e9)) })
    }
    endObject()
    endLine()
  }

  /// Appends what is known of the weather of a cell, for those who may know that the board is in it
  /// and no more.
  ///
  /// Times are quarters of an hour, `age` is rounded up to those, and `distance` up to the size of a
  /// cell. What a sensor measured or why nothing is known is left out: both are of where the board is.
  package mutating func appendReducedWEATHER(_ outlook: WeatherOutlook) {
    func rounded(_ value: Double, to step: Double) -> Double { (value / step).rounded(.up) * step }
    beginObject()
    constant("class", "WEATHER")
    time(
      "time",
      outlook.time.map {
        UTCTime(secondsSince1970: $0.secondsSince1970 - ($0.secondsSince1970 % 900 + 900) % 900)
      })
    if let place = outlook.place { self.place(place) }
    decimal("lat", outlook.coordinate.latitudeDegrees, places: 9)
    decimal("lon", outlook.coordinate.longitudeDegrees, places: 9)
    if let best = outlook.resolver.best, best.quality != .sensor {
      string("kind", best.kind.rawValue)
      string("provider", best.provider)
      if best.isSimulated { boolean("simulated", true) }
      integer("age", Int(min(rounded(best.ageSeconds, to: 900), 1e15)))
      decimal("distance", rounded(best.distanceMeters, to: 5000), places: 1)
      boolean("stale", best.quality != .fresh)
      current(best.weather)
    }
    outlookEnd(outlook)
    string("attribution", outlook.resolver.best?.attribution)
    endObject()
    endLine()
  }

  /// Appends the current values of sensors beside a provider's report, with their own age.
  private mutating func measured(_ resolver: LadderAnswer, _ secondsLater: Double) {
    guard let answer = resolver.weather.first(where: { $0.quality == .sensor }),
      answer.ageSeconds + secondsLater <= InstrumentReadings.currentSeconds
    else { return }
    beginObject("measured")
    string("provider", answer.provider)
    if answer.isSimulated { boolean("simulated", true) }
    integer("age", Int(min(answer.ageSeconds + secondsLater, 1e15)))
    string("device", answer.receiver)
    current(answer.weather)
    endObject()
  }

  /// Sun, moon and days.
  private mutating func outlookEnd(_ outlook: WeatherOutlook) {
    if let almanac = outlook.resolver.almanac { sky(almanac) }
    guard !outlook.days.isEmpty else { return }
    beginArray("days")
    for day in outlook.days { self.day(day) }
    endArray()
  }

  private mutating func sky(_ almanac: Almanac) {
    time("sunrise", almanac.day.sunrise)
    time("sunset", almanac.day.sunset)
    string("light", almanac.light.rawValue)
    string("moon", almanac.moon.name.rawValue)
    decimal("moonIllumination", almanac.moon.illuminationPercent, places: 1)
  }
}

extension UTCTime {
  /// The whole second so many seconds later.
  func later(bySeconds seconds: Double) -> UTCTime {
    UTCTime(secondsSince1970: secondsSince1970 &+ Int64(min(max(seconds, 0), 1e9)))
  }
}
