// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The libraries linked into the program, for `--version --verbose`.
///
/// A test compares this list with `.packaging/versions.txt`; the release build compares the
/// list with the linked program.
enum LinkedLibraries {
  /// A library and its licence as an SPDX expression.
  struct Library: Equatable {
    var name: String
    /// The version; `nil` for a system library, whose version is read from the loaded file.
    var version: String?
    var licence: String
  }

  #if compiler(>=6.3)
    private static let swiftVersion = "6.3.1"
  #else
    /// Debian's compiler, which builds packages for other architectures.
    private static let swiftVersion = "6.2.3"
  #endif
  private static let apache = "Apache-2.0"
  private static let swift = "Apache-2.0 WITH Swift-exception"
  private static let gcc = "GPL-3.0-or-later WITH GCC-exception-3.1"

  /// The statically linked libraries, followed by the system libraries.
  static let all: [Library] = [
    Library(name: "async-http-client", version: "1.37.0", licence: apache),
    Library(name: "boringssl", version: "8eb25be6fa18", licence: apache),
    Library(name: "llhttp", version: "9.3.0", licence: "MIT"),
    Library(name: "swift", version: swiftVersion, licence: swift),
    Library(name: "swift-algorithms", version: "1.2.1", licence: swift),
    Library(name: "swift-argument-parser", version: "1.8.2", licence: swift),
    Library(name: "swift-async-algorithms", version: "1.1.4", licence: swift),
    Library(name: "swift-atomics", version: "1.3.0", licence: swift),
    Library(name: "swift-collections", version: "1.6.0", licence: swift),
    Library(name: "swift-configuration", version: "1.4.0", licence: apache),
    Library(name: "swift-distributed-tracing", version: "1.7.3", licence: apache),
    Library(name: "swift-log", version: "1.16.2", licence: apache),
    Library(name: "swift-nio", version: "2.101.2", licence: apache),
    Library(name: "swift-nio-extras", version: "1.35.2", licence: apache),
    Library(name: "swift-nio-http2", version: "1.46.0", licence: apache),
    Library(name: "swift-nio-ssl", version: "2.37.6", licence: apache),
    Library(name: "swift-numerics", version: "1.1.1", licence: swift),
    Library(name: "swift-service-context", version: "1.5.1", licence: apache),
    Library(name: "swift-service-lifecycle", version: "2.13.0", licence: apache),
    Library(name: "swift-subprocess", version: "1.0.2", licence: apache),
    Library(name: "swift-system", version: "1.8.1", licence: swift),
    Library(name: "libc", version: nil, licence: "LGPL-2.1-or-later"),
    Library(name: "libgcc_s", version: nil, licence: gcc),
    Library(name: "libgps", version: nil, licence: "BSD-2-Clause"),
    Library(name: "libm", version: nil, licence: "LGPL-2.1-or-later"),
    Library(name: "libsqlite3", version: nil, licence: "blessing"),
    Library(name: "libstdc++", version: nil, licence: gcc),
    Library(name: "libudev", version: nil, licence: "LGPL-2.1-or-later"),
    Library(name: "libz", version: nil, licence: "Zlib"),
  ]

  /// One line per library, with the file names of the loaded system libraries.
  static var text: String { text(loaded: loadedFiles()) }

  /// Returns one line per library; `loaded` are the file names of the loaded libraries.
  static func text(loaded: [String]) -> String {
    all.map { library in
      let version =
        library.version ?? loaded.first { $0.hasPrefix(library.name + ".so") } ?? "not loaded"
      return "  \(library.name) \(version) (\(library.licence))"
    }.joined(separator: "\n")
  }

  /// Returns the file names of the libraries mapped into this process, such as `libz.so.1.2.13`.
  private static func loadedFiles() -> [String] {
    guard let maps = fopen("/proc/self/maps", "re") else { return [] }
    defer { fclose(maps) }
    var names: [String] = []
    var line = [CChar](repeating: 0, count: 4608)
    while fgets(&line, Int32(line.count), maps) != nil {
      let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let text = String(decoding: bytes, as: UTF8.self)
      guard let slash = text.lastIndex(of: "/") else { continue }
      let name = text[text.index(after: slash)...].prefix { $0 != "\n" }
      if name.contains(".so"), names.last != String(name) { names.append(String(name)) }
    }
    return names
  }
}
