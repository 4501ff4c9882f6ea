// SPDX-License-Identifier: Apache-2.0
//
// gpsd's client library behind one opaque handle and one flat report.
//
// Why it exists: `struct gps_data_t` is 24 to 49 KB, its layout and constants differ between the
// API versions 9 to 16 (and even within 14), doubles are NaN where unknown while integers are not,
// and `gps_send` is variadic, which Swift cannot call. All of that ends here: what is unknown has
// its bit missing in `known`, and no NaN gets out.

#ifndef CGPS_GPSD_H
#define CGPS_GPSD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// More than gpsd's MAXCHANNELS in any version so far (140 to 230).
#define CGPS_SATELLITES_MAX 256
/// More than a gpsd serves in any version so far (4 to 6).
#define CGPS_DEVICES_MAX 8
#define CGPS_TEXT_MAX 256

typedef struct cgps_gpsd cgps_gpsd;

/// What a line from gpsd was.
typedef enum {
  // Of a class that is of no use here.
  CGPS_OTHER = 0,
  CGPS_TPV,
  CGPS_SKY,
  CGPS_DEVICE,
  CGPS_DEVICES,
  CGPS_VERSION,
  CGPS_WATCH,
  CGPS_ERROR,
  // Not a JSON object with a class.
  CGPS_MALFORMED,
} cgps_class;

/// Which of the numbers of a report are known.
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
  // There is a list, even if there is nothing in it.
  CGPS_SATELLITES = 1 << 19,
  CGPS_EPD = 1 << 20,
};

/// Which of the numbers of a satellite are known.
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
  bool used;
  double elevation;
  double azimuth;
  double signal;
} cgps_satellite;

/// A receiver that gpsd knows of.
typedef struct {
  char path[CGPS_TEXT_MAX];
  char driver[CGPS_TEXT_MAX];
  char subtype[CGPS_TEXT_MAX];
  uint32_t baud;
  // Whether gpsd has it open.
  bool is_active;
} cgps_device;

/// One line from gpsd. Text is always terminated.
typedef struct {
  cgps_class class;
  uint32_t known;
  // TPV and SKY: whose they are; empty where not said.
  char device[CGPS_TEXT_MAX];

  // TPV and SKY, in gpsd's units.
  int32_t mode;    // 0 not seen, 1 none, 2, 3
  int32_t status;  // 0 unknown, 1 to 9 as FixStatus
  int64_t seconds;
  uint32_t nanoseconds;
  double latitude, longitude;
  double altitude_msl, altitude_hae, geoid_separation;
  double speed, track, climb, magnetic_variation;
  double eph, epv, eps, epd;
  double xdop, ydop, hdop, vdop, pdop, tdop;
  double dgps_age;

  // SKY.
  int32_t satellite_count;
  cgps_satellite satellites[CGPS_SATELLITES_MAX];

  // DEVICE, one of them, and DEVICES.
  int32_t device_count;
  /// Whether `devices` is all that a DEVICES lists.
  bool is_whole;
  cgps_device devices[CGPS_DEVICES_MAX];

  // VERSION, the text of ERROR, and the beginning of what is MALFORMED.
  char text[CGPS_TEXT_MAX];
  int32_t protocol_major, protocol_minor;
} cgps_report;

/// The API that this was compiled against: GPSD_API_MAJOR_VERSION.
int cgps_api_major(void);

/// Connects; blocks for as long as the resolver and connect(2) take.
///
/// Host and port are copied. NULL on failure, with a message in `message`.
cgps_gpsd *cgps_gpsd_open(const char *host, const char *port, char *message, size_t size);

/// Takes over a socket that is connected to a gpsd, whatever becomes of it; does not block.
///
/// Needs the loopback interface. NULL on failure, with a message in `message`.
cgps_gpsd *cgps_gpsd_adopt(int socket, char *message, size_t size);

/// Asks for reports as JSON, of one device or (NULL) of all. 0, or -1 with `errno`.
int cgps_gpsd_watch(cgps_gpsd *session, const char *device);

/// The socket, for poll(2).
int cgps_gpsd_descriptor(const cgps_gpsd *session);

/// Reads the next whole line, if there is one.
///
/// 1: `report` holds it. 0: nothing more for now; poll, and do not spin. -1: the connection is lost.
int cgps_gpsd_read(cgps_gpsd *session, cgps_report *report);

/// Sends a line as it is: 0, or -1.
///
/// Like cgps_gpsd_watch, may raise SIGPIPE: call it on a thread that blocks that.
int cgps_gpsd_send(cgps_gpsd *session, const char *line);

/// Closes and frees; NULL is fine.
void cgps_gpsd_close(cgps_gpsd *session);

#endif
