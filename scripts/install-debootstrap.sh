#!/usr/bin/env bash
# Makes sure that there is a debootstrap for the test of the image (root or sudo needed where there is none).
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The test of the image needs debootstrap, as Debian packages it.' >&2
  exit 1
}

[[ $(id -u) == 0 ]] || give_up 'Folders can be mounted and entered by root alone.'
command -v debootstrap >/dev/null || PATH=$PATH:/usr/sbin
command -v debootstrap >/dev/null || install_debian debootstrap 'the test of the image'
