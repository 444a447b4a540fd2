#!/usr/bin/env bash
# Holds the alert rules against Prometheus' own tool, and tries them on series where all is well and where nothing is.
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'Checking the alert rules needs promtool: https://prometheus.io/download/' >&2
  exit 1
}

command -v promtool >/dev/null || install_debian prometheus 'promtool, which checks the alert rules'
cd "$(dirname "$0")/../deploy/prometheus"
promtool check config prometheus.yml
promtool test rules castellan.test.yml
