// SPDX-License-Identifier: Apache-2.0
//
// gpsd's client library behind one opaque handle and one flat report.
//
// This wrapper hides four problems of libgps from Swift: `struct gps_data_t` has 24 to 49 KB; its
// layout and constants differ between the API versions 9 to 16 (and within version 14); unknown
// doubles are NaN, but unknown integers are not marked; and `gps_send` is variadic, which Swift
// cannot call. Here, an unknown value has its bit cleared in `known`, and no value is NaN.

#ifndef CGPS_GPSD_H
#define CGPS_GPSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Greater than gpsd's MAXCHANNELS in all versions so far (140 to 230).
#define CGPS_SATELLITES_MAX 256
/// Greater than gpsd's device limit in all versions so far (4 to 6).
#define CGPS_DEVICES_MAX 8
/// The size of a text in bytes, including the terminating zero.
#define CGPS_TEXT_MAX 256

typedef struct cgps_gpsd cgps_gpsd;

/// The class of a line from gpsd.
typedef enum {
  // A class that this wrapper does not parse.
  CGPS_OTHER = 0,
  CGPS_TPV,
  CGPS_SKY,
  CGPS_ATT,
  CGPS_DEVICE,
  CGPS_DEVICES,
  CGPS_VERSION,
  CGPS_WATCH,
  CGPS_ERROR,
  // Not a JSON object with a class.
  CGPS_MALFORMED,
} cgps_class;

/// Bits of `cgps_report.known`: the values that are set.
enum {
  CGPS_TIME = 1 << 0,
  CGPS_POSITION = 1 << 1,
  CGPS_ALTITUDE_MSL = 1 << 2,
  CGPS_ALTITUDE_HAE = 1 << 3,
  CGPS_GEOID_SEPARATION = 1 << 4,
  CGPS_SPEED = 1 << 5,
  CGPS_TRACK = 1 << 6,
  CGPS_CLIMB = 1 << 7,
  CGPS_MAGNETIC_VARIATION = 1 << 8,
  CGPS_EPH = 1 << 9,
  CGPS_EPV = 1 << 10,
  CGPS_EPS = 1 << 11,
  CGPS_XDOP = 1 << 12,
  CGPS_YDOP = 1 << 13,
  CGPS_HDOP = 1 << 14,
  CGPS_VDOP = 1 << 15,
  CGPS_PDOP = 1 << 16,
  CGPS_TDOP = 1 << 17,
  CGPS_DGPS_AGE = 1 << 18,
  // The report has a satellite list, which may be empty.
  CGPS_SATELLITES = 1 << 19,
  CGPS_EPD = 1 << 20,
  CGPS_HEADING = 1 << 21,
  CGPS_MAGNETIC_HEADING = 1 << 22,
  CGPS_ROLL = 1 << 23,
  CGPS_PITCH = 1 << 24,
};

/// Bits of `cgps_satellite.known`: the values that are set.
enum {
  CGPS_SATELLITE_ELEVATION = 1 << 0,
  CGPS_SATELLITE_AZIMUTH = 1 << 1,
  CGPS_SATELLITE_SIGNAL = 1 << 2,
};

typedef struct {
  uint32_t known;
  int16_t prn;
  uint8_t gnssid;
  uint8_t svid;
  uint8_t sigid;
  bool used;         // in the computation of the fix
  double elevation;  // degrees
  double azimuth;    // degrees from true north
  double signal;     // dB-Hz
} cgps_satellite;

/// A receiver that gpsd lists.
typedef struct {
  char path[CGPS_TEXT_MAX];
  char driver[CGPS_TEXT_MAX];
  char subtype[CGPS_TEXT_MAX];
  uint32_t baud;
  // Whether gpsd has opened the device.
  bool is_active;
} cgps_device;

/// One line from gpsd. Text is always terminated.
typedef struct {
  cgps_class class;
  uint32_t known;
  // TPV, SKY and ATT: the device path; empty if the line contains no path.
  char device[CGPS_TEXT_MAX];

  // TPV and SKY, in gpsd's units.
  int32_t mode;    // 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional
  int32_t status;  // 0 unknown, 1 to 9 as FixStatus
  int64_t seconds;
  uint32_t nanoseconds;
  double latitude, longitude;
  double altitude_msl, altitude_hae, geoid_separation;
  double speed, track, climb, magnetic_variation;
  double eph, epv, eps, epd;
  double xdop, ydop, hdop, vdop, pdop, tdop;
  double dgps_age;

  // ATT, in degrees: headings 0 to 360, roll -180 to 180, pitch -90 to 90.
  double heading, magnetic_heading, roll, pitch;

  // SKY.
  int32_t satellite_count;
  cgps_satellite satellites[CGPS_SATELLITES_MAX];

  // DEVICE (one device) and DEVICES.
  int32_t device_count;
  /// Whether `devices` contains every device of the DEVICES line.
  bool is_complete;
  cgps_device devices[CGPS_DEVICES_MAX];

  // VERSION: the release. ERROR: the message. MALFORMED: the beginning of the line.
  char text[CGPS_TEXT_MAX];
  int32_t protocol_major, protocol_minor;
  /// VERSION: whether the server is Fixcast, which then must not use it as a source.
  bool is_fixcast;
} cgps_report;

/// Returns the API version compiled against: GPSD_API_MAJOR_VERSION.
int cgps_api_major(void);

/// Returns the minor API version compiled against: GPSD_API_MINOR_VERSION.
int cgps_api_minor(void);

/// Connects to gpsd; blocks until the resolver and connect(2) return.
///
/// Copies host and port. Returns NULL on failure, with a message in `message`.
cgps_gpsd *cgps_gpsd_open(const char *host, const char *port, char *message, size_t size);

/// Takes ownership of a socket connected to gpsd, even on failure; does not block.
///
/// libgps opens its own connection, so the function lets libgps connect to a temporary listener on
/// the loopback interface, and replaces that connection by `socket`. Returns NULL on failure, with a message in `message`.
cgps_gpsd *cgps_gpsd_adopt(int socket, char *message, size_t size);

/// Requests JSON reports from one device, or from all devices if `device` is NULL.
///
/// Returns 0, or -1 with `errno`.
int cgps_gpsd_watch(cgps_gpsd *session, const char *device);

/// Returns the socket, for poll(2).
int cgps_gpsd_descriptor(const cgps_gpsd *session);

/// Reads the next complete line without waiting.
///
/// Returns 1 if `report` holds a line, 0 if none is available (wait with poll(2)), or -1 if the
/// connection is lost.
int cgps_gpsd_read(cgps_gpsd *session, cgps_report *report);

/// Sends a line unmodified. Returns 0 or -1.
///
/// Like cgps_gpsd_watch, this function may raise SIGPIPE: call both on a thread that blocks this
/// signal.
int cgps_gpsd_send(cgps_gpsd *session, const char *line);

/// Closes the connection and frees the session. NULL is allowed.
void cgps_gpsd_close(cgps_gpsd *session);

#endif
