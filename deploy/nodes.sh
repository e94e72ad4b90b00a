#!/bin/sh
# Runs several nodes of Postern on one machine, on one PostgreSQL, until it is told to end:
#
#   deploy/nodes.sh 4           # with the bin/postern.js beside this folder
#   deploy/nodes.sh 4 COMMAND…  # with another command
#
# Settings come from the environment; POSTERN_DATABASE_URL, or its …_FILE, must be set. The nodes listen on POSTERN_PORT
# (8080) and the ports after it, and keep their data in POSTERN_DATA_DIR/1, /2 and so on. Each keeps its own columns
# there, unless POSTERN_COLUMNS names a database of ClickHouse. A node that ends is started again after a second. TERM
# ends all, with the time that each needs. POSTERN_MEMORY is for each node: unset, each takes up to half of the
# machine's memory.
set -u

count=${1:-}
case $count in
'' | *[!0-9]* | 0)
  echo "usage: nodes.sh COUNT [COMMAND…]" >&2
  exit 2
  ;;
esac
shift
[ $# -gt 0 ] || set -- node "$(dirname "$0")/../bin/postern.js"
if [ -z "${POSTERN_DATABASE_URL:-}${POSTERN_DATABASE_URL_FILE:-}" ]; then
  echo "nodes.sh: set POSTERN_DATABASE_URL: nodes share a PostgreSQL" >&2
  exit 2
fi
port=${POSTERN_PORT:-8080}
data=${POSTERN_DATA_DIR:-./data}

# The command, again and again until TERM.
keep_running() {
  child=
  ending=
  trap 'ending=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null' TERM
  while [ -z "$ending" ]; do
    "$@" &
    child=$!
    # A signal ends the first wait, not the node.
    wait "$child"
    [ -z "$ending" ] || wait "$child"
    child=
    [ -n "$ending" ] || sleep 1
  done
}

keepers=
number=1
while [ "$number" -le "$count" ]; do
  (
    POSTERN_PORT=$((port + number - 1))
    POSTERN_DATA_DIR=$data/$number
    export POSTERN_PORT POSTERN_DATA_DIR
    mkdir -p "$POSTERN_DATA_DIR"
    keep_running "$@" serve
  ) &
  keepers="$keepers $!"
  number=$((number + 1))
done
# shellcheck disable=SC2086 # each number is a word
trap 'kill -TERM $keepers 2>/dev/null' TERM INT HUP
for keeper in $keepers; do
  while kill -0 "$keeper" 2>/dev/null; do wait "$keeper"; done
done
