#!/usr/bin/env bash
# Runs tests with a PgBouncer in transaction mode between the service and PostgreSQL (Debian's, installed when missing).
#   npm run test:pooler                     the whole suite
#   npm run test:pooler -- test/api/x.ts    some files
set -euo pipefail
. "$(dirname "$0")/install-debian.sh"

give_up() {
  echo "$1" >&2
  exit 1
}

command -v pgbouncer >/dev/null || PATH=$PATH:/usr/sbin
command -v pgbouncer >/dev/null || install_debian pgbouncer 'the tests by way of a pooler'
folder=$(mktemp -d /tmp/castellan-pooler.XXXXXX)
chmod 711 "$folder"
cleanup() {
  [[ -s "$folder/pgbouncer.pid" ]] && kill "$(<"$folder/pgbouncer.pid")" || true
  exec 3>&- || true
  [[ -n "${keeper:-}" ]] && wait "$keeper" || true
  rm -rf "$folder"
}
trap cleanup EXIT

# A PostgreSQL of its own, for as long as something holds its standard input open.
mkfifo "$folder/input"
node --import tsx test/harness/keeper.ts <"$folder/input" >"$folder/url" &
keeper=$!
exec 3>"$folder/input"
until [[ -s "$folder/url" ]]; do sleep 0.2; done
TEST_DATABASE_URL=$(<"$folder/url")
socket=$(node -p "decodeURIComponent(new URL(process.argv[1]).searchParams.get('host') ?? '')" "$TEST_DATABASE_URL")
user=$(node -p "new URL(process.argv[1]).username" "$TEST_DATABASE_URL")

port=$(node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
cat >"$folder/pgbouncer.ini" <<INI
[databases]
* = host=$socket user=$user
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 2000
default_pool_size = 20
server_idle_timeout = 5
; Seconds; with its usual 15 the service would be away that long after every outage of a test.
server_login_retry = 0.2
pidfile = $folder/pgbouncer.pid
logfile = $folder/pgbouncer.log
INI
as=()
if [[ $(id -u) == 0 ]]; then
  # Whom PostgreSQL's private socket lets in.
  owner=$(stat -c %U "$socket"/.s.PGSQL.*[0-9])
  as=(-u "$owner")
  chown -R "$owner" "$folder"
fi
pgbouncer -q -d "${as[@]}" "$folder/pgbouncer.ini"

export TEST_DATABASE_URL
# Debian's PgBouncer is older than 1.21, from which on it keeps prepared statements.
export TEST_POOLER_URL="postgres://$user@127.0.0.1:$port/postgres?prepared_statements=off"
# LISTEN needs a connection of its own, and the unit tests of the database are about connections and what they keep: for
# these there has to be PostgreSQL itself.
npx vitest run --exclude test/jobs/notifications.test.ts --exclude 'test/unit/database/**' "$@"
