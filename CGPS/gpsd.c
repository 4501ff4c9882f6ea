// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "cgps_gpsd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gps.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// All differences between the API versions 9 (gpsd 3.20) and 16 (3.27) are handled here.

// API 9 stores the fix status in gps_data_t; API 10 and later store it in gps_fix_t. gpsd 3.23
// renamed the status constants, but did not change their values.
#if GPSD_API_MAJOR_VERSION >= 10
#define STATUS_OF(data) ((data)->fix.status)
#else
#define STATUS_OF(data) ((data)->status)
#endif

// gpsd 3.22 does not define a constant for the maximum line length (10,240 bytes).
#ifndef GPS_JSON_RESPONSE_MAX
#define GPS_JSON_RESPONSE_MAX 10240
#endif

// libgps buffers twice the maximum line length, and may return a line as long as the buffer.
#define LINE_MAX_BYTES (2 * GPS_JSON_RESPONSE_MAX)

struct cgps_gpsd {
  struct gps_data_t data;
  // libgps 3.25 and later stores these pointers and compares them in later calls.
  char *host;
  char *port;
  bool is_open;
  char line[LINE_MAX_BYTES + 1];
};

int cgps_api_major(void) { return GPSD_API_MAJOR_VERSION; }

int cgps_api_minor(void) { return GPSD_API_MINOR_VERSION; }

static void copy_text(char *to, const char *from) {
  snprintf(to, CGPS_TEXT_MAX, "%s", from);
}

/// Writes the message for an error number.
///
/// A positive number is a system error. gps_open also stores negative error codes in `errno`.
static void describe(int number, char *message, size_t size) {
  if (number > 0) {
    // The GNU variant of strerror_r may return a constant string instead of using the buffer.
    char buffer[CGPS_TEXT_MAX];
    snprintf(message, size, "%s", strerror_r(number, buffer, sizeof buffer));
  } else {
    snprintf(message, size, "%s", gps_errstr(number));
  }
}

cgps_gpsd *cgps_gpsd_open(const char *host, const char *port, char *message, size_t size) {
  // Zeroed, because gps_open leaves most fields unchanged.
  cgps_gpsd *session = calloc(1, sizeof *session);
  if (session) {
    session->host = strdup(host);
    session->port = strdup(port);
  }
  if (!session || !session->host || !session->port) {
    snprintf(message, size, "out of memory");
    cgps_gpsd_close(session);
    return NULL;
  }
  // A failed gps_open may leave gps_fd unchanged; a gps_fd of 0 would be standard input.
  session->data.gps_fd = -1;
  errno = 0;
  if (gps_open(session->host, session->port, &session->data) != 0) {
    describe(errno, message, size);
    // If gps_open ran out of memory after connecting, gps_close would dereference NULL.
    if ((int)session->data.gps_fd >= 0) close((int)session->data.gps_fd);
    cgps_gpsd_close(session);
    return NULL;
  }
  session->is_open = true;
  // libgps does not set FD_CLOEXEC, so child processes would inherit the socket.
  fcntl((int)session->data.gps_fd, F_SETFD, FD_CLOEXEC);
  return session;
}

/// Listens on a loopback port chosen by the kernel. Returns the socket, or -1 with `errno`.
static int listen_on_loopback(char *port, size_t size) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
    int number = errno;
    close(listener);
    errno = number;
    return -1;
  }
  snprintf(port, size, "%u", (unsigned)ntohs(address.sin_port));
  return listener;
}

/// Replaces libgps' socket by another socket, under the same descriptor number.
static int replace_socket(int descriptor, int socket) {
  // libgps needs O_NONBLOCK, which belongs to the socket and not to the descriptor number.
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(socket, F_SETFL, flags) != 0) return -1;
  return dup3(socket, descriptor, O_CLOEXEC) < 0 ? -1 : 0;
}

cgps_gpsd *cgps_gpsd_adopt(int socket, char *message, size_t size) {
  // Only gps_open allocates the buffers of libgps, but gps_open also connects, without a timeout.
  // So gps_open connects to a local listener, which is immediate; then the socket is replaced.
  char port[8];
  cgps_gpsd *session = NULL;
  int listener = listen_on_loopback(port, sizeof port);
  if (listener >= 0) {
    session = cgps_gpsd_open("127.0.0.1", port, message, size);
    close(listener);
  } else {
    describe(errno, message, size);
  }
  if (session && replace_socket((int)session->data.gps_fd, socket) != 0) {
    describe(errno, message, size);
    cgps_gpsd_close(session);
    session = NULL;
  }
  close(socket);
  return session;
}

int cgps_gpsd_watch(cgps_gpsd *session, const char *device) {
  if (device) {
    return gps_stream(
        &session->data, WATCH_ENABLE | WATCH_JSON | WATCH_DEVICE, (void *)(uintptr_t)device);
  }
  return gps_stream(&session->data, WATCH_ENABLE | WATCH_JSON, NULL);
}

int cgps_gpsd_descriptor(const cgps_gpsd *session) { return (int)session->data.gps_fd; }

int cgps_gpsd_send(cgps_gpsd *session, const char *line) {
  return gps_send(&session->data, "%s", line);
}

void cgps_gpsd_close(cgps_gpsd *session) {
  if (!session) return;
  if (session->is_open) gps_close(&session->data);
  free(session->host);
  free(session->port);
  free(session);
}

/// Stores a value and sets its bit, unless the value is NaN or infinite.
static void set_value(cgps_report *report, uint32_t bit, double *to, double value) {
  if (!isfinite(value)) return;
  *to = value;
  report->known |= bit;
}

static void set_time(cgps_report *report, struct timespec time) {
  if (time.tv_sec <= 0 || time.tv_nsec < 0) return;
  report->seconds = time.tv_sec;
  report->nanoseconds = (uint32_t)time.tv_nsec;
  report->known |= CGPS_TIME;
}

static void set_dilutions(cgps_report *report, const struct dop_t *dop) {
  set_value(report, CGPS_XDOP, &report->xdop, dop->xdop);
  set_value(report, CGPS_YDOP, &report->ydop, dop->ydop);
  set_value(report, CGPS_HDOP, &report->hdop, dop->hdop);
  set_value(report, CGPS_VDOP, &report->vdop, dop->vdop);
  set_value(report, CGPS_PDOP, &report->pdop, dop->pdop);
  set_value(report, CGPS_TDOP, &report->tdop, dop->tdop);
}

static void read_tpv(const struct gps_data_t *data, cgps_report *report) {
  const struct gps_fix_t *fix = &data->fix;
  report->mode = fix->mode;
  report->status = STATUS_OF(data);
  // libgps sets every field for each TPV, to 0 or NaN if missing, so `data->set` is not needed.
  set_time(report, fix->time);
  // libgps reports mode 2 even for an unparsable latitude, so both coordinates are checked.
  if (isfinite(fix->latitude) && isfinite(fix->longitude)) {
    report->latitude = fix->latitude;
    report->longitude = fix->longitude;
    report->known |= CGPS_POSITION;
  }
  set_value(report, CGPS_ALTITUDE_MSL, &report->altitude_msl, fix->altMSL);
  set_value(report, CGPS_ALTITUDE_HAE, &report->altitude_hae, fix->altHAE);
  set_value(report, CGPS_GEOID_SEPARATION, &report->geoid_separation, fix->geoid_sep);
  set_value(report, CGPS_SPEED, &report->speed, fix->speed);
  set_value(report, CGPS_TRACK, &report->track, fix->track);
  set_value(report, CGPS_CLIMB, &report->climb, fix->climb);
  set_value(report, CGPS_MAGNETIC_VARIATION, &report->magnetic_variation, fix->magnetic_var);
  set_value(report, CGPS_EPH, &report->eph, fix->eph);
  set_value(report, CGPS_EPV, &report->epv, fix->epv);
  set_value(report, CGPS_EPS, &report->eps, fix->eps);
  set_value(report, CGPS_EPD, &report->epd, fix->epd);
  if (fix->dgps_age >= 0) set_value(report, CGPS_DGPS_AGE, &report->dgps_age, fix->dgps_age);
}

static void read_satellite(const struct satellite_t *from, cgps_satellite *to) {
  memset(to, 0, sizeof *to);
  to->prn = from->PRN;
  to->gnssid = (uint8_t)from->gnssid;
  to->svid = (uint8_t)from->svid;
  to->sigid = (uint8_t)from->sigid;
  to->used = from->used;
  if (isfinite(from->elevation)) {
    to->elevation = from->elevation;
    to->known |= CGPS_SATELLITE_ELEVATION;
  }
  if (isfinite(from->azimuth)) {
    to->azimuth = from->azimuth;
    to->known |= CGPS_SATELLITE_AZIMUTH;
  }
  // libgps stores -1 or 0 for a satellite that is not tracked.
  if (isfinite(from->ss) && from->ss > 0) {
    to->signal = from->ss;
    to->known |= CGPS_SATELLITE_SIGNAL;
  }
}

static void read_sky(const struct gps_data_t *data, const char *line, cgps_report *report) {
  set_dilutions(report, &data->dop);
  set_time(report, data->skyview_time);
  // A SKY may contain dilutions only. The line is searched for a satellite list, because
  // `data->set` and the satellite counts for such a SKY differ between versions of libgps.
  if (!strstr(line, "\"satellites\":[")) return;
  report->known |= CGPS_SATELLITES;
  // libgps 3.23 and later does not count the satellites of an older gpsd, but clears `skyview` for
  // each SKY, so the entries of `skyview` are counted.
  for (int index = 0; index < MAXCHANNELS; index++) {
    if (data->skyview[index].PRN <= 0) continue;
    if (report->satellite_count == CGPS_SATELLITES_MAX) break;
    read_satellite(&data->skyview[index], &report->satellites[report->satellite_count++]);
  }
}

/// Stores a heading, unless it is outside the range of a heading.
///
/// gpsd passes on the text of some compasses as a number, such as 14223 for 142.23 degrees.
static void set_heading(cgps_report *report, uint32_t bit, double *to, double degrees) {
  if (degrees >= 0 && degrees <= 360) set_value(report, bit, to, degrees < 360 ? degrees : 0);
}

static void read_att(const struct gps_data_t *data, const char *line, cgps_report *report) {
  set_heading(report, CGPS_HEADING, &report->heading, data->attitude.heading);
  const double roll = data->attitude.roll, pitch = data->attitude.pitch;
  if (roll >= -180 && roll <= 180) set_value(report, CGPS_ROLL, &report->roll, roll);
  if (pitch >= -90 && pitch <= 90) set_value(report, CGPS_PITCH, &report->pitch, pitch);
  // Only newer versions of libgps have a field for the magnetic heading, so the line is parsed.
  static const char name[] = "\"mheading\":";
  const char *value = strstr(line, name);
  if (!value) return;
  value += sizeof name - 1;
  char *end;
  double degrees = strtod(value, &end);
  if (end != value) {
    set_heading(report, CGPS_MAGNETIC_HEADING, &report->magnetic_heading, degrees);
  }
}

static void read_device(const struct devconfig_t *from, cgps_device *to) {
  copy_text(to->path, from->path);
  copy_text(to->driver, from->driver);
  copy_text(to->subtype, from->subtype);
  to->baud = from->baudrate;
  // gpsd reports a removed device with `"activated":0`.
  to->is_active = from->activated.tv_sec != 0;
}

static void read_devices(const struct gps_data_t *data, const char *line, cgps_report *report) {
  const int max_count = (int)(sizeof data->devices.list / sizeof data->devices.list[0]);
  int count = data->devices.ndevices;
  if (count > max_count) count = max_count;
  if (count > CGPS_DEVICES_MAX) count = CGPS_DEVICES_MAX;
  for (int index = 0; index < count; index++) {
    read_device(&data->devices.list[index], &report->devices[index]);
  }
  report->device_count = count > 0 ? count : 0;
  // libgps keeps only four devices and does not report that the line contains more.
  static const char device_class[] = "\"class\":\"DEVICE\"";
  int listed_count = 0;
  while ((line = strstr(line, device_class))) {
    listed_count++;
    line += sizeof device_class - 1;
  }
  report->is_complete = listed_count == report->device_count;
}

/// Whether a line begins and ends like a JSON object.
///
/// gps_read returns success even for a line that it could not parse.
static bool is_object(const char *line) {
  size_t length = strlen(line);
  while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == '\n')) length--;
  return length >= 2 && line[0] == '{' && line[length - 1] == '}';
}

/// Returns the class of a line. gpsd writes no spaces and may put other fields before the class.
static cgps_class class_of(const char *line) {
  static const struct {
    const char *text;
    cgps_class class;
  } classes[] = {
      {"\"class\":\"TPV\"", CGPS_TPV},         {"\"class\":\"SKY\"", CGPS_SKY},
      {"\"class\":\"DEVICE\"", CGPS_DEVICE},   {"\"class\":\"DEVICES\"", CGPS_DEVICES},
      {"\"class\":\"VERSION\"", CGPS_VERSION}, {"\"class\":\"WATCH\"", CGPS_WATCH},
      {"\"class\":\"ERROR\"", CGPS_ERROR},     {"\"class\":\"ATT\"", CGPS_ATT},
  };
  // A DEVICES line contains DEVICE objects, but the line's own class comes first.
  const char *name = strstr(line, "\"class\":");
  if (!name || !is_object(line)) return CGPS_MALFORMED;
  for (size_t index = 0; index < sizeof classes / sizeof classes[0]; index++) {
    if (strncmp(name, classes[index].text, strlen(classes[index].text)) == 0) {
      return classes[index].class;
    }
  }
  return CGPS_OTHER;
}

int cgps_gpsd_read(cgps_gpsd *session, cgps_report *report) {
  session->line[0] = '\0';
  int count = gps_read(&session->data, session->line, sizeof session->line - 1);
  if (count <= 0) return count;
  session->line[sizeof session->line - 1] = '\0';
  memset(report, 0, sizeof *report);
  const struct gps_data_t *data = &session->data;
  report->class = class_of(session->line);
  switch (report->class) {
    case CGPS_TPV:
      copy_text(report->device, data->dev.path);
      read_tpv(data, report);
      break;
    case CGPS_SKY:
      copy_text(report->device, data->dev.path);
      read_sky(data, session->line, report);
      break;
    case CGPS_ATT:
      copy_text(report->device, data->dev.path);
      read_att(data, session->line, report);
      break;
    case CGPS_DEVICE:
      read_device(&data->dev, &report->devices[0]);
      report->device_count = 1;
      break;
    case CGPS_DEVICES: read_devices(data, session->line, report); break;
    case CGPS_VERSION:
      copy_text(report->text, data->version.release);
      report->protocol_major = data->version.proto_major;
      report->protocol_minor = data->version.proto_minor;
      report->is_fixcast = strncmp(data->version.rev, "fixcast", strlen("fixcast")) == 0;
      break;
    case CGPS_ERROR: copy_text(report->text, data->error); break;
    // copy_text truncates a long line.
    case CGPS_MALFORMED: copy_text(report->text, session->line); break;
    case CGPS_WATCH:
    case CGPS_OTHER: break;
  }
  return 1;
}
