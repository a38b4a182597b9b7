# slurm.sh - sourced: a small Slurm cluster in a folder: munged, slurmctld and two slurmd (nodes n1 and n2) on this machine.
# Each node has 8 CPUs by its configuration, so that 8 ranks run on any machine.
#
#   slurm_up FOLDER     starts it; SLURM_CONF is set.  Fails if programs or rights are missing; slurm_reason prints why.
#   slurm_down          ends its jobs and daemons
slurm_reason() {
    local program
    for program in munged munge slurmctld slurmd srun sbatch; do
        command -v $program >/dev/null || { echo "$program: not found; the Debian packages slurm-wlm and munge have it"; return; }
    done
    [ "$(id -u)" = 0 ] || { echo "slurmd needs the rights of root"; return; }
    [ ! -e "${slurm_folder:-}/log" ] || echo "the daemons do not start: $(tail -n 1 "$slurm_folder/log")"
}
slurm_port() { python3 -c \
    'import socket; s = [socket.socket() for _ in range(3)]; [x.bind(("", 0)) for x in s]; print(*[x.getsockname()[1] for x in s])'; }
# slurm_conf PORT OF CONTROLLER, PORT OF n1, PORT OF n2
slurm_conf() {
    local host
    host=$(hostname -s)
    cat <<EOS
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$1
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge.socket
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/spool.%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/slurmd.%n.pid
SlurmctldLogFile=$slurm_folder/slurmctld.log
SlurmdLogFile=$slurm_folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TmpFS=$slurm_folder/tmp.%n
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
InactiveLimit=0
MpiDefault=none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=8
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=8
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
EOS
}
slurm_wait() { # until both nodes are idle, at most 30 s
    local i
    for ((i = 0; i < 150; i++)); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" = 2 ] && return
        sleep 0.2
    done
    sinfo -N -l
    return 1
}
slurm_up() {
    slurm_folder=$1
    [ -z "$(slurm_reason)" ] || return 1
    mkdir -p "$slurm_folder/state" "$slurm_folder/spool.n1" "$slurm_folder/spool.n2" "$slurm_folder/tmp.n1" "$slurm_folder/tmp.n2" || return
    export SLURM_CONF=$slurm_folder/slurm.conf
    {
        # shellcheck disable=SC2046 # three words
        slurm_conf $(slurm_port) >"$SLURM_CONF"
        head -c 1024 /dev/urandom >"$slurm_folder/munge.key" && chmod 400 "$slurm_folder/munge.key"
        munged --force --key-file "$slurm_folder/munge.key" --socket "$slurm_folder/munge.socket" --pid-file "$slurm_folder/munged.pid" \
            --log-file "$slurm_folder/munged.log" --seed-file "$slurm_folder/munged.seed" &&
            slurmctld -f "$SLURM_CONF" && slurmd -f "$SLURM_CONF" -N n1 && slurmd -f "$SLURM_CONF" -N n2 && slurm_wait
    } >"$slurm_folder/log" 2>&1
}
slurm_down() {
    [ -n "${slurm_folder:-}" ] || return 0
    local file jobs pid i pids=
    if [ -e "$slurm_folder/slurmctld.pid" ]; then
        timeout 10 scancel --user=root 2>/dev/null
        for ((i = 0; i < 50; i++)); do
            jobs=$(timeout 10 squeue -h 2>/dev/null) && [ -n "$jobs" ] || break
            sleep 0.2
        done
    fi
    for file in slurmd.n1 slurmd.n2 slurmctld munged; do
        pid=$(cat "$slurm_folder/$file.pid" 2>/dev/null) || continue
        kill "$pid" 2>/dev/null && pids="$pids $pid"
    done
    for pid in $pids; do # a slurmd waits for the steps of its jobs
        for ((i = 0; i < 50; i++)); do kill -0 "$pid" 2>/dev/null && sleep 0.1; done
        kill -KILL "$pid" 2>/dev/null
    done
}
