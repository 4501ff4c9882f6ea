// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("A key that is plausible and wrong")
struct WrongKeyTests {
  @Test(
    "is answered with the right one",
    arguments: [
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
        "2: source[1]: unknown key \"colour\"; `fixcast check-config --reference` lists those that "
          + "there are"
      ),
    ])
  func wrongKey(toml: String, error: String) {
    let errors = TestCatalog.errors(toml)
    #expect(errors.contains("c.toml:" + error), "\(errors)")
  }
}
