// SPDX-License-Identifier: Apache-2.0

import DaemonServer
import FixcastConfiguration
import FixcastTesting
import Glibc
import Logging
import Pipeline
import Testing
import WeatherClient

@Suite("Configuration files")
struct ConfigurationFilesTests {
  @Test func `missing default files are treated as empty; a missing file that was specified is an error`() throws {
    let folder = try ScratchFolder()
    #expect(try ConfigurationFiles(root: folder.path).read().get().isEmpty)
    let path = "\(folder.path)/x.toml"
    #expect(
      Self.errors(ConfigurationFiles(file: path).read())
        == ["\(path): cannot be read: No such file or directory"])
  }

  @Test func `files are read in the order of their names, and plugins are merged by name`() throws {
    let folder = try ScratchFolder()
    let main = "etc/fixcast/config.toml"
    try folder.write(
      main, "[daemon]\nlog_level = \"debug\"\n[[sink]]\ntype = \"gpx\"\nfile = \"/a\"\n")
    try folder.write("etc/fixcast/conf.d/20.toml", "[daemon]\nlog_level = \"error\"\n")
    try folder.write(
      "etc/fixcast/conf.d/10.toml",
      "daemon.log_level = \"trace\"\n[[sink]]\ntype = \"gpx\"\ninterval_seconds = 3\n[[sink]]\ntype=\"log\"\n"
    )
    for other in ["30.toml.bak", ".40.toml"] {
      try folder.write("etc/fixcast/conf.d/\(other)", "not TOML")
    }
    let loaded = try Self.loader(folder.path).load().get()
    #expect(loaded.configuration.daemon.logLevel == .error)
    #expect(loaded.configuration.plugins(.sink).map(\.name) == ["gpx", "log"])
    let settings = try #require(loaded.configuration.plugins(.sink).first?.settings)
    #expect(settings["file"]?.origin == SettingOrigin(file: "\(folder.path)/\(main)", line: 5))
    #expect(settings["interval_seconds"]?.origin?.file.hasSuffix("conf.d/10.toml") == true)
  }

  @Test func `an unreadable file is an error, and the other files are still checked`() throws {
    let folder = try ScratchFolder()
    try folder.write("etc/fixcast/config.toml/x", "")
    try folder.write("etc/fixcast/conf.d/10.toml", "x =")
    let errors = Self.errors(ConfigurationFiles(root: folder.path).read())
    #expect(errors.count == 2)
    #expect(
      errors.contains(
        "\(folder.path)/etc/fixcast/config.toml: is a folder, not a file"))
    #expect(errors.contains { $0.hasPrefix("\(folder.path)/etc/fixcast/conf.d/10.toml:1:") })
  }

  @Test func `a path that is not a file and a folder with too many files each cause an error`() throws {
    let folder = try ScratchFolder()
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    #expect(
      Self.errors(ConfigurationFiles(file: "\(folder.path)/pipe").read())
        == ["\(folder.path)/pipe: is neither a file nor a link to one"])
    for number in 100...164 { try folder.write("etc/fixcast/conf.d/\(number).toml", "") }
    #expect(
      Self.errors(ConfigurationFiles(root: folder.path).read()) == [
        "\(folder.path)/etc/fixcast/conf.d: contains more than 64 files; merge some of them"
      ])
  }

  @Test func `a configuration file that is too large is rejected`() throws {
    let folder = try ScratchFolder()
    try folder.write("x.toml", String(repeating: "#", count: 1_048_577))
    let path = "\(folder.path)/x.toml"
    #expect(
      Self.errors(ConfigurationFiles(file: path).read()) == [
        "\(path): cannot be read: File too large; the limit is 1048576 bytes"
      ])
  }

  @Test func `a secret file that other users can access is not used, with the command that fixes it`() throws {
    let folder = try ScratchFolder()
    try folder.write("key", "  zebra \nmore\n")
    let key = "\(folder.path)/key"
    try folder.write("etc/fixcast/config.toml", "[weather.openmeteo]\nkey_file = \"\(key)\"\n")
    for (mode, who) in [(0o644, "all users"), (0o640, "its group")] {
      #expect(chmod(key, mode_t(mode)) == 0)
      let errors = try Self.secretErrors(Self.loader(folder.path))
      #expect(
        errors == [
          "\(folder.path)/etc/fixcast/config.toml:2: weather.openmeteo.key_file: "
            + "\(key): the secret in it is accessible to \(who); fix it with: sudo chmod 600 \(key)"
        ])
    }
    #expect(chmod(key, 0o600) == 0)
    #expect(try Self.secretErrors(Self.loader(folder.path)).isEmpty)
    let file = try #require(CredentialFile(key, folder: nil))
    #expect(try file.read().exposed == "zebra")
  }

  @Test func `a secret in a configuration file that all users can read is rejected, with advice`() throws {
    let folder = try ScratchFolder()
    let file = "\(folder.path)/etc/fixcast/config.toml"
    try folder.write(
      "etc/fixcast/config.toml",
      "[weather.openmeteo]\nkey = \"zebra\"\n[[sink]]\ntype = \"gpx\"\nfile = \"/a\"\n"
        + "token = \"zebra\"\n")
    #expect(chmod(file, 0o644) == 0)
    let errors = Self.errors(Self.loader(folder.path).load())
    #expect(errors.count == 2 && !errors.contains { $0.contains("zebra") }, "\(errors)")
    #expect(
      errors.first
        == "\(file):2: weather.openmeteo.key: all users can read the secret in \(file); move it to a "
        + "file that only the daemon can read, and name that file in key_file, or fix it with: "
        + "sudo chgrp fixcast \(file) && sudo chmod 640 \(file)")
    #expect(errors.last?.hasPrefix("\(file):6: sink.gpx.token: all users can read the") == true)
    // The file belongs to root; the daemon reads it as a member of the group.
    #expect(chmod(file, 0o640) == 0)
    #expect(Self.errors(Self.loader(folder.path).load()).isEmpty)
  }

  @Test(arguments: [
    ("POSITION_FILE=pos", true), ("LANG=C", true), ("EMPTY=", true), ("NONE", true),
    ("URL=http://host/a@b", true), ("AUTHOR=me", true), ("KEYBOARD=us", true),
    ("SSH_AUTH_SOCK=/run/agent", true), ("WIFI_PSK=zebra", false), ("API_BEARER=zebra", false),
    ("MQTT_PWD=zebra", false), ("MQTT_PASSWORD=zebra", false), ("api_key=zebra", false),
    ("GitHub_Token=zebra", false), ("URL=postgres://pi:zebra@host/db", false),
  ])
  func `environment variables without secrets are accepted in a file that all users can read`(
    text: String, isAccepted: Bool
  ) throws {
    let folder = try ScratchFolder()
    let file = "\(folder.path)/etc/fixcast/config.toml"
    try folder.write(
      "etc/fixcast/config.toml",
      "[[sink]]\ntype = \"program\"\nvariables = [\"A=1\", \"\(text)\"]\n")
    #expect(chmod(file, 0o644) == 0)
    let errors = Self.errors(Self.loader(folder.path).load())
    #expect(errors.isEmpty == isAccepted, "\(errors)")
    #expect(errors.allSatisfy { $0.contains("name that file in variable_files") })
    #expect(chmod(file, 0o640) == 0)
    #expect(Self.errors(Self.loader(folder.path).load()).isEmpty)
  }

  @Test func `in lists of secrets and lists of secret files, every entry is checked`() throws {
    let folder = try ScratchFolder()
    let file = "\(folder.path)/etc/fixcast/config.toml"
    try folder.write("one", "A=zebra\n")
    try folder.write("two", "B=zebra\n")
    try folder.write(
      "etc/fixcast/config.toml",
      "[[sink]]\ntype = \"program\"\nvariables = [\"C_TOKEN=zebra\"]\n"
        + "variable_files = [\"\(folder.path)/one\", \"\(folder.path)/two\"]\n")
    for (path, mode) in [
      (file, 0o644), ("\(folder.path)/one", 0o600), ("\(folder.path)/two", 0o644),
    ] {
      #expect(chmod(path, mode_t(mode)) == 0)
    }
    let errors = Self.errors(Self.loader(folder.path).load())
    #expect(errors.count == 2 && !errors.contains { $0.contains("zebra") }, "\(errors)")
    #expect(errors.contains { $0.hasPrefix("\(file):3: sink.program.variables: all users can") })
    #expect(
      errors.contains {
        $0.hasPrefix("\(file):4: sink.program.variable_files: \(folder.path)/two: the secret in")
      })
    #expect(chmod(file, 0o640) == 0 && chmod("\(folder.path)/two", 0o600) == 0)
    let loader = Self.loader(folder.path)
    let shown = EffectiveSetting.all(try loader.load().get(), loader.catalog)
    #expect(
      shown.first { $0.keyPath == "sink.program.variables" }?.text == Secret.mask)
  }

  @Test(arguments: [
    ("a", "a"), ("a", "./x/../a"), ("a", "link/a"), ("there", "other"), ("link/new/a", "new//a"),
    ("{date}.gpx", "link/{date}.gpx"),
  ])
  func `two sinks with the same file are an error that names both sinks, even if the paths differ`(
    first: String, second: String
  ) throws {
    let folder = try ScratchFolder()
    try folder.write("there", "")
    #expect(symlink(folder.path, folder.path + "/link") == 0)
    #expect(symlink("there", folder.path + "/other") == 0)
    let file = "\(folder.path)/etc/fixcast/config.toml"
    let errors = try Self.sinkErrors(folder, first, second)
    #expect(
      errors == [
        "\(file):8: sink.two.file: is the same file as sink.one.file (\(file):4); use another file"
      ])
    let otherErrors = try Self.sinkErrors(folder, first, "else")
    #expect(otherErrors.isEmpty)
  }

  @Test(arguments: [
    ("track.gpx", "track-2.gpx"), ("track-17.gpx", "track.gpx"), ("track.gpx", "track.gpx.1"),
    ("track.gpx.12", "link/track.gpx"), ("track.gpx", "track-3.gpx.2"), ("a", "a.1"),
    ("{date}.gpx", "2026-11-21.gpx"), ("{date}.gpx", "{date}-2.gpx"),
    ("t-{start}.gpx.3", "t-{start}.gpx"), ("new/a", "new/../new/a.9"),
  ])
  func `a sink whose file may collide with a file of another sink is an error`(first: String, second: String) throws {
    let folder = try ScratchFolder()
    #expect(symlink(folder.path, folder.path + "/link") == 0)
    let file = "\(folder.path)/etc/fixcast/config.toml"
    let errors = try Self.sinkErrors(folder, first, second)
    #expect(
      errors == [
        "\(file):8: sink.two.file: may collide with a file that sink.one.file "
          + "(\(file):4) creates by adding a number, date or suffix; use another name or folder"
      ])
  }

  @Test(arguments: [
    ("track.gpx", "track-two.gpx"), ("track.gpx", "track-02.gpx"), ("track.gpx", "track-.gpx"),
    ("track-2.gpx", "track-3.gpx"), ("a.1", "a.2"), ("a", "a.0"), ("a", "a.gz"), ("a", "a-2"),
    ("a.jsonl", "a-2.jsonl"), ("track.gpx", "track-{date}.gpx"), ("{date}.gpx", "{start}.gpx"),
    ("x/track.gpx", "y/track-2.gpx"),
  ])
  func `sinks whose files can never collide are accepted`(first: String, second: String) throws {
    let folder = try ScratchFolder()
    let errors = try Self.sinkErrors(folder, first, second)
    #expect(errors.isEmpty)
  }

  @Test func `a credential is found only in the folder of the service manager`() throws {
    let folder = try ScratchFolder()
    try folder.write("passed/api.key", "zebra")
    try folder.write("etc/fixcast/config.toml", "[weather.openmeteo]\nkey_file = \"api.key\"\n")
    // The group bits show the mask of an access control list.
    #expect(chmod("\(folder.path)/passed/api.key", 0o440) == 0)
    let passed = "\(folder.path)/passed"
    #expect(try Self.secretErrors(Self.loader(folder.path, credentials: passed)).isEmpty)
    #expect(
      try Self.secretErrors(Self.loader(folder.path)) == [
        "\(folder.path)/etc/fixcast/config.toml:2: weather.openmeteo.key_file: the service manager "
          + "passed no credentials; use an absolute path, or add LoadCredential= to the unit"
      ])
    for name in ["api.key", "$CREDENTIALS_DIRECTORY/api.key", "${CREDENTIALS_DIRECTORY}/api.key"] {
      #expect(CredentialFile(name, folder: passed)?.path == "\(passed)/api.key")
    }
    for name in ["../x", "a/b", "..", ".", "", "$CREDENTIALS_DIRECTORY/../x"] {
      #expect(CredentialFile(name, folder: passed) == nil, "\(name)")
    }
    #expect(CredentialFile("\(passed)/../x", folder: passed)?.isCredential == false)
  }

  @Test func `a secret that cannot be read disables only what needs it`() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "etc/fixcast/config.toml",
      "[weather.openmeteo]\nkey_file = \"/none/api.key\"\n[[sink]]\ntype = \"gpx\"\nfile = \"/a\"\n"
        + "[web]\ntls_certificate_file = \"/a.crt\"\ntls_key_file = \"/none/web.key\"\n")
    let loaded = try Self.loader(folder.path).load().get()
    #expect(loaded.secretErrors.all.count == 2 && loaded.secretWarnings.all.isEmpty)
    let configuration = loaded.configuration
    #expect(configuration.plugins.contains { $0.type == "gpx" })
    #expect(configuration.web.keyError == "/none/web.key: cannot be read: No such file or directory")
    let provider = try #require(configuration.weather.providers.first { $0.name == "openmeteo" })
    #expect(throws: WeatherError.misconfigured("no key can be read from /none/api.key")) {
      try provider.source()
    }
  }

  @Test func `a check by hand leaves credentials to the service, and says so`() throws {
    let folder = try ScratchFolder()
    for name in ["api.key", "/run/credentials/fixcast.service/api.key"] {
      try folder.write("etc/fixcast/config.toml", "[weather.openmeteo]\nkey_file = \"\(name)\"\n")
      var loader = Self.loader(folder.path)
      loader.isService = false
      let loaded = try loader.load().get()
      #expect(loaded.secretErrors.all.isEmpty)
      #expect(
        loaded.secretWarnings.all.map(\.description) == [
          "\(folder.path)/etc/fixcast/config.toml:2: weather.openmeteo.key_file: is not checked, because "
            + "only the service can see it; its unit needs LoadCredential= (see: systemctl cat fixcast)"
        ])
    }
  }

  @Test func `a missing or empty secret file is reported`() throws {
    let folder = try ScratchFolder()
    try folder.write("key", "  \nzebra\n")
    #expect(chmod("\(folder.path)/key", 0o600) == 0)
    for (name, text) in [
      ("key", "its first line is empty"),
      ("none", "cannot be read: No such file or directory"),
    ] {
      let file = try #require(CredentialFile("\(folder.path)/\(name)", folder: nil))
      let fault = #expect(throws: CredentialFault.self) { try file.read() }
      #expect(fault?.description == "\(file.path): \(text)")
    }
  }

  /// Returns the errors of two sinks that write to files in a folder.
  private static func sinkErrors(
    _ folder: borrowing ScratchFolder, _ first: String, _ second: String
  ) throws -> [String] {
    var text = ""
    for (name, file) in [("one", first), ("two", second)] {
      text += "[[sink]]\ntype = \"gpx\"\nname = \"\(name)\"\nfile = \"\(folder.path)/\(file)\"\n"
    }
    try folder.write("etc/fixcast/config.toml", text)
    return errors(loader(folder.path).load())
  }

  private static func loader(_ root: String, credentials: String? = nil) -> ConfigurationLoader {
    ConfigurationLoader(
      files: ConfigurationFiles(root: root), catalog: TestCatalog.catalog,
      credentialsFolder: credentials)
  }

  /// Returns the errors of the files with secrets of a valid configuration.
  private static func secretErrors(_ loader: ConfigurationLoader) throws -> [String] {
    try loader.load().get().secretErrors.all.map(\.description)
  }

  private static func errors<Value>(_ result: Result<Value, SettingsErrors>) -> [String] {
    if case .failure(let errors) = result { errors.all.map(\.description) } else { [] }
  }
}
