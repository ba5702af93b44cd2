"""What tests of whole batches ask: which processes are left, which files changed, whether two reports are the same.

Processes: this process adopts all orphans below it (it is a child subreaper), so whatever a batch starts and
however it detaches, it is a descendant of this process until it has ended. Having no child left means that
nothing is left, and no other process of the machine is asked or signalled.
"""
import ctypes
import os
import pathlib
import re
import signal
import stat
import time

PR_SET_CHILD_SUBREAPER = 36
# The users that submissions run as where root grades: harness/sandbox/users.cpp.
SANDBOX_USERS = range(61184, 65520)


# ---- Processes ------------------------------------------------------------------------------------

def adopt_orphans():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def start(command, environment, output):
    """The pid of the command, whose stdout and stderr go to the file `output`."""
    mode = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return os.posix_spawn(command[0], command, environment,
                          file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                                        (os.POSIX_SPAWN_OPEN, 1, str(output), mode, 0o644),
                                        (os.POSIX_SPAWN_DUP2, 1, 2)])


def wait_until_none_is_left(timeout_s, of=None):
    """Reaps until no descendant is left. Returns (whether none is, exit status of the process `of`)."""
    deadline, status = time.monotonic() + timeout_s, None
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True, status
        if pid != 0:
            status = ended if pid == of else status
        elif time.monotonic() > deadline:
            return False, status
        else:
            time.sleep(0.002)


def descendants():
    """{pid: name} of the processes below this one."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path("/proc", entry, "stat").read_text(errors="replace")
        except OSError:
            continue  # it has ended
        end = text.rindex(")")
        parents[int(entry)] = int(text[end + 2:].split()[1])
        names[int(entry)] = text[text.index("(") + 1:end]
    below = {}
    for pid in parents:
        above = parents[pid]
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            below[pid] = names[pid]
    return below


def end_all():
    """Kills what is below this process: only after a failure."""
    for _ in range(100):
        for pid in descendants():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if wait_until_none_is_left(0.1)[0]:
            return


def locks_of(pids):
    """The entries of /proc/locks that one of these processes took and that are still held."""
    return [line for line in pathlib.Path("/proc/locks").read_text().splitlines()
            if re.search(r"\s(\d+)\s+[0-9a-f]+:", line) and int(re.search(r"\s(\d+)\s+[0-9a-f]+:", line)[1]) in pids]


# ---- Files ----------------------------------------------------------------------------------------

def snapshot(folder):
    """{path: what would show a change} of all that is below a folder, itself included. Follows no link."""
    found = {}
    for parent, folders, files in os.walk(folder, followlinks=False):
        for path in [parent, *(os.path.join(parent, name) for name in folders + files)]:
            try:
                info = os.lstat(path)
            except FileNotFoundError:
                continue
            target = os.readlink(path) if stat.S_ISLNK(info.st_mode) else ""
            found[path] = (info.st_mode, info.st_uid, info.st_size, info.st_mtime_ns, info.st_ino, target)
    return found


def changes(before, after):
    """What differs between two snapshots, in words."""
    words = [f"new: {path}" for path in after.keys() - before.keys()]
    words += [f"gone: {path}" for path in before.keys() - after.keys()]
    words += [f"changed: {path}" for path in before.keys() & after.keys() if before[path] != after[path]]
    return sorted(words)


# ---- Reports --------------------------------------------------------------------------------------

# By format: what may differ between two gradings of the same file, as (pattern, how often it must be there; None: as
# often as in the other report, because what is set aside stays as a mark). These are the seconds of the grading, of its
# phases and of its cases, when it began, and of the seal the hashes of the sections that hold times, and its code.
TIMES = {
    ".json": [(r'(?m)^  "seconds": ([-+.e\d]+),$', 1), (r'(?m)^(?: {6}| {10})"seconds": ([-+.e\d]+),?$', None),
              (r'(?m)^    "started": "([-:TZ\d]+)"', 1),
              (r'"name": "(?:seconds|phases|environment)",\s+"sha256": "([\da-f]{64})"', 3),
              (r'"name": "tasks\.\w+",\s+"sha256": "([\da-f]{64})"', None), (r'"mac": "([\da-f]{64})"', 1)],
    ".yaml": [(r"(?m)^seconds: ([-+.e\d]+)$", 1), (r"(?m)^(?:  - \{name: [^,]+, | {8})seconds: ([-+.e\d]+)\}?$", None),
              (r'(?m)^  started: "([-:TZ\d]+)"', 1),
              (r'- name: (?:seconds|phases|environment)\s+sha256: ("?[\da-f]{64}"?)', 3),
              (r'- name: tasks\.\w+\s+sha256: ("?[\da-f]{64}"?)', None), (r'(?m)^  mac: ("?[\da-f]{64}"?)$', 1)],
    ".html": [(r"<dt>time</dt><dd>([^<]+)</dd>", 1), (r"<dt>started</dt><dd>([^<]+)</dd>", 1),
              (r'<td class="n">([\d.]+ m?s)</td></tr>', None)],
    ".txt": [(r"(?m)^Time: (.*\n(?:  .*\n)*)", 1)],
}


class NotAReport(Exception):
    """A report lacks a time, so that not all of it is there."""


def set_aside(match):
    begin = match.start(0)
    return match[0][:match.start(1) - begin] + "(set aside)" + match[0][match.end(1) - begin:]


def without_times(name, text):
    """A report's text without what TIMES names. Raises NotAReport where one of these is not there."""
    for pattern, count in TIMES[os.path.splitext(name)[1]]:
        text, found = re.subn(pattern, set_aside, text)
        if found != count and count is not None:
            raise NotAReport(f"{name}: {found} times {pattern}")
    return text
