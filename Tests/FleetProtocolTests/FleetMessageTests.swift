// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FleetProtocol

@Suite("Fleet acknowledgement, status and weather")
struct FleetMessageTests {
  private struct Report: Codable, Equatable { var temperature: Double }

  @Test func `an acknowledgement is an object with an epoch and a sequence number`() throws {
    let acknowledgement = FleetAcknowledgement(epoch: try #require(FleetEpoch(3)), sequence: 12345)
    #expect(String(decoding: acknowledgement.json, as: UTF8.self) == #"{"e":3,"s":12345}"#)
    #expect(try FleetAcknowledgement(json: acknowledgement.json) == acknowledgement)
    for text in [#"{"e":0,"s":1}"#, #"{"e":1,"s":0}"#, #"{"e":1}"#, "", #"{"e":1,"s":1.5}"#] {
      #expect(throws: FleetError.self) { try FleetAcknowledgement(json: Array(text.utf8)) }
    }
  }

  @Test func `a status survives a round trip, and the will says offline only`() throws {
    let will = String(decoding: FleetStatus(isOnline: false).json, as: UTF8.self)
    #expect(will == #"{"state":"offline","v":1}"#)
    var status = FleetStatus(isOnline: true)
    #expect(try FleetStatus(json: status.json) == status)
    status.epoch = FleetEpoch(7)
    (status.pendingCount, status.droppedCount) = (12, 3)
    status.fix = FleetFix(latitudeE7: 525_000_000, longitudeE7: -1)
    status.fix?.timeMilliseconds = 1_790_000_000_000
    status.fix?.mode = 3
    (status.isReduced, status.isSimulated) = (true, true)
    status.problem = "another board has this id"
    #expect(try FleetStatus(json: status.json) == status)
    status.fix?.timeMilliseconds = nil
    status.fix?.bootMilliseconds = 5000
    #expect(try FleetStatus(json: status.json) == status)
    for text in [#"{"state":"away"}"#, #"{"state":"online","pending":-1}"#, "{}"] {
      #expect(throws: FleetError.self) { try FleetStatus(json: Array(text.utf8)) }
    }
  }

  @Test func `a weather message has a report and its age`() throws {
    let message = FleetWeatherMessage(Report(temperature: 21.5), ageSeconds: 90)
    #expect(
      String(decoding: message.json, as: UTF8.self)
        == #"{"age":90,"class":"WEATHER","report":{"temperature":21.5},"v":1,"via":"fleet"}"#)
    #expect(try FleetWeatherMessage<Report>(json: message.json) == message)
    for text in [
      "{}", #"{"class":"WEATHER","v":1,"via":"fleet","age":-1,"report":{"temperature":1}}"#,
      #"{"class":"WEATHER","v":1,"via":"fleet","age":1,"report":{}}"#,
      #"{"class":"TPV","v":1,"via":"fleet","age":1,"report":{"temperature":1}}"#,
    ] {
      #expect(throws: FleetError.self) { try FleetWeatherMessage<Report>(json: Array(text.utf8)) }
    }
  }
}
