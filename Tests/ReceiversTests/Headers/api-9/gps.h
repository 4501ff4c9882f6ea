// SPDX-License-Identifier: Apache-2.0
//
// The declarations of libgps API 9 (gpsd 3.20) that CGPS uses, with the differences of that
// version. For the compile test only; never linked.

#ifndef GPS_H
#define GPS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define GPSD_API_MAJOR_VERSION 9
#define GPSD_API_MINOR_VERSION 0
#define MAXCHANNELS 140
#define GPS_PATH_MAX 128
#define MAXUSERDEVS 4

typedef struct timespec timespec_t;

struct attitude_t {
  double heading;
  double pitch;
  double roll;
};
struct gst_t {
  double rms_deviation;
};

#define STATUS_NO_FIX 0
#define STATUS_FIX 1
#define STATUS_DGPS_FIX 2

struct gps_fix_t {
  timespec_t time;
  int mode;
  double latitude, longitude;
  double altHAE, altMSL;
  double speed, track, climb;
  double eph, epv, eps, epd;
  double geoid_sep;
  double magnetic_var;
  double dgps_age;
};

struct dop_t {
  double xdop, ydop, pdop, hdop, vdop, tdop, gdop;
};

struct satellite_t {
  double ss;
  bool used;
  short PRN;
  double elevation, azimuth;
  unsigned char gnssid;
  unsigned char svid;
  unsigned char sigid;
};

struct devconfig_t {
  char path[GPS_PATH_MAX];
  char driver[64];
  char subtype[128];
  timespec_t activated;
  unsigned int baudrate, stopbits;
};

struct version_t {
  char release[64];
  char rev[64];
  int proto_major, proto_minor;
};

struct gps_data_t {
  uint64_t set;
  int gps_fd;
  struct gps_fix_t fix;
  int status;
  int satellites_used;
  struct dop_t dop;
  timespec_t skyview_time;
  int satellites_visible;
  struct satellite_t skyview[MAXCHANNELS];
  struct devconfig_t dev;
  struct {
    timespec_t time;
    int ndevices;
    struct devconfig_t list[MAXUSERDEVS];
  } devices;
  union {
    struct attitude_t attitude;
    struct gst_t gst;
    struct version_t version;
    char error[256];
  };
  void *privdata;
};

#define WATCH_ENABLE 0x000001u
#define WATCH_JSON 0x000010u
#define WATCH_DEVICE 0x000800u
#define TIME_SET (1llu << 2)
#define SATELLITE_SET (1llu << 15)

int gps_open(const char *, const char *, struct gps_data_t *);
int gps_close(struct gps_data_t *);
int gps_send(struct gps_data_t *, const char *, ...);
int gps_read(struct gps_data_t *, char *message, int message_len);
int gps_stream(struct gps_data_t *, unsigned int, void *);
const char *gps_errstr(const int);

#endif
