// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

func fixcast(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "fixcast") }
}

// A package of its own that uses the libraries: the samples of the documents and their tests. It
// may use public declarations only. `make test` runs the same tests in the package of Fixcast.
let package = Package(
  name: "client-package",
  dependencies: [
    .package(name: "fixcast", path: "../.."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
  ],
  targets: [
    .executableTarget(
      name: "board-weather",
      dependencies: fixcast(
        "DaemonClient", "LocationClient", "Receivers", "WeatherClient", "WeatherClientLive",
        "WeatherFeature")),
    .testTarget(
      name: "ClientPackageTests",
      dependencies: fixcast(
        "ClientTesting", "DaemonClient", "FixcastCombine", "LocationClient", "LocationServices",
        "PathMonitorClient", "PathMonitorClientLive", "Positioning", "Receivers", "WeatherClient",
        "WeatherClientLive", "WeatherFeature")
        + [
          .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
          .product(name: "OpenCombine", package: "OpenCombine"),
        ]),
  ]
)
