#!/usr/bin/env bash
# Does a count over many hosts survive when hosts fail? Three ssh servers in network namespaces of
# their own count the start position to depth 7 by the README's recipe; one is killed in the middle,
# another one's cable is cut. Needs root, and Debian's openssh-server, iproute2 and parallel.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() { echo "error: $*" >&2; exit 2; }
lines() { wc -l < "$1"; }

[ "$(id -u)" = 0 ] || fail "Expected root: network namespaces need it"
for need in sshd:openssh-server ip:iproute2 parallel:parallel; do
  command -v "${need%:*}" >/dev/null || fail "${need%:*} is missing: apt-get install ${need#*:}"
done

work=$(mktemp -d)
export HOME=$work # nothing of this machine's user is read or written
net() { ip netns exec "perft$1" "${@:2}"; }
clean_up() { # whatever there is
  set +e
  trap "" PIPE INT TERM
  exec >/dev/null 2>&1
  for i in 0 1 2 3; do ip netns pids "perft$i" | xargs -r kill -9; done
  wait
  for i in 0 1 2 3; do ip netns del "perft$i"; done
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 141' PIPE
trap 'exit 130' INT
trap 'exit 143' TERM

# Namespace 0 is the desk: a bridge, with a cable to each host.
ip netns add perft0 || fail "This machine has no network namespaces"
net 0 ip link add bridge type bridge
net 0 ip addr add 10.0.0.100/24 dev bridge
net 0 ip link set bridge up
ssh-keygen -q -t ed25519 -N "" -f "$work/key"
mkdir -p /run/sshd
cat > "$work/sshd" <<END
HostKey $work/key
AuthorizedKeysFile $work/key.pub
PidFile none
SetEnv HOME=$work
StrictModes no
UsePAM no
END
for i in 1 2 3; do
  ip netns add "perft$i"
  ip link add cable netns "perft$i" type veth peer name "host$i" netns perft0
  net 0 ip link set "host$i" master bridge up
  net "$i" ip addr add "10.0.0.$i/24" dev cable
  net "$i" ip link set cable up
  net "$i" "$(command -v sshd)" -f "$work/sshd"
  echo "10.0.0.$i" >> "$work/hosts"
done

# The recipe. ConnectTimeout and ServerAliveInterval let ssh notice a host that has dropped off.
login="-i $work/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
perft="$(command -v deno) run --allow-read $PWD/examples/perft.ts"
$perft split 3 7 > "$work/tasks"
say "$(lines "$work/tasks") lines to count on three hosts"
touch "$work/counts"
ip netns exec perft0 \
  parallel --pipe -N 100 -j 1 --line-buffer --joblog "$work/log" --resume-failed --retries 3 \
  --ssh "ssh -o ConnectTimeout=5 -o ServerAliveInterval=5 $login" --sshloginfile "$work/hosts" \
  "$perft" work --workers 1 < "$work/tasks" >> "$work/counts" &

until_counted() {
  while [ "$(lines "$work/counts")" -lt "$1" ]; do
    kill -0 $! 2>/dev/null || fail "The run ended at $(lines "$work/counts") lines"
    sleep 0.2
  done
}
until_counted 1000
ip netns pids perft1 | xargs kill -9
say "host 1 killed after $(lines "$work/counts") lines"
until_counted 2000
net 0 ip link set host2 down
say "host 2 cut off after $(lines "$work/counts") lines"
wait $! || fail "parallel ended with $?"

say "$(lines "$work/counts") lines came, in jobs:"
tail -n +2 "$work/log" | awk '{ jobs[$2 " exit " $7]++ } END { for (j in jobs) print "        " j ": " jobs[j] }' | sort
total=$($perft sum 3 7 < "$work/counts")
say "sum: $total"
[ "$total" = "3195901860 ok" ]
