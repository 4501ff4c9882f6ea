// SPDX-License-Identifier: Apache-2.0
//
// The declarations of libgps API 16 (gpsd 3.27) that CGPS uses, with the differences of that
// version. For the compile test only; never linked.

#ifndef GPS_H
#define GPS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define GPSD_API_MAJOR_VERSION 16
#define GPSD_API_MINOR_VERSION 1
#define MAXCHANNELS 230
#define GPS_PATH_MAX 128
#define MAXUSERDEVS 4
#define GPS_JSON_RESPONSE_MAX 10240

typedef struct timespec timespec_t;
typedef int gps_fd_t;
typedef uint64_t watch_t;

enum gnssid_t { GNSSID_GPS = 0, GNSSID_SBAS, GNSSID_GAL, GNSSID_BD, GNSSID_IMES, GNSSID_QZSS, GNSSID_GLO, GNSSID_IRNSS };

struct attitude_t {
  double heading;
  double pitch;
  double roll;
};
struct gst_t {
  double rms_deviation;
};

#define STATUS_UNK 0
#define STATUS_GPS 1
#define STATUS_DGPS 2

struct gps_fix_t {
  timespec_t time;
  int mode;
  int status;
  double latitude, longitude;
  double altHAE, altMSL;
  double speed, track, climb;
  double eph, epv, eps, epd;
  double geoid_sep;
  double magnetic_var;
  double dgps_age;
  double wtemp, temp;
  int ant_stat, ant_power, jam;
  double clockbias, clockdrift;
  double errEllipseOrient, errEllipseMajor, errEllipseMinor;
};

struct dop_t {
  double xdop, ydop, pdop, hdop, vdop, tdop, gdop;
};

struct satellite_t {
  double ss;
  bool used;
  short PRN;
  double elevation, azimuth;
  enum gnssid_t gnssid;
  unsigned char svid;
  unsigned char sigid;
  double prRes, prRate, pr;
  unsigned char qualityInd;
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
  gps_fd_t gps_fd;
  struct gps_fix_t fix;
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
  struct attitude_t attitude;
  struct attitude_t imu[8];
  struct gst_t gst;
  struct {
    char server[256];
    char *port;
    char *device;
  } source;
  union {
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
#define IMU_SET (1llu << 43)
#define EOF_SET (1llu << 44)
#define SPARTN_SET (1llu << 45)

int gps_open(const char *, const char *, struct gps_data_t *);
int gps_close(struct gps_data_t *);
int gps_send(struct gps_data_t *, const char *, ...);
int gps_read(struct gps_data_t *, char *message, int message_len);
int gps_stream(struct gps_data_t *, watch_t, const char *);
const char *gps_errstr(const int);

#endif
