// SPDX-License-Identifier: Apache-2.0

import FixcastConfiguration
import FixcastTesting
import Testing

@Suite("Ignored files of the configuration folder")
struct IgnoredFilesTests {
  private static let folder = "etc/fixcast/conf.d"

  private static func warnings(_ files: ConfigurationFiles) throws -> [String] {
    let catalog = TestCatalog.catalog
    let loaded = try ConfigurationLoader(files: files, catalog: catalog).load().get()
    return BoardCheck(loaded, catalog).warnings().all.map(\.description)
  }

  @Test(arguments: ["receiver", "10.conf", "10.TOML", "10.tml", "10.toml.txt", "10.toml-new", "a b"])
  func `a file in the configuration folder whose name does not end in .toml is reported`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.write("\(Self.folder)/\(name)", "not TOML")
    let path = "\(folder.path)/\(Self.folder)/\(name)"
    #expect(
      try Self.warnings(ConfigurationFiles(root: folder.path)) == [
        "\(path): is ignored: its name does not end in .toml"
      ])
  }

  @Test(arguments: [
    ".10.toml.swp", ".hidden", "10.toml~", "#10.toml#", "10.toml.swp", "10.toml.dpkg-old",
    "10.toml.dpkg-new", "10.toml.dpkg-dist", "10.toml.ucf-dist", "10.toml.bak", "10.toml.orig",
    "10.toml.disabled", "10.toml.rpmsave", "README", "README.md", ".",
  ])
  func `hidden files, disabled files and files that other programs left behind are not reported`(name: String) throws {
    let folder = try ScratchFolder()
    try folder.makeFolder(Self.folder)
    if name != "." { try folder.write("\(Self.folder)/\(name)", "not TOML") }
    try folder.makeFolder(Self.folder + "/folder")
    #expect(try Self.warnings(ConfigurationFiles(root: folder.path)).isEmpty)
  }

  @Test func `if the configuration is a single file, no ignored files are reported`() throws {
    let folder = try ScratchFolder()
    try folder.write("c.toml", "")
    try folder.write("other", "")
    #expect(try Self.warnings(ConfigurationFiles(file: folder.path + "/c.toml")).isEmpty)
    #expect(try Self.warnings(ConfigurationFiles(root: folder.path)).isEmpty)
  }
}
