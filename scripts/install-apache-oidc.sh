#!/usr/bin/env bash
# Makes sure that there is an Apache with mod_auth_openidc for the test with it (root or sudo needed where there is none).
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  echo 'The test of OpenID Connect with Apache needs apache2 and mod_auth_openidc, as Debian packages them.' >&2
  exit 1
}

module=/usr/lib/apache2/modules/mod_auth_openidc.so
[[ -x /usr/sbin/apache2 && -e $module ]] ||
  install_debian libapache2-mod-auth-openidc 'the test of OpenID Connect with Apache'
[[ -x /usr/sbin/apache2 ]] || install_debian apache2-bin 'the test of OpenID Connect with Apache'
