// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemSupport
import Testing

/// What holds for all sources: no traps, short files, and imports in the direction of a fix.
@Suite("Source rules") struct SourceRulesTests {
  /// System modules that any module may import.
  private static let system: Set<String> = ["Glibc", "Synchronization", "Dispatch", "Observation"]
  /// Interfaces see not even the C library.
  private static let interfaces: Set<String> = [
    "LocationClient", "PathMonitorClient", "WeatherClient",
  ]
  /// Modules that may use packages of others.
  private static let outward: Set<String> = [
    "WeatherClientLive", "ClientTesting", "Plugins", "DaemonServer", "DaemonClient",
    "Daemon", "FixcastCombine", "fixcast",
  ]

  /// Which modules of the package a module may import.
  ///
  /// Whoever may import `LocationServices` may import `Positioning`, the words of its interface:
  /// Swift wants a module named whose members are used.
  private static let allowed: [String: Set<String>] = {
    let clients = ["LocationClient", "PathMonitorClient", "WeatherClient"]
    var table: [String: Set<String>] = [
      "Streams": [],
      "NMEA": [],
      "Positioning": [],
      "SystemSupport": ["Positioning"],
      "Receivers": ["SystemSupport", "Positioning", "NMEA", "CGPS"],
      "ReceiverSimulator": ["SystemSupport", "Positioning", "NMEA", "Receivers"],
      "LocationServices": ["SystemSupport", "Positioning", "Streams"],
      "LocationClient": ["Positioning", "Streams"],
      "PathMonitorClient": ["Streams"],
      "PathMonitorClientLive": [
        "PathMonitorClient", "Positioning", "SystemSupport", "CNetlink", "Streams",
      ],
      "WeatherClient": ["Positioning"],
      "SQLiteStore": ["CSQLite"],
      "WeatherClientLive": [
        "WeatherClient", "Positioning", "SQLiteStore", "SystemSupport",
        "CPlaces",
      ],
      "ClientTesting": Set(clients + ["LocationServices", "Positioning", "Pipeline"]),
      "Pipeline": ["SystemSupport", "LocationServices", "Positioning"],
      // Only the names of what there is to configure, and what it links the pipeline has too.
      "FixcastConfiguration": [
        "SystemSupport", "LocationServices", "Pipeline",
      ],
      "WeatherFeature": Set(
        clients + ["LocationServices", "Positioning", "Pipeline", "Streams"]),
      "Plugins": Set(
        clients + [
          "LocationServices", "Positioning", "Pipeline", "WeatherFeature", "FixcastConfiguration",
          "SQLiteStore", "SystemSupport",
        ]),
      "DaemonProtocol": ["LocationServices", "Positioning"],
      "DaemonServer": [
        "SystemSupport", "DaemonProtocol", "LocationServices", "Positioning", "CNetlink",
      ],
      "DaemonClient": [
        "SystemSupport", "LocationClient", "Streams", "DaemonProtocol", "LocationServices",
        "Positioning",
      ],
      "FixcastCombine": Set(clients + ["Positioning"]),
    ]
    // The program links no test helper and no OpenCombine.
    let libraries = Set(table.keys).subtracting([
      "FixcastCombine", "ClientTesting",
    ])
    table["Daemon"] = libraries
    table["Doctor"] = [
      "SystemSupport", "Positioning", "Receivers", "PathMonitorClient", "PathMonitorClientLive",
      "DaemonProtocol", "DaemonClient",
    ]
    table["fixcast"] = libraries.union(["Daemon", "Doctor"])
    return table
  }()

  /// Modules of the package, C among them.
  private static let ours = Set(allowed.keys).union(["CGPS", "CNetlink", "CSQLite", "CPlaces"])

  private static let files = Result<[SourceFile], any Error> { try SourceFile.all() }

  /// Files of the program, and not of its tests or of the module that has rules of its own.
  private static func ruled() throws -> [SourceFile] {
    try files.get().filter { $0.isSwift && $0.module != "NMEA" }
  }

  @Test("finds the sources")
  func findsSources() throws {
    let modules = Set(try Self.files.get().map(\.module))
    #expect(modules.isSuperset(of: ["Positioning", "Receivers", "Daemon", "fixcast", "CGPS"]))
    #expect(try Self.ruled().count > 100)
  }

  @Test("every file begins with its licence")
  func beginsWithLicence() throws {
    for file in try Self.files.get() {
      #expect(
        file.lines.first == "// SPDX-License-Identifier: Apache-2.0", "\(file.path)")
      let count = file.lines.count { $0.contains("SPDX-License-Identifier") }
      #expect(count == 1, "\(file.path)")
    }
  }

  @Test("no folder has more than 20 files, or a name that says nothing of them")
  func hasSmallFolders() throws {
    let folders = Dictionary(grouping: try Self.files.get()) {
      $0.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    for (folder, files) in folders {
      #expect(files.count <= 20, "\(folder)")
      let name = folder.split(separator: "/").last.map(String.init) ?? ""
      #expect(!["Support", "Files", "Common", "Utilities", "Helpers"].contains(name), "\(folder)")
    }
  }

  @Test("no file is longer than 400 lines")
  func isShort() throws {
    for file in try Self.files.get() {
      #expect(file.lines.count <= 400, "\(file.path) has \(file.lines.count)")
    }
  }

  @Test("one file reads the monotonic clock")
  func monotonicClock() throws {
    let readers = try Self.files.get().filter { file in
      file.isSwift
        && file.lines.contains { $0.contains("clock_gettime") && !$0.contains("CLOCK_REALTIME") }
    }
    #expect(readers.map(\.path) == ["Sources/Positioning/Clock/MonotonicTime.swift"])
  }

  @Test("nothing stops the program or unwraps by force")
  func hasNothingThatStops() throws {
    for file in try Self.ruled() {
      for (index, line) in file.code.enumerated() where SourceText.stops(line) {
        Issue.record("\(file.path):\(index + 1): \(line)")
      }
    }
  }

  @Test("nothing imports the large Foundation")
  func importsNoFoundation() throws {
    for file in try Self.files.get() where file.isSwift {
      let found = file.imports.filter {
        $0.hasPrefix("Foundation") && $0 != "FoundationEssentials"
      }
      #expect(found.isEmpty, "\(file.path)")
    }
  }

  @Test("at most three files see gpsd's and udev's C")
  func keepsCInFewFiles() throws {
    let files = try Self.files.get().filter { $0.imports.contains("CGPS") }
    #expect(files.count <= 3, "\(files.map(\.path))")
    #expect(files.allSatisfy { $0.module == "Receivers" }, "\(files.map(\.path))")
  }

  @Test("each C module is seen by one module, and what Glibc lacks of the kernel by two")
  func fewModulesSeeC() throws {
    for (name, most) in [("CGPS", 1), ("CNetlink", 2), ("CSQLite", 1), ("CPlaces", 1)] {
      let modules = Set(try Self.files.get().filter { $0.imports.contains(name) }.map(\.module))
      #expect(modules.count <= most, "\(name): \(modules)")
    }
  }

  @Test("each module imports only what the architecture allows it")
  func importsOnlyAllowed() throws {
    for file in try Self.files.get() where file.isSwift {
      guard let allowed = Self.allowed[file.module] else {
        Issue.record("\(file.module) has no line in the table of what it may import")
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

  @Test("interfaces see nothing that is live, no NIO and no C", arguments: interfaces.sorted())
  func interfacesArePure(module: String) throws {
    let files = try Self.files.get().filter { $0.module == module }
    #expect(!files.isEmpty)
    let allowed = try #require(Self.allowed[module]).union(["Synchronization"])
    for file in files {
      #expect(file.isSwift, "\(file.path)")
      #expect(file.imports.isSubset(of: allowed), "\(file.path): \(file.imports)")
    }
  }

  /// All modules that a module imports, and those that they import.
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

  @Test(
    "a feature reaches nothing but interfaces and decisions",
    arguments: interfaces.sorted() + ["WeatherFeature"])
  func featuresAreLight(module: String) throws {
    let reached = try Self.reach(of: module)
    let light = Set(Self.interfaces).union([
      "WeatherFeature", "Pipeline", "LocationServices", "Positioning", "Streams",
      "SystemSupport",
    ])
    // The policy that reads files needs the C library, and no more.
    let system = Self.system.union(["FoundationEssentials"])
    #expect(reached.isSubset(of: light.union(system)), "\(reached)")
  }

  @Test("the program does not reach OpenCombine, and one module does")
  func programIsWithoutOpenCombine() throws {
    let ofProgram = try Self.reach(of: "fixcast")
    #expect(ofProgram.isDisjoint(with: ["FixcastCombine", "OpenCombine"]))
    let ofCombine = try Self.reach(of: "FixcastCombine")
    #expect(ofCombine.contains("OpenCombine"))
  }

  @Test(
    "knows what stops a program from what does not",
    arguments: [
      ("let a = try! b()", true), ("let a = b as! C", true), ("let a = b!", true),
      ("a[0]!.c()", true), ("f()!", true), ("var a: Int!", true), ("fatalError()", true),
      ("precondition(a > b)", true), ("preconditionFailure()", true),
      ("let a = try? b()", false), ("if a != b {", false), ("if !a {", false),
      ("guard !f(!a) else { return }", false), ("let a = \"stop!\"", false),
      ("// never use try!", false), ("a // b!", false), ("let preconditions = 1", false),
      ("let a = \"\\\"b!\"", false),
    ])
  func knowsTraps(line: String, stops: Bool) {
    let code = SourceText.code(of: [line])
    #expect(code.contains { SourceText.stops($0) } == stops)
  }

  @Test("texts of several lines are no code, and what comes after them is")
  func skipsLongTexts() {
    let code = SourceText.code(of: [
      "let a = \"\"\"", "  Stop! try! as!", "  import Foundation", "  \"\"\"", "let b = c!",
    ])
    #expect(code.map(SourceText.stops) == [false, false, false, false, true])
    #expect(SourceText.imports(in: code).isEmpty)
  }

  @Test(
    "knows an import however it is written",
    arguments: [
      ("import A", ["A"]), ("public import A", ["A"]), ("@testable internal import A", ["A"]),
      ("@_spi(B) import A", ["A"]), ("import struct A.B", ["A"]), ("  import A.B", ["A"]),
      ("@preconcurrency public import class A.B", ["A"]),
      ("let importA = 1", []), ("// import A", []), ("important(A)", []),
    ])
  func knowsImports(line: String, modules: [String]) {
    #expect(SourceText.imports(in: SourceText.code(of: [line])) == Set(modules))
  }
}
