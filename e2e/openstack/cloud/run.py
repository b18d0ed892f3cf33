"""
Runs OpenStack from its snapshot until the standard input closes: `run.py FOLDER MARIADB SNAPSHOT`. Prints one line of
JSON when all services answer.
"""

import json
import sys
import tarfile

import pymysql

import site_folder
from processes import Processes
from site_folder import SERVICES, Site


def main(folder, mariadb, snapshot):
    site = Site(folder, mariadb)
    site.prepare()
    with tarfile.open(snapshot) as archive:
        archive.extractall(site.folder, filter='data')
    site.configure((site.state / 'amphora-network').read_text())
    processes = Processes(site)
    try:
        processes.start_database()
        processes.wait_for_database()
        move_endpoints(site)
        for name in SERVICES:
            processes.start_service(name)
        for name in SERVICES:
            processes.wait_for_service(name)
        print(json.dumps(described(site)), flush=True)
        # The life line: nothing is ever written to it, and it closes when the test ends, however it ends.
        sys.stdin.read()
    finally:
        processes.kill()


def move_endpoints(site):
    """The catalog still has the ports on which the snapshot was made."""
    urls = {'identity': f'{site.urls["keystone"]}/v3', 'network': site.urls['neutron']}
    urls['load-balancer'] = site.urls['octavia']
    change = 'update endpoint set url = %s where service_id in (select id from service where type = %s)'
    settings = {'unix_socket': str(site.socket), 'user': 'root', 'database': 'keystone', 'autocommit': True}
    with pymysql.connect(**settings) as connection, connection.cursor() as cursor:
        for kind, url in urls.items():
            cursor.execute(change, (url, kind))


def described(site):
    return {
        'authUrl': f'{site.urls["keystone"]}/v3',
        'network': site.urls['neutron'],
        'loadBalancer': site.urls['octavia'],
        'region': site_folder.REGION,
        'adminPassword': site_folder.ADMIN_PASSWORD,
        'userPassword': site_folder.USER_PASSWORD,
        'downFile': str(site.folder / 'down'),
    }


if __name__ == '__main__':
    main(*sys.argv[1:])
