// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemSupport
import Testing

/// Rules for all source files: no traps, short files, and only imports that the architecture
/// allows.
@Suite("Source rules") struct SourceRulesTests {
  /// The system modules that every module may import.
  private static let system: Set<String> = ["Glibc", "Synchronization", "Dispatch", "Observation"]
  /// The interface modules, which may not even import the C library.
  private static let interfaces: Set<String> = [
    "LocationClient", "PathMonitorClient", "WeatherClient",
  ]
  /// The modules that may import external packages.
  private static let outward: Set<String> = [
    "TLSSupport", "WeatherClientLive", "ClientTesting", "Plugins", "DaemonServer", "DaemonClient",
    "FixcastConfiguration", "Daemon", "FixcastCombine", "MQTTClient", "FleetSimulator", "fixcast",
    "fixcast-fleet",
  ]

  /// The modules of the package that a module may import.
  ///
  /// A module that may import `LocationServices` may also import `Positioning`, because the public
  /// interface of `LocationServices` uses types of `Positioning`, and Swift requires an import of
  /// the module whose members are used.
  private static let allowed: [String: Set<String>] = {
    let clients = ["LocationClient", "PathMonitorClient", "WeatherClient"]
    var table: [String: Set<String>] = [
      "Streams": [],
      "NMEA": [],
      "Positioning": [],
      "FleetProtocol": ["Positioning", "SystemSupport"],
      "MQTTClient": ["Positioning", "SystemSupport", "TLSSupport"],
      "FleetSimulator": ["FleetProtocol", "MQTTClient", "Positioning", "SystemSupport"],
      "SystemSupport": ["Positioning"],
      "TLSSupport": ["Positioning", "SystemSupport"],
      "Receivers": ["SystemSupport", "Positioning", "NMEA", "CGPS"],
      "ReceiverSimulator": ["SystemSupport", "Positioning", "NMEA", "Receivers"],
      "LocationServices": ["SystemSupport", "Positioning", "Streams"],
      "LocationClient": ["Positioning", "Streams"],
      "PathMonitorClient": ["Streams"],
      "PathMonitorClientLive": [
        "PathMonitorClient", "Positioning", "SystemSupport", "CNetlink", "Streams",
      ],
      "WeatherClient": ["Positioning"],
      "SQLiteStore": ["CSQLite", "SystemSupport"],
      "WeatherClientLive": [
        "WeatherClient", "Positioning", "SQLiteStore", "SystemSupport", "TLSSupport",
        "CPlaces",
      ],
      "ClientTesting": Set(clients + ["Positioning", "Pipeline"]),
      "Pipeline": ["SystemSupport", "Positioning"],
      "FixcastConfiguration": [
        "SystemSupport", "LocationServices", "Pipeline", "WeatherClient", "WeatherClientLive",
        "DaemonServer",
      ],
      "WeatherFeature": Set(clients + ["Positioning", "Pipeline", "Streams"]),
      "Plugins": Set(
        clients + [
          "LocationServices", "Positioning", "Pipeline", "WeatherFeature", "FixcastConfiguration",
          "SQLiteStore", "SystemSupport", "FleetProtocol", "MQTTClient",
        ]),
      "DaemonProtocol": ["LocationServices", "Positioning"],
      "DaemonServer": [
        "SystemSupport", "DaemonProtocol", "LocationServices", "Positioning", "CNetlink",
        "CWebPage",
      ],
      "DaemonClient": [
        "SystemSupport", "LocationClient", "Streams", "DaemonProtocol", "LocationServices",
        "Positioning",
      ],
      "FixcastCombine": Set(clients + ["Positioning"]),
    ]
    // The program links neither test helpers nor OpenCombine.
    let libraries = Set(table.keys).subtracting([
      "FixcastCombine", "ClientTesting",
    ])
    table["Daemon"] = libraries
    table["Doctor"] = [
      "SystemSupport", "Positioning", "Receivers", "PathMonitorClient", "PathMonitorClientLive",
      "DaemonProtocol", "DaemonClient",
    ]
    table["fixcast-fleet"] = [
      "SystemSupport", "FleetProtocol", "MQTTClient", "FleetSimulator", "Positioning",
      "WeatherClient", "WeatherClientLive", "DaemonProtocol", "CPostgres",
    ]
    table["fixcast"] = libraries.union(["Daemon", "Doctor"])
    return table
  }()

  /// All modules of the package, including C.
  private static let ours = Set(allowed.keys).union([
    "CGPS", "CNetlink", "CSQLite", "CPlaces", "CPostgres", "CWebPage",
  ])

  private static let files = Result<[SourceFile], any Error> { try SourceFile.all() }

  /// Returns the Swift files, except those of `NMEA`, which has its own rules.
  private static func checkedFiles() throws -> [SourceFile] {
    try files.get().filter { $0.isSwift && $0.module != "NMEA" }
  }

  @Test func `the source files of all modules are found`() throws {
    let modules = Set(try Self.files.get().map(\.module))
    #expect(modules.isSuperset(of: ["Positioning", "Receivers", "Daemon", "fixcast", "CGPS"]))
    #expect(try Self.checkedFiles().count > 100)
  }

  @Test func `every source file begins with the licence line and contains it only once`() throws {
    for file in try Self.files.get() {
      #expect(
        file.lines.first == "// SPDX-License-Identifier: Apache-2.0", "\(file.path)")
      let count = file.lines.count { $0.contains("SPDX-License-Identifier") }
      #expect(count == 1, "\(file.path)")
    }
  }

  @Test func `no directory has more than 20 files or a generic name`() throws {
    let folders = Dictionary(grouping: try Self.files.get()) {
      $0.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    for (folder, files) in folders {
      #expect(files.count <= 20, "\(folder)")
      let name = folder.split(separator: "/").last.map(String.init) ?? ""
      #expect(!["Support", "Files", "Common", "Utilities", "Helpers"].contains(name), "\(folder)")
    }
  }

  @Test func `no source file is longer than 400 lines`() throws {
    for file in try Self.files.get() {
      #expect(file.lines.count <= 400, "\(file.path) has \(file.lines.count)")
    }
  }

  @Test func `only one file reads the monotonic clock`() throws {
    let readers = try Self.files.get().filter { file in
      file.isSwift
        && file.lines.contains { $0.contains("clock_gettime") && !$0.contains("CLOCK_REALTIME") }
    }
    #expect(readers.map(\.path) == ["Sources/Positioning/Clock/MonotonicTime.swift"])
  }

  @Test func `no source file traps or force-unwraps`() throws {
    for file in try Self.checkedFiles() {
      for (index, line) in file.code.enumerated() where SourceText.canTrap(line) {
        Issue.record("\(file.path):\(index + 1): \(line)")
      }
    }
  }

  @Test func `no source file imports Foundation, only FoundationEssentials`() throws {
    for file in try Self.files.get() where file.isSwift {
      let found = file.imports.filter {
        $0.hasPrefix("Foundation") && $0 != "FoundationEssentials"
      }
      #expect(found.isEmpty, "\(file.path)")
    }
  }

  @Test func `at most four files, all in Receivers, import CGPS`() throws {
    let files = try Self.files.get().filter { $0.imports.contains("CGPS") }
    #expect(files.count <= 4, "\(files.map(\.path))")
    #expect(files.allSatisfy { $0.module == "Receivers" }, "\(files.map(\.path))")
  }

  @Test func `each C module is imported by at most one module, CNetlink by at most two`() throws {
    for (name, limit) in [
      ("CGPS", 1), ("CNetlink", 2), ("CSQLite", 1), ("CPlaces", 1), ("CPostgres", 1),
      ("CWebPage", 1),
    ] {
      let modules = Set(try Self.files.get().filter { $0.imports.contains(name) }.map(\.module))
      #expect(modules.count <= limit, "\(name): \(modules)")
    }
  }

  @Test func `each module imports only the modules that the architecture allows`() throws {
    for file in try Self.files.get() where file.isSwift {
      guard let allowed = Self.allowed[file.module] else {
        Issue.record("\(file.module) is missing in the table of allowed imports")
        continue
      }
      let others = file.imports.subtracting(Self.system).subtracting(["FoundationEssentials"])
      let inward = others.intersection(Self.ours)
      #expect(inward.isSubset(of: allowed), "\(file.path): \(inward.subtracting(allowed))")
      guard !Self.outward.contains(file.module) else { continue }
      let outward = others.subtracting(Self.ours)
      #expect(outward.isEmpty, "\(file.path): \(outward)")
    }
  }

  @Test(arguments: interfaces.sorted())
  func `interface modules import no live module, no NIO and no C`(module: String) throws {
    let files = try Self.files.get().filter { $0.module == module }
    #expect(!files.isEmpty)
    let allowed = try #require(Self.allowed[module]).union(["Synchronization"])
    for file in files {
      #expect(file.isSwift, "\(file.path)")
      #expect(file.imports.isSubset(of: allowed), "\(file.path): \(file.imports)")
    }
  }

  /// Returns all modules that a module imports, directly or indirectly.
  private static func reach(of module: String) throws -> Set<String> {
    let files = try files.get()
    var reached: Set<String> = []
    var waiting: Set<String> = [module]
    while let next = waiting.popFirst() {
      reached.insert(next)
      let imports = files.filter { $0.module == next }.flatMap(\.imports)
      waiting.formUnion(Set(imports).subtracting(reached))
    }
    return reached
  }

  @Test(arguments: interfaces.sorted() + ["WeatherFeature"])
  func `a feature depends only on interfaces and decision modules`(module: String) throws {
    let reached = try Self.reach(of: module)
    let light = Set(Self.interfaces).union([
      "WeatherFeature", "Pipeline", "Positioning", "Streams", "SystemSupport",
    ])
    // The threads and clocks of `SystemSupport` need the C library.
    let system = Self.system.union(["FoundationEssentials"])
    #expect(reached.isSubset(of: light.union(system)), "\(reached)")
  }

  @Test func `the program does not depend on OpenCombine, only FixcastCombine does`() throws {
    let ofProgram = try Self.reach(of: "fixcast")
    #expect(ofProgram.isDisjoint(with: ["FixcastCombine", "OpenCombine"]))
    let ofCombine = try Self.reach(of: "FixcastCombine")
    #expect(ofCombine.contains("OpenCombine"))
  }

  @Test(arguments: [
    ("let a = try! b()", true), ("let a = b as! C", true), ("let a = b!", true),
    ("a[0]!.c()", true), ("f()!", true), ("var a: Int!", true), ("fatalError()", true),
    ("precondition(a > b)", true), ("preconditionFailure()", true),
    ("let a = try? b()", false), ("if a != b {", false), ("if !a {", false),
    ("guard !f(!a) else { return }", false), ("let a = \"stop!\"", false),
    ("// never use try!", false), ("a // b!", false), ("let preconditions = 1", false),
    ("let a = \"\\\"b!\"", false),
  ])
  func `the check for traps recognizes lines that trap`(line: String, canTrap: Bool) {
    let code = SourceText.code(of: [line])
    #expect(code.contains { SourceText.canTrap($0) } == canTrap)
  }

  @Test func `SourceText removes multi-line strings from the code, but not the lines after them`() {
    let code = SourceText.code(of: [
      "let a = \"\"\"", "  Stop! try! as!", "  import Foundation", "  \"\"\"", "let b = c!",
    ])
    #expect(code.map(SourceText.canTrap) == [false, false, false, false, true])
    #expect(SourceText.imports(in: code).isEmpty)
  }

  @Test(arguments: [
    ("import A", ["A"]), ("public import A", ["A"]), ("@testable internal import A", ["A"]),
    ("@_spi(B) import A", ["A"]), ("import struct A.B", ["A"]), ("  import A.B", ["A"]),
    ("@preconcurrency public import class A.B", ["A"]),
    ("let importA = 1", []), ("// import A", []), ("important(A)", []),
  ])
  func `the check of imports recognizes every form of import`(line: String, modules: [String]) {
    #expect(SourceText.imports(in: SourceText.code(of: [line])) == Set(modules))
  }
}
