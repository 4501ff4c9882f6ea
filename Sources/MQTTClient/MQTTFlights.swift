// SPDX-License-Identifier: Apache-2.0

package import Positioning

/// The messages with QoS 1 that wait for their PUBACK, in the order in which they were published.
package struct MQTTFlights<Value: Sendable>: Sendable {
  private struct Flight: Sendable {
    let id: UInt16
    var value: Value
    let sentAt: MonotonicTime
  }

  /// The maximum number of messages in flight.
  private let window: Int
  private var flights: [Flight] = []
  private var lastID: UInt16 = 0

  package init(window: Int) { self.window = min(window, Int(MQTTPacket.subscribeID) / 2) }

  package var isEmpty: Bool { flights.isEmpty }
  package var hasRoom: Bool { flights.count < window }
  /// The message that was published first; `nil` without messages.
  package var firstID: UInt16? { flights.first?.id }
  /// The time of that message.
  package var oldestAt: MonotonicTime? { flights.first?.sentAt }

  /// Adds a message, and returns the identifier of its PUBLISH and PUBACK.
  ///
  /// An identifier is used again only after all others, so that the PUBACK of an earlier message is
  /// not taken for that of a later one.
  package mutating func add(_ value: Value, at now: MonotonicTime) -> UInt16 {
    repeat {
      lastID = lastID >= MQTTPacket.subscribeID - 1 ? 1 : lastID + 1
    } while flights.contains { $0.id == lastID }
    flights.append(Flight(id: lastID, value: value, sentAt: now))
    return lastID
  }

  /// Replaces the value of a message.
  package mutating func set(_ value: Value, for id: UInt16) {
    guard let index = flights.firstIndex(where: { $0.id == id }) else { return }
    flights[index].value = value
  }

  /// Removes a message, and returns its value and the time at which it was published; `nil` if it is
  /// not in flight.
  package mutating func remove(_ id: UInt16) -> (value: Value, sentAt: MonotonicTime)? {
    guard let index = flights.firstIndex(where: { $0.id == id }) else { return nil }
    let flight = flights.remove(at: index)
    return (flight.value, flight.sentAt)
  }

  /// Removes all messages after the end of a connection.
  ///
  /// The next connection publishes them anew, without the flag for duplicates: a clean session does
  /// not continue the one before it.
  package mutating func removeAll() { flights = [] }
}
