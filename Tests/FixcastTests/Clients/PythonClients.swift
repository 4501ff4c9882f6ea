// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Short scripts that use Python libraries for gpsd as their documentation shows.
///
/// Each script prints every place that the library reports, as `place LATITUDE LONGITUDE`.
enum PythonClients {
  /// The interpreter with the libraries from PyPI, which `make test-deps` installs.
  static let interpreter = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: ".build/python-clients/bin/python3").path

  /// The library of gpsd itself, Debian's python3-gps.
  static let pythonGPS = """
    import sys, gps
    session = gps.gps(host=sys.argv[1], port=sys.argv[2], mode=gps.WATCH_ENABLE)
    for report in session:
        if report["class"] == "TPV" and session.fix.mode >= 2:
            print("place", session.fix.latitude, session.fix.longitude)
    """

  /// The library of Home Assistant's integration of gpsd.
  static let gps3 = """
    import sys
    from gps3 import gps3
    connection, stream = gps3.GPSDSocket(), gps3.DataStream()
    connection.connect(host=sys.argv[1], port=int(sys.argv[2]))
    connection.watch()
    while True:
        report = connection.next(timeout=1)
        if report:
            stream.unpack(report)
            print("place", stream.TPV["lat"], stream.TPV["lon"])
    """

  /// A library that only polls; the pause limits the number of requests.
  static let gpsdPy3 = """
    import sys, time, gpsd
    gpsd.connect(host=sys.argv[1], port=int(sys.argv[2]))
    while True:
        try:
            report = gpsd.get_current()
            if report.mode >= 2:
                print("place", *report.position())
        except (UserWarning, IndexError):
            pass  # There is no receiver, no fix or no satellite yet.
        time.sleep(0.2)
    """

  static let gpsdclient = """
    import sys
    from gpsdclient import GPSDClient
    with GPSDClient(host=sys.argv[1], port=int(sys.argv[2])) as client:
        for report in client.dict_stream(filter=["TPV"]):
            if "lat" in report:
                print("place", report["lat"], report["lon"])
    """
}
