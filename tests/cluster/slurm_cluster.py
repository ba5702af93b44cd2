"""A real Slurm cluster on this host: munged, slurmctld and slurmds of their own, on free ports, below one folder.

Nothing outside that folder is used or changed, so it needs no configuration of the machine, and stands beside a
Slurm that runs there. Any user can start it. All daemons run in the foreground, as children.

    with slurm_cluster.Cluster(folder, nodes=2) as cluster:
        subprocess.run(["srun", "-N2", "hostname"], env={**os.environ, **cluster.environment})
"""
import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
PLACES = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
START_S = 60


class NoCluster(Exception):
    """It could not be started."""


def missing():
    """Of Slurm's and munge's programs, those that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=PLACES)]


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def all_processes():
    """{process: (name, parent)} of this host."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = pathlib.Path("/proc", entry, "stat").read_text(errors="replace")
                end = text.rindex(")")
                found[int(entry)] = text[text.index("(") + 1:end], int(text[end + 2:].split()[1])
    return found


def below(roots, processes):
    """The roots, their children, the children of these, ..."""
    found, grown = set(roots), True
    while grown:
        more = {pid for pid, (_, parent) in processes.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return found


class Cluster:
    def __init__(self, folder, nodes=2, cpus=1, node_timeout_s=5):
        self.folder = pathlib.Path(folder).resolve()
        self.names = [f"n{i + 1}" for i in range(nodes)]
        self.children = {}
        self.cpus, self.node_timeout_s = cpus, node_timeout_s
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for name in ("munge", "state", "log", *self.names):
            (self.folder / name).mkdir(parents=True, mode=0o700)
        key = self.folder / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.configure()
        munge = self.folder / "munge"
        self.run("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={munge}/socket",
                 f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--num-threads=2")
        self.wait_until(lambda: (munge / "socket").exists(), "munged listens")
        self.run("slurmctld", "-D")
        for name in self.names:
            self.start_node(name)
        self.wait_until(lambda: self.idle_nodes() == len(self.names), "all nodes are idle")

    def configure(self):
        user, (controller, *ports) = pwd.getpwuid(os.getuid()).pw_name, free_ports(1 + len(self.names))
        nodes = "\n".join(f"NodeName={name} NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} State=UNKNOWN"
                          for name, port in zip(self.names, ports))
        (self.folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={socket.gethostname().split(".")[0]}(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/%n/pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=1
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout={self.node_timeout_s}
MessageTimeout=5
KillWait=1
MinJobAge=60
JobRequeue=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
{nodes}
PartitionName=main Nodes={",".join(self.names)} Default=YES MaxTime=INFINITE State=UP
""")

    def run(self, program, *arguments, name=None):
        """Starts a daemon."""
        name = name or program
        with open(self.folder / "log" / f"{name}.txt", "ab") as log:
            self.children[name] = subprocess.Popen(
                [shutil.which(program, path=PLACES), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={"PATH": PLACES, "HOME": os.environ.get("HOME", "/"), **self.environment}, start_new_session=True)

    def start_node(self, name):
        self.run("slurmd", "-D", "-N", name, name=name)

    def kill_node(self, name):
        """What a power failure of the node does: its slurmd and all processes of its tasks end at once."""
        child = self.children.pop(name)
        self.kill_all(self.processes_of(name, child.pid))
        child.wait()

    @staticmethod
    def kill_all(pids):
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def processes_of(self, name, slurmd):
        """slurmd, its slurmstepds, and whatever is below them. A slurmstepd may have left its slurmd: it is the parent
        of a process whose environment names the node."""
        roots = {slurmd}
        marks = {b"SLURM_CONF=" + self.environment["SLURM_CONF"].encode(), b"SLURMD_NODENAME=" + name.encode()}
        processes = all_processes()
        for pid in processes:
            with contextlib.suppress(OSError):
                if marks <= set(pathlib.Path("/proc", str(pid), "environ").read_bytes().split(b"\0")):
                    roots.add(pid)
        parents = {processes[pid][1] for pid in roots if pid in processes}
        roots |= {pid for pid in parents if pid in processes and processes[pid][0].startswith("slurmstepd")}
        return below(roots, processes)

    def command(self, *words):
        ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False,
                             env={"PATH": PLACES, "HOME": os.environ.get("HOME", "/"), **self.environment})
        return ran.stdout if ran.returncode == 0 else ""

    def idle_nodes(self):
        return sum(state.strip() == "idle" for state in self.command("sinfo", "-h", "-N", "-o", "%T").splitlines())

    def jobs(self):
        """{task: state} of all that has not ended."""
        lines = self.command("squeue", "-h", "-r", "-o", "%F_%K %T").splitlines()
        return dict(line.split() for line in lines if line)

    def wait_until(self, is_so, what, timeout_s=START_S):
        deadline = time.monotonic() + timeout_s
        while not is_so():
            for name, child in self.children.items():
                if child.poll() is not None:
                    raise NoCluster(f"{name} has ended with {child.returncode}: {self.log(name)}")
            if time.monotonic() > deadline:
                raise NoCluster(f"after {timeout_s} s it is not so that {what}\n" +
                                "\n".join(f"{name}: {self.log(name)}" for name in self.children))
            time.sleep(0.1)

    def log(self, name):
        return (self.folder / "log" / f"{name}.txt").read_text(errors="replace")[-2000:]

    def stop(self):
        """Ends the jobs, then all daemons, by their numbers."""
        if "slurmctld" in self.children and self.children["slurmctld"].poll() is None:
            self.command("scancel", "--state=PENDING", f"--user={os.getuid()}")
            self.command("scancel", f"--user={os.getuid()}")
            deadline = time.monotonic() + 10
            while self.jobs() and time.monotonic() < deadline:
                time.sleep(0.2)
        for name in [name for name in self.children if name != "munged"] + ["munged"]:
            child = self.children.pop(name, None)
            if child is None or child.poll() is not None:
                continue
            if name in self.names:
                self.kill_all(self.processes_of(name, child.pid) - {child.pid})
            child.terminate()
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
