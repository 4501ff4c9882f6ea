// SPDX-License-Identifier: Apache-2.0

/// Combines the paths to several destinations; the result is satisfied if any path is satisfied.
package struct CombinedPath: Equatable, Sendable {
  private var paths: [NetworkPath?]
  private var published: NetworkPath?

  /// Makes a combination of unknown paths.
  package init(count: Int) { paths = Array(repeating: nil, count: count) }

  /// Updates the path to one of the destinations.
  ///
  /// Returns the combined path if it has changed, otherwise `nil`. The combined path is the first
  /// satisfied path. If all paths are known and no path is satisfied, the combined path is the path
  /// to the first destination.
  package mutating func handle(_ path: NetworkPath, ofDestination index: Int) -> NetworkPath? {
    guard paths.indices.contains(index) else { return nil }
    paths[index] = path
    let known = paths.compactMap { $0 }
    let next = known.first(where: \.isSatisfied) ?? (known.count == paths.count ? paths[0] : nil)
    guard let next, next != published else { return nil }
    published = next
    return next
  }
}
