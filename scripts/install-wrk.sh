#!/usr/bin/env bash
# Makes sure that there is a wrk for the benchmark (root or sudo needed where there is none).
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The benchmark asks with wrk: https://github.com/wg/wrk' >&2
  exit 1
}

command -v wrk >/dev/null || install_debian wrk 'the benchmark'
