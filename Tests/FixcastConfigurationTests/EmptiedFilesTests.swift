// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Settings
import Testing

@Suite("Files that are emptied while somebody saves them")
struct EmptiedFilesTests {
  private static let main = "etc/fixcast/config.toml"
  private static let part = "etc/fixcast/conf.d/10.toml"
  private static let other = "etc/fixcast/conf.d/20.toml"
  private static let text = "[[sink]]\ntype = \"log\"\n"

  /// What a look at the files as they are says; empty where they are taken.
  private static func look(
    _ files: inout EmptiedFiles, _ root: String, isAsked: Bool = false
  ) -> [String] {
    switch files.check(load(root), isAsked: isAsked) {
    case .success: []
    case .failure(let errors): errors.all.map(\.description)
    }
  }

  private static func load(_ root: String) -> Result<ConfigurationLoader.Loaded, SettingsErrors> {
    ConfigurationLoader(files: ConfigurationFiles(root: root), catalog: TestCatalog.catalog).load()
  }

  @Test(
    "one that said something and says nothing is an error until somebody asks, and then is none",
    arguments: [main, part], ["", " \n", "#[[sink]]\n"])
  func emptied(name: String, text: String) throws {
    let folder = try ScratchFolder()
    try folder.write(name, Self.text)
    var files = EmptiedFiles(try Self.load(folder.path).get())
    #expect(Self.look(&files, folder.path).isEmpty)
    try folder.write(name, text)
    let fault = name == Self.main ? "is gone or says nothing" : "says nothing any more"
    for _ in 0..<2 {
      #expect(
        Self.look(&files, folder.path) == [
          "\(folder.path)/\(name): \(fault); where that is meant: sudo systemctl reload fixcast, or SIGHUP to fixcast run"
        ])
    }
    #expect(Self.look(&files, folder.path, isAsked: true).isEmpty)
    #expect(Self.look(&files, folder.path).isEmpty)
  }

  @Test("one of the folder that is gone was removed; the main file was not")
  func gone() throws {
    let folder = try ScratchFolder()
    for name in [Self.main, Self.part] { try folder.write(name, Self.text) }
    var files = EmptiedFiles(try Self.load(folder.path).get())
    try folder.remove(Self.part)
    #expect(Self.look(&files, folder.path).isEmpty)
    // What comes in its place has nothing to lose.
    try folder.write(Self.part, "")
    #expect(Self.look(&files, folder.path).isEmpty)
    try folder.remove(Self.main)
    #expect(Self.look(&files, folder.path).count == 1)
  }

  @Test("one that never said anything may be empty, and one that is put back is what it was")
  func others() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.part, "")
    try folder.write(Self.other, Self.text)
    var files = EmptiedFiles(try Self.load(folder.path).get())
    #expect(Self.look(&files, folder.path).isEmpty)
    try folder.write(Self.other, "")
    #expect(Self.look(&files, folder.path).count == 1)
    try folder.write(Self.other, Self.text)
    #expect(Self.look(&files, folder.path).isEmpty)
  }

  @Test("what said nothing first is guarded as soon as it says something")
  func later() throws {
    let folder = try ScratchFolder()
    var files = EmptiedFiles()
    for name in [Self.main, Self.part] { try folder.write(name, Self.text) }
    #expect(Self.look(&files, folder.path).isEmpty)
    for name in [Self.main, Self.part] { try folder.write(name, "") }
    #expect(Self.look(&files, folder.path).count == 2)
    // What is broken stays that, and changes nothing of what was known.
    try folder.write(Self.part, "x =")
    #expect(Self.look(&files, folder.path).first?.contains("10.toml:1") == true)
    try folder.write(Self.part, "")
    #expect(Self.look(&files, folder.path).count == 2)
  }
}
