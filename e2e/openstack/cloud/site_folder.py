"""Where one OpenStack lives: its folder, its sockets and ports, and the configuration of its services."""

import os
import socket
import string
import sys
from pathlib import Path

HERE = Path(__file__).parent
SERVICES = ('keystone', 'neutron', 'octavia')
REGION = 'RegionOne'
ADMIN_PASSWORD = 'adminpw'
SERVICE_PASSWORD = 'svcpw'
USER_PASSWORD = 'demopw'


class Site:
    """A folder that holds all that is written while OpenStack runs."""

    def __init__(self, folder, mariadb):
        self.folder = Path(folder).resolve()
        self.mariadb = Path(mariadb).resolve()
        self.etc = self.folder / 'etc'
        self.data = self.folder / 'data'
        self.state = self.folder / 'state'
        self.log = self.folder / 'log'
        self.socket = self.folder / 'db.sock'
        self.ports = dict(zip(SERVICES, free_ports(len(SERVICES))))
        self.urls = {name: f'http://127.0.0.1:{port}' for name, port in self.ports.items()}

    def libraries(self):
        """The search path of MariaDB's libraries, which are not installed."""
        folders = [folder for lib in ('usr/lib', 'lib') for folder in (self.mariadb / lib).glob('*-linux-gnu')]
        return ':'.join(str(folder) for folder in folders)

    def prepare(self):
        for folder in (self.etc, self.state, self.log, self.state / 'certs', self.state / 'neutron'):
            folder.mkdir(parents=True, exist_ok=True)

    def configure(self, amphora_network=''):
        """Writes the configuration files; `amphora_network` is the id of Octavia's own network."""
        values = {
            'folder': self.folder,
            'mariadb': self.mariadb,
            'paste': Path(sys.prefix) / 'etc' / 'neutron' / 'api-paste.ini',
            'service_password': SERVICE_PASSWORD,
            'region': REGION,
            'amphora_network': amphora_network,
            **self.urls,
        }
        for template in (HERE / 'etc').iterdir():
            text = string.Template(template.read_text()).substitute(values)
            (self.etc / template.name).write_text(text)


def free_ports(count):
    """Ports that no one listens on; kept open together, so that no two are the same."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(('127.0.0.1', 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def environment():
    """Services read no settings of the user who runs the tests, and reach each other without a proxy."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(('OS_', 'PYTHON'))}
    return {**kept, 'NO_PROXY': '127.0.0.1', 'no_proxy': '127.0.0.1', 'PYTHONDONTWRITEBYTECODE': '1'}
