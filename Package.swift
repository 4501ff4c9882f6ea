// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The compiler settings of all Swift targets.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Enables lifetime annotations, which the non-escapable cursors over bytes need.
let lifetimes: [SwiftSetting] = [.enableExperimentalFeature("Lifetimes")]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], extra: [SwiftSetting] = []
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings + extra)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], path: String? = nil, exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: path, exclude: exclude,
    swiftSettings: settings + lifetimes)
}

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPCompression: Target.Dependency = .product(
  name: "NIOHTTPCompression", package: "swift-nio-extras")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let asyncHTTPClient: Target.Dependency = .product(
  name: "AsyncHTTPClient", package: "async-http-client")
let openCombine: Target.Dependency = .product(name: "OpenCombine", package: "OpenCombine")
let openCombineDispatch: Target.Dependency = .product(
  name: "OpenCombineDispatch", package: "OpenCombine")
let issueReporting: Target.Dependency = .product(
  name: "IssueReporting", package: "xctest-dynamic-overlay")
let issueReportingTestSupport: Target.Dependency = .product(
  name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let serviceLifecycle: Target.Dependency = .product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals: Target.Dependency = .product(
  name: "UnixSignals", package: "swift-service-lifecycle")

/// The library products, one for each module, so that a program links only what it imports.
let libraries = [
  "NMEA", "Positioning", "Receivers", "LocationServices", "LocationClient", "PathMonitorClient",
  "PathMonitorClientLive", "WeatherClient", "WeatherClientLive", "WeatherFeature", "Pipeline",
  "ClientTesting", "DaemonProtocol", "DaemonClient", "FixcastCombine",
]

let package = Package(
  name: "fixcast",
  // The programs are not declared as products. SwiftPM adds them to the products of a root package,
  // and would otherwise also build them with the tests of packages that use a library.
  products: libraries.map { .library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.29.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Without the default trait, which requires all of Foundation.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
  ],
  // In the order of the data flow. A target depends only on targets above it.
  targets: [
    library("Streams"),
    library("NMEA", extra: lifetimes),
    library("Positioning"),
    // The messages between a board and the consumer of a fleet.
    library("FleetProtocol", ["Positioning", "SystemSupport"]),
    // Clocks, threads, files and retries: functions of Linux that several modules use.
    library("SystemSupport", ["Positioning"]),
    // The certificates that a board trusts, and those that it rejects.
    library("TLSSupport", ["Positioning", "SystemSupport", nioCore, nioPosix, nioSSL]),
    // The only target that includes gps.h and libudev.h; `make deps` installs both headers.
    .target(
      name: "CGPS", path: "CGPS", publicHeadersPath: "include",
      linkerSettings: [.linkedLibrary("gps"), .linkedLibrary("udev")]),
    library("Receivers", ["NMEA", "Positioning", "SystemSupport", "CGPS"], extra: lifetimes),
    library(
      "ReceiverSimulator", ["NMEA", "Positioning", "SystemSupport", "Receivers"], extra: lifetimes),
    // One client of MQTT 3.1.1 for boards, the consumer of a fleet and the simulator.
    library(
      "MQTTClient",
      ["Positioning", "SystemSupport", "TLSSupport", nioCore, nioPosix, nioSSL]),
    // Many boards in one process, which publish through a real broker.
    library(
      "FleetSimulator",
      [
        "FleetProtocol", "MQTTClient", "Positioning", "SystemSupport", nioCore, nioPosix, nioSSL,
      ]),
    library("LocationServices", ["Positioning", "Streams", "SystemSupport"]),
    library("LocationClient", ["Positioning", "Streams"]),
    library("PathMonitorClient", ["Streams"]),
    // Includes systemd's headers. libsystemd is not linked, but loaded if it is installed.
    .target(name: "CNetlink"),
    library(
      "PathMonitorClientLive",
      ["PathMonitorClient", "Positioning", "SystemSupport", "CNetlink", "Streams"]),
    library("WeatherClient", ["Positioning"]),
    // Imports SQLite's header from libsqlite3-dev.
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    library("SQLiteStore", ["CSQLite", "SystemSupport"]),
    // The gazetteer (a table of place names and coordinates), embedded as bytes.
    .target(name: "CPlaces", exclude: ["generate.py", "places.bin"]),
    library(
      "WeatherClientLive",
      [
        "SystemSupport", "TLSSupport",
        "WeatherClient", "Positioning", "SQLiteStore", "CPlaces",
        asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioHTTPCompression, nioSSL,
      ]),
    library("Pipeline", ["SystemSupport", "Positioning"]),
    library(
      "WeatherFeature",
      [
        "Pipeline", "LocationClient", "PathMonitorClient", "WeatherClient", "Positioning",
        "Streams",
      ]),
    // The protocol on the daemon's socket, for the server and its clients.
    library("DaemonProtocol", ["LocationServices", "Positioning"]),
    // The files of the status page, embedded as bytes. Links zlib, as swift-nio-extras does.
    .target(name: "CWebPage", linkerSettings: [.linkedLibrary("z")]),
    .target(
      name: "DaemonServer",
      dependencies: [
        "SystemSupport",
        "DaemonProtocol", "LocationServices", "Positioning", "CNetlink", "CWebPage", nioCore,
        nioPosix, nioHTTP1, nioSSL,
      ],
      exclude: ["Web/Page", "Web/openapi.json"],
      swiftSettings: settings),
    // TOML, and the settings types of the modules above.
    library(
      "FixcastConfiguration",
      [
        "SystemSupport", "LocationServices", "Pipeline", "WeatherClient", "WeatherClientLive",
        "DaemonServer", logging,
      ]),
    library(
      "Plugins",
      [
        "SystemSupport", "MQTTClient", "FleetProtocol",
        "LocationServices", "Pipeline", "WeatherFeature", "Positioning", "PathMonitorClient",
        "FixcastConfiguration", "SQLiteStore", "WeatherClient", logging, nioCore, nioPosix,
        subprocess, systemPackage,
      ]),
    library(
      "DaemonClient",
      [
        "SystemSupport",
        "DaemonProtocol", "LocationServices", "LocationClient", "Positioning", "Streams",
        asyncHTTPClient, nioCore, nioPosix, nioHTTP1,
      ]),
    library(
      "Daemon",
      [
        "SystemSupport",
        "FixcastConfiguration", "DaemonServer", "Positioning", "Receivers", "ReceiverSimulator",
        "LocationServices", "Pipeline", "WeatherFeature",
        "Plugins", "DaemonProtocol", "DaemonClient",
        "LocationClient", "PathMonitorClient", "PathMonitorClientLive",
        "WeatherClient", "SQLiteStore", "WeatherClientLive", logging, serviceLifecycle,
        unixSignals,
      ]),
    library(
      "Doctor",
      [
        "SystemSupport", "Positioning", "Receivers", "PathMonitorClient", "PathMonitorClientLive",
        "DaemonProtocol", "DaemonClient",
      ]),
    // The only module that imports OpenCombine. The program links neither of the two.
    library(
      "FixcastCombine",
      ["Positioning", "LocationClient", "PathMonitorClient", "WeatherClient", openCombine]),
    // For tests of features, clients and plugins. Separate from the interfaces, because
    // IssueReporting links all of Foundation.
    library(
      "ClientTesting",
      [
        "Positioning", "LocationClient", "PathMonitorClient", "WeatherClient", "Pipeline",
        issueReporting,
      ]),
    .target(name: "CTestConcurrency", path: "Tests/TestConcurrency"),
    // The helpers of tests and benchmarks. It does not import Testing, which the static standard
    // library of the benchmarks lacks.
    .target(
      name: "FixcastTestSupport",
      dependencies: [
        "ClientTesting",
        "SystemSupport", "LocationServices", "Positioning", "PathMonitorClient", "Pipeline",
        "WeatherClient", "WeatherFeature",
      ],
      path: "Tests/Support", swiftSettings: settings),
    .target(
      name: "FixcastTesting", dependencies: ["CTestConcurrency", "FixcastTestSupport"],
      path: "Tests/Traits", swiftSettings: settings),
    .executableTarget(
      name: "fixcast",
      dependencies: [
        "SystemSupport",
        "FixcastConfiguration", "LocationServices", "Pipeline", "Plugins",
        "Positioning",
        "Receivers", "ReceiverSimulator", "LocationClient", "PathMonitorClient",
        "PathMonitorClientLive",
        "WeatherClient",
        "DaemonProtocol", "DaemonClient", "Daemon", "Doctor",
        "WeatherClientLive", "WeatherFeature", argumentParser, nioCore, nioPosix, nioHTTP1,
        subprocess,
      ],
      swiftSettings: settings + lifetimes),
    // Includes PostgreSQL's header from libpq-dev.
    .target(name: "CPostgres", linkerSettings: [.linkedLibrary("pq")]),
    // The consumer of many boards: from an MQTT broker to PostgreSQL.
    .executableTarget(
      name: "fixcast-fleet",
      dependencies: [
        "SystemSupport", "FleetProtocol", "MQTTClient", "FleetSimulator", "Positioning",
        "WeatherClient", "WeatherClientLive", "DaemonProtocol", "CPostgres", argumentParser,
        logging, nioCore, nioPosix, nioHTTP1, nioSSL,
        unixSignals,
      ],
      swiftSettings: settings),
    tests("NMEATests", ["NMEA", "FixcastTesting"]),
    tests("PositioningTests", ["Positioning", "Receivers", "FixcastTesting"]),
    // `Headers` is excluded, because a test compiles it together with CGPS.
    tests(
      "ReceiversTests",
      ["SystemSupport", "Receivers", "ReceiverSimulator", "NMEA", "Positioning", "FixcastTesting"],
      exclude: ["Devices", "Headers", "Scripts"]),
    tests("FleetProtocolTests", ["FleetProtocol", "Positioning", "FixcastTesting"]),
    tests(
      "FleetSimulatorTests",
      [
        "FleetSimulator", "FleetProtocol", "MQTTClient", "Positioning", "SystemSupport",
        "FixcastTesting", nioCore,
      ]),
    tests(
      "MQTTClientTests",
      ["MQTTClient", "Positioning", "SystemSupport", "FixcastTesting", nioCore, nioPosix]),
    tests("SystemSupportTests", ["SystemSupport", "Positioning", "FixcastTesting"]),
    tests("StreamsTests", ["Streams", "FixcastTesting"]),
    tests(
      "LocationServicesTests",
      ["SystemSupport", "LocationServices", "Positioning", "FixcastTesting"]),
    tests(
      "FixcastConfigurationTests",
      [
        "FixcastConfiguration", "DaemonServer", "LocationServices", "Pipeline", "SystemSupport",
        "WeatherClient", "WeatherClientLive", "FixcastTesting", logging,
      ]),
    tests(
      "LocationClientTests",
      [
        "LocationClient", "DaemonClient", "LocationServices", "Positioning", "Receivers",
        "ReceiverSimulator", "FixcastTesting",
      ]),
    tests("PathMonitorClientTests", ["PathMonitorClient", "FixcastTesting"]),
    tests(
      "PathMonitorClientLiveTests",
      ["SystemSupport", "PathMonitorClient", "PathMonitorClientLive", "FixcastTesting"],
      exclude: ["Scripts"]),
    tests("WeatherClientTests", ["WeatherClient", "Positioning", "FixcastTesting"]),
    tests(
      "WeatherClientLiveTests",
      [
        "SystemSupport", "TLSSupport",
        "WeatherClient", "WeatherClientLive", "LocationServices", "Positioning", "SQLiteStore",
        "FixcastTesting",
      ],
      exclude: ["Places/brute_force.py", "Places/nearest.txt"]),
    tests("SQLiteStoreTests", ["SQLiteStore", "SystemSupport", "FixcastTesting"]),
    tests(
      "ClientTestingTests",
      [
        "ClientTesting", "LocationClient", "LocationServices", "PathMonitorClient",
        "Positioning", "WeatherClient", "WeatherFeature", "Pipeline", "FixcastTesting",
        issueReporting, issueReportingTestSupport,
      ]),
    tests(
      "PipelineTests",
      ["Pipeline", "LocationServices", "Positioning", "FixcastTesting"]),
    tests(
      "WeatherFeatureTests",
      [
        "SystemSupport",
        "WeatherFeature", "Pipeline", "LocationServices", "LocationClient", "PathMonitorClient",
        "WeatherClient", "WeatherClientLive", "Positioning", "Streams", "FixcastTesting",
        "ClientTesting",
      ]),
    // `Isolation` is excluded, because a test compiles it and expects errors.
    tests(
      "FixcastCombineTests",
      [
        "FixcastCombine", "LocationClient", "LocationServices", "PathMonitorClient", "Positioning",
        "Streams", "WeatherClient", "FixcastTesting", openCombine, openCombineDispatch,
      ],
      exclude: ["Isolation"]),
    tests(
      "PluginsTests",
      [
        "SystemSupport",
        "Plugins", "FleetProtocol", "MQTTClient", "WeatherFeature", "Pipeline", "ClientTesting",
        "LocationServices", "PathMonitorClient", "FixcastConfiguration", "WeatherClient",
        "Positioning",
        "FixcastTesting",
        "SQLiteStore", logging,
      ]),
    tests(
      "DaemonProtocolTests",
      ["DaemonProtocol", "LocationServices", "Positioning", "FixcastTesting"]),
    tests(
      "DaemonServerTests",
      [
        "SystemSupport",
        "DaemonServer", "DaemonProtocol", "LocationServices", "Positioning", "FixcastTesting",
        nioCore,
        nioPosix,
      ]),
    tests(
      "DaemonClientTests",
      [
        "SystemSupport",
        "DaemonClient", "DaemonServer", "DaemonProtocol", "LocationServices", "Positioning",
        "FixcastTesting", "LocationClient", nioCore,
      ]),
    tests(
      "DaemonTests",
      [
        "SystemSupport",
        "Daemon", "Receivers", "ReceiverSimulator", "Positioning", "LocationServices", "Pipeline",
        "WeatherFeature",
        "Plugins", "PathMonitorClient", "WeatherClient", "WeatherClientLive", "FixcastTesting",
        "LocationClient", "DaemonClient", "PathMonitorClientLive", "DaemonServer",
        "FixcastConfiguration", "DaemonProtocol", logging,
      ]),
    tests(
      "DoctorTests",
      [
        "Doctor", "DaemonClient", "DaemonProtocol", "DaemonServer", "LocationServices",
        "PathMonitorClient", "Positioning", "Receivers", "SystemSupport", "FixcastTesting",
      ]),
    tests(
      "FixcastTests",
      [
        "SystemSupport",
        "fixcast", "LocationServices", "Plugins", "Positioning", "Receivers", "ReceiverSimulator",
        "FixcastTesting",
        "WeatherFeature", "Pipeline", "WeatherClient", "WeatherClientLive",
        "PathMonitorClient", "PathMonitorClientLive", "LocationClient", "DaemonServer",
        "DaemonProtocol", "DaemonClient", "Daemon", "Doctor", argumentParser, "board-weather",
      ]),
    tests(
      "FleetTests",
      [
        "SystemSupport", "fixcast-fleet", "FleetProtocol", "MQTTClient", "Positioning",
        "WeatherClient", "WeatherClientLive", "FixcastTesting", logging, nioCore,
      ]),
    // The samples of the documents and their tests. `Tests/ClientPackage` is also a package of its
    // own, which checks that they use public declarations only.
    tests(
      "ClientPackageTests",
      [
        "ClientTesting", "DaemonClient", "FixcastCombine", "LocationClient", "LocationServices",
        "PathMonitorClient", "PathMonitorClientLive", "Positioning", "Receivers", "WeatherClient",
        "WeatherClientLive", "WeatherFeature", issueReportingTestSupport, openCombine,
      ],
      path: "Tests/ClientPackage/Tests/ClientPackageTests"),
    // The example program of the article "Coming from Cocoacasts", which only a test runs.
    .executableTarget(
      name: "board-weather",
      dependencies: [
        "DaemonClient", "LocationClient", "Receivers", "WeatherClient", "WeatherClientLive",
        "WeatherFeature",
      ],
      path: "Tests/ClientPackage/Sources/board-weather", swiftSettings: settings),
    .executableTarget(
      name: "fixcast-bench",
      dependencies: [
        "SystemSupport",
        "NMEA", "Positioning", "Receivers", "ReceiverSimulator", "CGPS", "LocationServices",
        "WeatherClient",
        "WeatherClientLive", "FixcastTestSupport",
      ],
      path: "Tests/Benchmarks", exclude: ["run.sh", "footprint.py"],
      swiftSettings: settings),
    // Contains the fuzzer only if FUZZING is defined, as `make fuzz` does.
    .executableTarget(
      name: "fixcast-fuzz",
      dependencies: [
        "SystemSupport", "NMEA", "Positioning", "Receivers", "LocationServices", "DaemonServer",
        "MQTTClient", nioCore,
      ],
      path: "Tests/Fuzzing", exclude: ["run.sh"],
      swiftSettings: settings + lifetimes),
  ],
  swiftLanguageModes: [.v6]
)
