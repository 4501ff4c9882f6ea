// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Plausible but wrong keys")
struct WrongKeyTests {
  @Test(arguments: [
    (
      "[[source]]\nkind = \"serial\"\n",
      "2: source[1]: unknown key \"kind\"; did you mean \"type\"?"
    ),
    ("[[source]]\nis = \"serial\"\n", "2: source[1]: unknown key \"is\"; did you mean \"type\"?"),
    (
      "[[source]]\ntype = \"serial\"\npath = \"/dev/ttyACM0\"\n",
      "3: source[1]: unknown key \"path\"; did you mean \"device\"?"
    ),
    ("[[sink]]\nkind = \"log\"\n", "2: sink[1]: unknown key \"kind\"; did you mean \"type\"?"),
    ("[[sink]]\nplug = \"log\"\n", "2: sink[1]: unknown key \"plug\"; did you mean \"type\"?"),
    (
      "[[sink]]\ntype = \"gpx\"\npath = \"/a\"\n",
      "3: sink.gpx: unknown key \"path\"; did you mean \"file\"?"
    ),
    (
      "[[receiver]]\ntype = \"serial\"\n", "1: unknown key \"receiver\"; did you mean \"source\"?"
    ),
    (
      "[[source]]\ncolour = \"red\"\n",
      "2: source[1]: unknown key \"colour\"; list all keys with: "
        + "fixcast check-config --reference"
    ),
  ])
  func `a wrong key is rejected, and the correct key is suggested`(toml: String, error: String) {
    let errors = TestCatalog.errors(toml)
    #expect(errors.contains("c.toml:" + error), "\(errors)")
  }

  @Test(arguments: [
    (
      "log_level = \"debug\"\n",
      "1: log_level: belongs below [daemon]; move it there, or write [daemon] above it"
    ),
    (
      "\nsocket = \"/s\"\n",
      "2: socket: belongs below [daemon]; move it there, or write [daemon] above it"
    ),
    (
      "device = \"/dev/a\"\n",
      "1: device: belongs below [[source]]; move it there, or write [[source]] above it"
    ),
    (
      "limit_metres = 3\n",
      "1: limit_metres: belongs below [[gate]]; move it there, or write [[gate]] above it"
    ),
    (
      "file = \"/a\"\n",
      "1: unknown key \"file\"; list all keys with: fixcast check-config --reference"
    ),
  ])
  func `a key outside its table is rejected, and the error names the table`(toml: String, error: String) {
    #expect(TestCatalog.errors(toml) == ["c.toml:" + error])
  }

  @Test(arguments: [
    (
      "[[source]]\ntype = \"gpsd\"\nhost = \"pi:2948\"\n",
      "3: source[1].host: must be a name or an address without a port; write host = \"pi\" and "
        + "port = 2948"
    ),
    (
      "[[source]]\ntype = \"gpsd\"\nhost = \"pi:\"\n",
      "3: source[1].host: must be a name or an address without a port; write host = \"pi\""
    ),
    (
      "[[source]]\ntype = \"gpsd\"\nhost = \"my host\"\n",
      "3: source[1].host: is not a valid name or address: it contains blanks or control characters"
    ),
    (
      "[[source]]\ntype = \"gpsd\"\nhost = \"::zz\"\n",
      "3: source[1].host: is not a valid name or address; an IPv6 address is written as "
        + "host = \"::1\""
    ),
    (
      "[[source]]\ntype = \"gpsd\"\nhost = \"[::1]:2947\"\n",
      "3: source[1].host: is not a valid name or address; an IPv6 address is written as "
        + "host = \"::1\""
    ),
    (
      "[daemon]\nstate_directory = \"~/fix\"\n",
      "2: daemon.state_directory: must be an absolute path, such as /var/lib/fix"
    ),
    (
      "[daemon]\nsocket = \"~\"\n",
      "2: daemon.socket: must be an absolute path, such as /run/fixcast/fixcast"
    ),
  ])
  func `a host with a port, an invalid host and a relative path are rejected with advice`(toml: String, error: String) {
    #expect(TestCatalog.errors(toml) == ["c.toml:" + error])
  }

  @Test(arguments: ["::1", "fe80::1", "2001:db8::2", "fe80::1%eth0", "[::1]"])
  func `an IPv6 address is a valid host, with or without brackets`(host: String) {
    #expect(TestCatalog.errors("[[source]]\ntype = \"gpsd\"\nhost = \"\(host)\"\n").isEmpty)
  }

  @Test func `suggested plugin names are unused and differ from each other`() {
    let log = "[[sink]]\ntype = \"log\"\n"
    let errors = TestCatalog.errors(
      log + "[[sink]]\ntype = \"log\"\nname = \"log-2\"\n" + log + log)
    let text =
      "sink.log: the name \"log\" is already used by sink.log (c.toml:1); use another, such as "
    #expect(
      errors == ["c.toml:6: \(text)name = \"log-3\"", "c.toml:8: \(text)name = \"log-4\""])
  }
}
