// SPDX-License-Identifier: Apache-2.0

/// PQTMANTENNASTATUS: antenna of a receiver by Quectel.
///
///                        1 2 3 4
///                        | | | |
///     $PQTMANTENNASTATUS,x,x,x,x*hh
///
/// Only the versions 2 and 3 are read; the fields of other versions differ. Of two antennas, the
/// first is read. Example:
///
///     $PQTMANTENNASTATUS,3,2,1,1*52
///
/// Quectel, LG290P and LC29H Series GNSS Protocol Specification, PQTMANTENNASTATUS.
public struct PQTMANTENNASTATUS: Equatable, Sendable {
  /// 1: version of the message.
  public var version: UInt32?
  /// 2: 0 unknown, 1 good, 2 open, 3 shorted.
  public var antenna: AntennaState?

  init(_ fields: inout FieldReader) {
    version = fields.integer(upTo: 99)
    guard version == 2 || version == 3 else { return }
    switch fields.integer(upTo: 99) {
    case 0: antenna = .unknown
    case 1: antenna = .good
    case 2: antenna = .open
    case 3: antenna = .shorted
    default: break
    }
  }
}
