// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// What every target compiles with.
///
/// See CONTRIBUTING for the reasons.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// A non-escapable cursor over bytes needs lifetime annotations.
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], extra: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + extra)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + lifetimes)
}

/// Every library is a product: whoever wants the parser alone links the parser alone.
let libraries = [
  "Streams",
  "NMEA",
]

let package = Package(
  name: "fixcast",
  products: libraries.map { .library(name: $0, targets: [$0]) },
  // In the order in which a fix travels: a target depends only on targets above it.
  targets: [
    library("Streams"),
    library("NMEA", extra: lifetimes),
    tests("NMEATests", ["NMEA"]),
    tests("StreamsTests", ["Streams"]),
  ],
  swiftLanguageModes: [.v6]
)
