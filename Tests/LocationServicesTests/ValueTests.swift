// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Foundation
import LocationServices
import Positioning
import Testing

@Suite("Values")
struct ValueTests {
  @Test func `location errors have the names and numbers of Core Location`() {
    let byNumber: [LocationError] = [
      .locationUnknown, .denied, .network, .headingFailure, .regionMonitoringDenied,
      .regionMonitoringFailure, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed,
      .geocodeFoundNoResult, .geocodeFoundPartialResult, .geocodeCanceled, .deferredFailed,
      .deferredNotUpdatingLocation, .deferredAccuracyTooLow, .deferredDistanceFiltered,
      .deferredCanceled, .rangingUnavailable, .rangingFailure, .promptDeclined,
      .historicalLocationError,
    ]
    #expect(byNumber == LocationError.allCases)
    #expect(byNumber.map(\.rawValue) == Array(0...19))
    #expect(Set(LocationError.allCases.map(\.description)).count == byNumber.count)
  }

  private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `locations, headings, visits and regions are unchanged after encoding and decoding`() throws {
    var location = Location.at(51.5, -0.1, time: UTCTime(secondsSince1970: 1_483_228_799, nanosecond: 999_999_999))
    location.horizontalAccuracy = Accuracy(meters: 3, confidencePercent: 95, basis: .receiver)
    location.speedAccuracyMetersPerSecond = 0.5
    location.dilution.horizontal = 0.9
    location.status = .rtkFixed
    location.mode = .threeDimensional
    location.source = "ttyACM0"
    #expect(try roundTrip(location) == location)
    let heading = Heading(degreesTrue: 5, degreesMagnetic: nil, source: "ttyACM0")
    #expect(try roundTrip(heading) == heading)
    location.isReplayed = true
    #expect(try roundTrip(location) == location && location.sourceInformation.isReplayed)
    let replayed = Heading(degreesTrue: 5, isReplayed: true)
    #expect(try roundTrip(replayed) == replayed)
    let visit = Visit(arrival: location.time, isFinished: false, coordinate: location.coordinate, radiusMeters: 40)
    #expect(try roundTrip(visit) == visit)
    let region = CircularRegion(center: location.coordinate, radiusMeters: 100, identifier: "home", notifyOnExit: false)
    #expect(try roundTrip(region) == region)
    #expect(try roundTrip([LocationError.promptDeclined]) == [.promptDeclined])
    #expect(try roundTrip(LocationDiagnostics.noFix) == .noFix)
  }

  @Test func `a location that an earlier version encoded is decoded as not replayed`() throws {
    let location = Location.at(1, 2)
    let text = String(decoding: try JSONEncoder().encode(location), as: UTF8.self)
    #expect(!text.contains("isReplayed"))
    let decoded = try JSONDecoder().decode(Location.self, from: Data(text.utf8))
    #expect(!decoded.isReplayed && decoded == location)
  }

  @Test func `the monotonic arrival time of a location is not encoded`() throws {
    var location = Location.at(1, 2)
    location.receivedAt = MonotonicTime(nanoseconds: 5)
    #expect(try roundTrip(location).receivedAt == nil)
    #expect(location.ageSeconds(at: MonotonicTime(nanoseconds: 2_000_000_005)) == 2)
    #expect(location.ageSeconds(at: .at(0)) == 0)
  }

  @Test(arguments: [
    #"{"latitudeDegrees":91,"longitudeDegrees":0}"#,
    #"{"latitudeDegrees":0,"longitudeDegrees":-181}"#, #"{"latitudeDegrees":0}"#,
  ])
  func `invalid coordinates are rejected when decoded`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Coordinate.self, from: Data(text.utf8))
    }
  }

  @Test func `the accuracies of a location are converted to 68 % confidence by the documented factors`() throws {
    var location = Location.at(1, 2)
    #expect(location.horizontalAccuracyMeters == nil)
    location.horizontalAccuracy = Accuracy(meters: 100, confidencePercent: 95, basis: .receiver)
    location.verticalAccuracy = Accuracy(meters: 100, confidencePercent: 95, basis: .receiver)
    #expect(try #require(location.horizontalAccuracyMeters?.rounded()) == 62)
    #expect(try #require(location.verticalAccuracyMeters?.rounded()) == 51)
    #expect(location.horizontalAccuracy?.confidencePercent == 95)
  }

  @Test func `regions contain coordinates across the dateline and at the pole`() {
    let fiji = CircularRegion(center: .at(-17, 179.999), radiusMeters: 500, identifier: "fiji")
    #expect(fiji.contains(.at(-17, -179.999)) && !fiji.contains(.at(-17, 179.99)))
    let pole = CircularRegion(center: .at(90, 0), radiusMeters: 1000, identifier: "pole")
    #expect(pole.contains(.at(89.995, 180)) && !pole.contains(.at(89.9, 0)))
    let invalid = CircularRegion(center: .at(0, 0), radiusMeters: .nan, identifier: "none")
    #expect(!invalid.contains(.at(0, 0)))
  }

  @Test func `location diagnostics have a textual description`() {
    let reasons: LocationDiagnostics = [.locationUnavailable, .noReceiver]
    #expect(reasons.description == "no position, no receiver")
    #expect(LocationDiagnostics().description == "")
  }
}
