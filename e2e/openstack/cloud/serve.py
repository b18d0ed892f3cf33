"""Serves one OpenStack service over HTTP: `serve.py keystone 5000 FOLDER`."""

import os
import sys
from pathlib import Path

import waitress


def keystone(etc):
    os.environ['OS_KEYSTONE_CONFIG_DIR'] = f'{etc}/'
    os.environ['OS_KEYSTONE_CONFIG_FILES'] = 'keystone.conf'
    from keystone.wsgi.api import application

    return application


def neutron(etc):
    os.environ['OS_NEUTRON_CONFIG_DIR'] = f'{etc}/'
    os.environ['OS_NEUTRON_CONFIG_FILES'] = 'neutron.conf'
    from neutron.wsgi.api import application

    return application


def octavia(etc):
    from octavia.api import app

    import octavia_worker

    application = app.setup_app(argv=['octavia', '--config-file', f'{etc}/octavia.conf'])
    octavia_worker.start(folder=etc.parent)
    return application


if __name__ == '__main__':
    name, port, folder = sys.argv[1:]
    # The services read the command line as well, and must not see ours.
    sys.argv = [name]
    make = {'keystone': keystone, 'neutron': neutron, 'octavia': octavia}[name]
    waitress.serve(make(Path(folder) / 'etc'), host='127.0.0.1', port=int(port), threads=8)
