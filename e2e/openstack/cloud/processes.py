"""Starts the database and the services as processes that end with this one, however it ends."""

import ctypes
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from site_folder import HERE, environment

PR_SET_PDEATHSIG = 1
START_LIMIT_SECONDS = 120


class Processes:
    def __init__(self, site):
        self.site = site
        self.running = {}

    def start_database(self):
        program = self.site.mariadb / 'usr/sbin/mariadbd'
        command = [program, f'--defaults-file={self.site.etc}/my.cnf']
        self.start('mariadb', command, LD_LIBRARY_PATH=self.site.libraries())

    def start_service(self, name):
        port = self.site.ports[name]
        self.start(name, [sys.executable, HERE / 'serve.py', name, str(port), str(self.site.folder)])

    def start(self, name, command, **variables):
        with open(self.site.log / f'{name}.out', 'wb') as log:
            self.running[name] = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**environment(), **variables},
                preexec_fn=end_with_parent,
            )

    def wait_for_database(self):
        self.wait_until('mariadb', lambda: self.site.socket.exists())

    def wait_for_service(self, name):
        self.wait_until(name, lambda: answers(self.site.urls[name]))

    def wait_until(self, name, is_up):
        limit = time.monotonic() + START_LIMIT_SECONDS
        while not is_up():
            if self.running[name].poll() is not None or time.monotonic() > limit:
                said = (self.site.log / f'{name}.out').read_text(errors='replace')[-4000:]
                raise SystemExit(f'{name} did not start:\n{said}')
            time.sleep(0.05)

    def stop(self, *names):
        """Lets them end by themselves: the database has to write what it holds."""
        for name in names:
            self.running[name].terminate()
        for name in names:
            self.running.pop(name).wait()

    def kill(self):
        for process in self.running.values():
            process.kill()


def end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)


def answers(url):
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5)
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
