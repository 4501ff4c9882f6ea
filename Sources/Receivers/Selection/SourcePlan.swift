// SPDX-License-Identifier: Apache-2.0

/// What a run of a source in a group reads.
enum SourcePlan: Equatable, Sendable {
  /// A port; one that needs proof delivers nothing before two valid sentences.
  case serial(devnode: String, baud: Int?, needsProof: Bool)
  case gpsd(GPSDAddress)
  /// A source that was handed in, by its place in the list; it ends by itself and stays ended.
  case other(place: Int, name: String)

  /// The name under which its fixes travel, where there is only one.
  var fixName: String? {
    switch self {
    case .serial(let devnode, _, _): devnode
    case .gpsd: nil
    case .other(_, let name): name
    }
  }

  /// What people call it.
  var name: String {
    switch self {
    case .serial(let devnode, _, _): devnode
    case .gpsd(let address): "gpsd:\(address)"
    case .other(_, let name): name
    }
  }
}
