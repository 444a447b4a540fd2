#!/usr/bin/env bash
# Makes sure that there are the programs that `npm run soak` starts (root or sudo needed where one is missing): wrk asks
# for long lists, HAProxy is in front of several servers.
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  exit 1
}

for program in wrk haproxy; do
  command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin
  command -v "$program" >/dev/null || install_debian "$program" 'the soak'
done
