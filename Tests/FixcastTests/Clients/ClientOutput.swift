// SPDX-License-Identifier: Apache-2.0

import FixcastTesting
import Positioning
import Testing

/// The output of a running client of gpsd.
struct ClientOutput {
  /// Half a unit of the fourth decimal.
  private static let toleranceDegrees = 0.000_05

  let client: GPSDClient
  let process: ChildProcess

  /// The places that the client has shown so far.
  var places: [Coordinate] { client.places(in: Self.text(process.pieces.events)) }

  /// Waits until the client shows a place, and checks each place that it has shown.
  func expectPlace() async {
    let pieces = await process.pieces.wait { [client] in
      !client.places(in: Self.text($0)).isEmpty
    }
    let text = Self.text(pieces)
    let places = client.places(in: text)
    #expect(!places.isEmpty, "\(client.rawValue) shows no place: \(text.suffix(2000))")
    for place in places {
      #expect(Self.isExpected(place), "\(client.rawValue) shows \(place)")
    }
  }

  /// Whether a place is the place that the receiver reports.
  static func isExpected(_ place: Coordinate) -> Bool {
    abs(place.latitudeDegrees - ClientFixture.latitudeDegrees) < toleranceDegrees
      && abs(place.longitudeDegrees - ClientFixture.longitudeDegrees) < toleranceDegrees
  }

  /// Returns the output as text, with a space in place of each control sequence of a terminal.
  static func text(_ pieces: [[UInt8]]) -> String {
    String(decoding: pieces.joined(), as: UTF8.self)
      .replacing(/\u{1B}\[[\d;?]*[A-Za-z]/, with: " ")
  }
}
