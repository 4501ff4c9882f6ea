// SPDX-License-Identifier: Apache-2.0

internal import Positioning
internal import Receivers
internal import SystemSupport

/// The dilutions of precision that a set of satellites gives.
struct SimulatedDilution: Equatable, Sendable {
  var east: Double
  var north: Double
  var vertical: Double
  /// The covariance of east and north, for the error ellipse.
  var eastNorth: Double

  var horizontal: Double { (east * east + north * north).squareRoot() }
  var position: Double { (east * east + north * north + vertical * vertical).squareRoot() }

  /// Solves the least-squares geometry of position and clock.
  ///
  /// `nil` comes of fewer than four satellites, or of all on one cone.
  init?(_ satellites: some Sequence<SimulatedSky.Satellite>) {
    var normal = [[Double]](repeating: [0, 0, 0, 0], count: 4)
    var count = 0
    for satellite in satellites {
      let row = [satellite.sight.x, satellite.sight.y, satellite.sight.z, 1]
      for i in 0..<4 { for j in 0..<4 { normal[i][j] += row[i] * row[j] } }
      count += 1
    }
    guard count >= 4, let inverse = Self.inverse(of: normal) else { return nil }
    let variances = (inverse[0][0], inverse[1][1], inverse[2][2])
    guard variances.0 > 0, variances.1 > 0, variances.2 > 0 else { return nil }
    east = variances.0.squareRoot()
    north = variances.1.squareRoot()
    vertical = variances.2.squareRoot()
    eastNorth = inverse[0][1]
  }

  /// Gauss and Jordan with a pivot search, on a four by four matrix.
  private static func inverse(of matrix: [[Double]]) -> [[Double]]? {
    var left = matrix
    var right = (0..<4).map { i in (0..<4).map { $0 == i ? 1.0 : 0.0 } }
    for column in 0..<4 {
      let pivot = (column..<4).max { abs(left[$0][column]) < abs(left[$1][column]) } ?? column
      guard abs(left[pivot][column]) > 1e-9 else { return nil }
      left.swapAt(column, pivot)
      right.swapAt(column, pivot)
      let scale = 1 / left[column][column]
      for k in 0..<4 {
        left[column][k] *= scale
        right[column][k] *= scale
      }
      for row in 0..<4 where row != column {
        let factor = left[row][column]
        for k in 0..<4 {
          left[row][k] -= factor * left[column][k]
          right[row][k] -= factor * right[column][k]
        }
      }
    }
    return right
  }
}
