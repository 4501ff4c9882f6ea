#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the MQTT sink with a real Home Assistant. Needs Python 3.13, and PyPI at the first run.
#
# usage: run.sh [PROGRAM]     PYTHON=python3.13 run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
environment=.build/homeassistant
if [ ! -e "$environment/installed" ]; then
  "${PYTHON:-python3.13}" -m venv "$environment"
  "$environment/bin/pip" install --quiet homeassistant==2025.4.4 paho-mqtt==2.1.0 \
    home-assistant-frontend==20250411.0 home-assistant-intents==2025.3.28 hass-nabucasa==0.94.0 \
    zeroconf==0.146.0 mutagen==1.47.0 PyTurboJPEG pymicro-vad==1.0.1 pyspeex-noise==1.0.2 \
    ha-ffmpeg==3.2.2 go2rtc-client==0.1.2
  touch "$environment/installed"
fi
exec "$environment/bin/python" -B Tests/HomeAssistant/test_home_assistant.py "$environment/bin/hass" \
  "${1:-.build/debug/fixcast}"
