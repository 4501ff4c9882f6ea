// SPDX-License-Identifier: Apache-2.0

/// The paths to several places as one: to whichever of them can be reached.
package struct CombinedPath: Equatable, Sendable {
  private var paths: [NetworkPath?]
  private var told: NetworkPath?

  /// Makes a path of which nothing is known.
  package init(count: Int) { paths = Array(repeating: nil, count: count) }

  /// Takes the path to one of the places.
  ///
  /// Returns the first that is satisfied; where none is, that to the first place, once all are
  /// known; `nil` where that has not changed.
  package mutating func handle(_ path: NetworkPath, ofPlace index: Int) -> NetworkPath? {
    guard paths.indices.contains(index) else { return nil }
    paths[index] = path
    let known = paths.compactMap { $0 }
    let present = known.first(where: \.isSatisfied) ?? (known.count == paths.count ? paths[0] : nil)
    guard let present, present != told else { return nil }
    told = present
    return present
  }
}
