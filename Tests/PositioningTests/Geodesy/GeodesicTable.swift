// SPDX-License-Identifier: Apache-2.0

// The reference values are from GeographicLib for Python 2.1, Geodesic.WGS84, printed to the last
// digit.

import Testing

/// One inverse problem and its solution.
struct Inverse: CustomTestStringConvertible {
  var testDescription: String
  var start: (Double, Double)
  var end: (Double, Double)
  var meters: Double
  var bearing: Double?

  init(
    _ name: String, _ start: (Double, Double), _ end: (Double, Double), _ meters: Double,
    _ bearing: Double?
  ) {
    (testDescription, self.start, self.end) = (name, start, end)
    (self.meters, self.bearing) = (meters, bearing)
  }
}

/// One direct problem and its solution.
struct Direct: CustomTestStringConvertible {
  var testDescription: String
  var start: (Double, Double)
  var meters: Double
  var bearing: Double
  var end: (Double, Double)

  init(
    _ name: String, _ start: (Double, Double), _ meters: Double, _ bearing: Double,
    _ end: (Double, Double)
  ) {
    (testDescription, self.start, self.end) = (name, start, end)
    (self.meters, self.bearing) = (meters, bearing)
  }
}

let inverses: [Inverse] = [
  Inverse(
    "Paris to New York",
    (48.8566, 2.3522), (40.7128, -74.006),
    5852935.2917667655, 291.826083196198),
  Inverse(
    "London to Sydney",
    (51.5074, -0.1278), (-33.8688, 151.2093),
    16989295.77054045, 60.36168570015566),
  Inverse(
    "one metre apart",
    (51.5, -0.12), (51.500009, -0.12),
    1.0013205036203343, 0.0),
  Inverse(
    "a millimetre apart",
    (51.5, -0.12), (51.500000009, -0.120000001),
    0.0010037245346258418, 356.03294623445686),
  Inverse(
    "a micrometre apart",
    (0.0, 0.0), (0.0, 1e-11),
    1.1131949079327356e-06, 90.0),
  Inverse(
    "a kilometre north-east",
    (-36.0, 174.0), (-35.9936, 174.0079),
    1005.8316848793123, 45.09031930663253),
  Inverse(
    "equator, one degree east",
    (0.0, 0.0), (0.0, 1.0),
    111319.49079327357, 90.0),
  Inverse(
    "equator, west across Greenwich",
    (0.0, 5.0), (0.0, -5.0),
    1113194.9079327357, 270.0),
  Inverse(
    "equator, a quarter turn",
    (0.0, 0.0), (0.0, 90.0),
    10018754.171394622, 90.0),
  Inverse(
    "equator, 179 degrees",
    (0.0, 0.0), (0.0, 179.0),
    19926188.85199597, 90.0),
  Inverse(
    "equator, last longitude for which the equator is shortest",
    (0.0, 0.0), (0.0, 179.3966),
    19970338.16101162, 88.9274275590719),
  Inverse(
    "equator, first longitude for which the equator is not shortest",
    (0.0, 0.0), (0.0, 179.397),
    19970382.666274484, 87.65575258170625),
  Inverse(
    "equator, 179.5 degrees",
    (0.0, 0.0), (0.0, 179.5),
    19980861.908890963, 55.966495140158635),
  Inverse(
    "equator, 179.99 degrees",
    (0.0, 0.0), (0.0, 179.99),
    20003922.22814904, 0.9502226798574768),
  Inverse(
    "across the date line eastward",
    (10.0, 179.9), (10.0, -179.9),
    21927.87247793737, 89.9826351650211),
  Inverse(
    "across the date line westward",
    (-17.7, -179.5), (-18.1, 178.4),
    226884.96533974522, 258.42635930195667),
  Inverse(
    "on the date line, as 180 and -180",
    (10.0, 180.0), (20.0, -180.0),
    1106511.420937261, 0.0),
  Inverse(
    "along a meridian",
    (10.0, 20.0), (60.0, 20.0),
    5548217.98625614, 0.0),
  Inverse(
    "along a meridian southward",
    (60.0, -100.0), (-60.0, -100.0),
    13308145.638981028, 180.0),
  Inverse(
    "over the north pole",
    (70.0, 10.0), (65.0, -170.0),
    5023611.613547246, 0.0),
  Inverse(
    "over the south pole",
    (-70.0, 10.0), (-65.0, -170.0),
    5023611.613547246, 180.0),
  Inverse(
    "next to the north pole",
    (89.0, 0.0), (89.0, 179.0),
    223379.22304440773, 0.50007616005008),
  Inverse(
    "from the north pole",
    (90.0, 0.0), (45.0, 30.0),
    5017021.351334979, 150.0),
  Inverse(
    "from the north pole, other longitude",
    (90.0, -120.0), (45.0, 30.0),
    5017021.351334979, 29.999999999999996),
  Inverse(
    "to the north pole",
    (45.0, 30.0), (90.0, 0.0),
    5017021.351334979, 0.0),
  Inverse(
    "from the south pole",
    (-90.0, 0.0), (-45.0, 30.0),
    5017021.351334979, 29.999999999999996),
  Inverse(
    "to the south pole",
    (12.0, 77.0), (-90.0, -33.0),
    11329050.198906204, 180.0),
  Inverse(
    "pole to pole",
    (90.0, 0.0), (-90.0, 0.0),
    20003931.458625447, 180.0),
  Inverse(
    "near a pole, a metre",
    (89.99999, 0.0), (89.99999, 180.0),
    2.233879591891614, 0.0),
  Inverse(
    "nearly antipodal, 0.5 degrees",
    (-30.0, 0.0), (29.5, 179.5),
    19937782.28034952, 154.37818274278078),
  Inverse(
    "nearly antipodal, beyond the cut locus",
    (-30.0, 0.0), (29.9, 179.8),
    19989832.82760953, 161.89052473632697),
  Inverse(
    "nearly antipodal, Vincenty fails",
    (5.0, 0.0), (-5.0, 179.45),
    19976018.99166706, 66.1957296075807),
  Inverse(
    "nearly antipodal, small latitude",
    (0.1, 0.0), (-0.1, 179.6),
    19989165.416035745, 41.53725216564359),
  Inverse(
    "nearly antipodal, a millidegree",
    (-40.0, 10.0), (39.999, -170.001),
    20003820.33195644, 179.87648166462958),
  Inverse(
    "nearly antipodal, high latitude",
    (-88.2, 0.0), (88.1, 179.9),
    19992756.400177542, 178.11285271179284),
  Inverse(
    "Karney 2013, table 4",
    (-30.0, 0.0), (29.9, 179.8),
    19989832.82760953, 161.89052473632697),
  Inverse(
    "GeographicLib: short, both latitudes equal",
    (36.493349428792, 0.0), (36.49334942879201, 8e-07),
    0.07167900926641628, 89.9999997621082),
  Inverse(
    "GeographicLib: antipodal, near the equator",
    (0.07476, 0.0), (-0.07476, 179.995),
    20003929.151006144, 0.4750954887627086),
  Inverse(
    "GeographicLib: antipodal, hard to converge",
    (27.2, 0.0), (-27.1, 179.5),
    19974354.76576709, 45.82468716758141),
  Inverse(
    "tiny latitude",
    (1e-12, 0.0), (-1e-12, 90.0),
    10018754.17139462, 90.000000000001),
  Inverse(
    "smallest numbers",
    (0x1p-1074, 0.0), (0.0, 0x1p-1074),
    0.0, nil),
  Inverse(
    "Cape of Good Hope to Cape Horn",
    (-34.3568, 18.474), (-55.9833, -67.2667),
    6671878.861883496, 220.2157439819499),
  Inverse(
    "Alert to Vostok",
    (82.5018, -62.3481), (-78.4645, 106.8339),
    19512898.114240132, 29.208921843698512),
  Inverse(
    "exact antipodes on a meridian",
    (45.0, 0.0), (-45.0, 180.0),
    20003931.458625447, 0.0),
  Inverse(
    "exact antipodes on the equator",
    (0.0, 0.0), (0.0, 180.0),
    20003931.458625447, 0.0),
]

let directs: [Direct] = [
  Direct(
    "a kilometre north-east", (48.0, 11.5), 1000.0, 45.0,
    (48.00635903299068, 11.50947658751851)),
  Direct(
    "north over the pole", (85.0, 20.0), 1000000.0, 0.0,
    (86.04677450384335, -160.0)),
  Direct(
    "south over the pole", (-85.0, 20.0), 1000000.0, 180.0,
    (-86.04677450384335, -160.0)),
  Direct(
    "onto the north pole", (0.0, 7.0), 10001965.729312733, 0.0,
    (89.99999999999991, -173.0)),
  Direct(
    "from the north pole", (90.0, 0.0), 2000000.0, 150.0,
    (72.08815002012736, 29.999999999999993)),
  Direct(
    "from the south pole", (-90.0, 30.0), 2000000.0, 10.0,
    (-72.08815002012736, 40.0)),
  Direct(
    "along the equator across the date line", (0.0, 179.0), 500000.0, 90.0,
    (0.0, -176.5084235794024)),
  Direct(
    "west along the equator", (0.0, -179.0), 500000.0, 270.0,
    (0.0, 176.5084235794024)),
  Direct(
    "half around the globe", (30.0, 0.0), 20000000.0, 60.0,
    (-30.067555254937133, 179.68181751136677)),
  Direct(
    "more than once around the globe", (30.0, 0.0), 50000000.0, 60.0,
    (25.592821404923036, 105.20401159435696)),
  Direct(
    "backward", (30.0, 0.0), -5000000.0, 60.0,
    (2.623857991024925, -37.734263192320924)),
  Direct(
    "no distance", (12.5, -99.0), 0.0, 77.0,
    (12.500000000000002, -99.0)),
  Direct(
    "a millimetre", (-33.0, 151.0), 0.001, 200.0,
    (-33.000000008473, 150.9999999963402)),
  Direct(
    "bearing above 360", (51.0, 3.0), 10000.0, 765.0,
    (51.06351730356867, 3.1008685879368665)),
]
