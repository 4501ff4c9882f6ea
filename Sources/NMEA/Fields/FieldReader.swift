// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of one sentence in their order.
///
/// An empty field is `nil`, and so is one behind the end: receivers cut sentences short. A field
/// that is not what it must be is `nil` too, and the first such is remembered in ``flaw``, so that
/// a sentence reads like its field table. The cursor always moves one field on.
///
/// The fields end at an `*`, which belongs to the bytes. No loop over digits or up to a comma gets
/// past it, so none asks for the end at every byte; that is also why unchecked reads are safe.
struct FieldReader: ~Escapable {
  /// The first field that is not what it must be.
  struct Flaw {
    var kind: SentenceError.Kind
    /// Its number, from 1.
    var field: Int
    var start: Int
    var end: Int
    /// Whether the sentence can no longer be trusted: its fields may be shifted.
    var isRefusal: Bool
  }

  let bytes: Span<UInt8>
  /// Where the first field starts.
  let first: Int
  /// Where the `*` stands that ends the last field.
  let end: Int
  /// Where the next field starts; beyond ``end`` when there is none.
  var position: Int
  var flaw: Flaw?

  /// Starts before the field at `start`; `nil` where there is no `*` at `end`, or not behind it.
  @_lifetime(copy bytes)
  @inline(__always)
  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    guard start >= 0, start <= end, end < bytes.count, bytes[end] == ASCII.asterisk else {
      return nil
    }
    self.bytes = bytes
    first = start
    position = start
    self.end = end
  }

  /// Whether all fields have been read.
  var isAtEnd: Bool { position > end }

  /// The byte at an offset of at most ``end``.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 { bytes[unchecked: offset] }

  /// Begins the next field; false where it is empty or missing, which leaves it behind.
  @inline(__always)
  mutating func begin() -> Bool {
    guard position < end else {
      position = end &+ 1
      return false
    }
    if byte(at: position) == ASCII.comma {
      position &+= 1
      return false
    }
    return true
  }

  /// Leaves the field if it ends at `offset`; false where it goes on.
  @inline(__always)
  mutating func leave(at offset: Int) -> Bool {
    guard byte(at: offset) == ASCII.comma || offset == end else { return false }
    position = offset &+ 1
    return true
  }

  /// Passes over the next field.
  mutating func skip() {
    var offset = position
    while offset < end, byte(at: offset) != ASCII.comma { offset &+= 1 }
    position = min(offset, end) &+ 1
  }

  /// Notes what is wrong with the field that starts at ``position``, and leaves it.
  @inline(never)
  mutating func reject(_ kind: SentenceError.Kind, refusing isRefusal: Bool = false) {
    let start = position
    skip()
    note(kind, from: start, refusing: isRefusal)
  }

  /// Notes what is wrong with the field that starts at `start` and has just been left.
  ///
  /// The first flaw counts, but a refusal outweighs an earlier one that is not.
  @inline(never)
  mutating func note(_ kind: SentenceError.Kind, from start: Int, refusing isRefusal: Bool) {
    if let flaw, flaw.isRefusal || !isRefusal { return }
    // Behind the last field there is no comma to count.
    var field = start > end ? 2 : 1
    let start = min(start, end)
    for offset in first..<max(first, start) where bytes[offset] == ASCII.comma { field &+= 1 }
    flaw = Flaw(
      kind: kind, field: field, start: start, end: max(start, min(position &- 1, end)),
      isRefusal: isRefusal)
  }

  /// How many fields are left, empty ones included.
  func countRemaining() -> Int {
    guard position <= end else { return 0 }
    var count = 1
    for offset in position..<end where bytes[unchecked: offset] == ASCII.comma { count &+= 1 }
    return count
  }
}
