"""
Makes the snapshot that every start begins with: databases with their tables, users, services, and the networks that
Octavia needs. `prepare.py FOLDER MARIADB SNAPSHOT`
"""

import os
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import openstack
import pymysql

import site_folder
from processes import Processes
from site_folder import REGION, SERVICES, Site, environment

TYPES = {'neutron': 'network', 'octavia': 'load-balancer'}
ROLES = ('service', 'load-balancer_member', 'load-balancer_observer')


def main(folder, mariadb, snapshot):
    site = Site(folder, mariadb)
    site.prepare()
    site.configure()
    processes = Processes(site)
    try:
        say('database')
        make_authority(site)
        make_databases(site, processes)
        say('tables')
        make_tables(site)
        say('users and networks')
        processes.start_service('keystone')
        processes.start_service('neutron')
        processes.wait_for_service('keystone')
        make_users(site)
        processes.wait_for_service('neutron')
        (site.state / 'amphora-network').write_text(make_networks(site))
        processes.stop('keystone', 'neutron')
        processes.stop('mariadb')
    finally:
        processes.kill()
    say('snapshot')
    with tarfile.open(snapshot, 'w:gz', compresslevel=1) as archive:
        archive.add(site.data, 'data')
        archive.add(site.state, 'state')


def say(step):
    print(step, flush=True)


def run(*command, **variables):
    done = subprocess.run(
        [str(word) for word in command],
        env={**environment(), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise SystemExit(f'{command[0]} failed:\n{(done.stdout + done.stderr)[-4000:]}')


def command(name):
    """By the interpreter: the folder of the packages was moved after they were installed."""
    return [sys.executable, Path(sys.prefix) / 'bin' / name]


def make_authority(site):
    certs = site.state / 'certs'
    files = ['-keyout', certs / 'ca.key', '-out', certs / 'ca.pem']
    run('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3650', '-subj', '/CN=ca', *files)


def make_databases(site, processes):
    usr = site.mariadb / 'usr'
    run(
        usr / 'bin/mariadb-install-db',
        f'--defaults-file={site.etc}/my.cnf',
        f'--basedir={usr}',
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        LD_LIBRARY_PATH=site.libraries(),
    )
    processes.start_database()
    processes.wait_for_database()
    with pymysql.connect(unix_socket=str(site.socket), user='root') as connection, connection.cursor() as cursor:
        for name in SERVICES:
            cursor.execute(f'create database {name} character set utf8mb3')


def make_tables(site):
    keystone = [*command('keystone-manage'), '--config-file', site.etc / 'keystone.conf']
    owner = ['--keystone-user', str(os.getuid()), '--keystone-group', str(os.getgid())]
    url = f'{site.urls["keystone"]}/v3'

    def of_keystone():
        run(*keystone, 'db_sync')
        run(*keystone, 'fernet_setup', *owner)
        run(*keystone, 'credential_setup', *owner)
        urls = [word for kind in ('public', 'internal', 'admin') for word in (f'--bootstrap-{kind}-url', url)]
        password = ['--bootstrap-password', site_folder.ADMIN_PASSWORD]
        run(*keystone, 'bootstrap', *password, '--bootstrap-region-id', REGION, *urls)

    def of_octavia():
        run(*command('octavia-db-manage'), '--config-file', site.etc / 'octavia.conf', 'upgrade', 'head')

    def of_neutron():
        run(*command('neutron-db-manage'), '--config-file', site.etc / 'neutron.conf', 'upgrade', 'heads')

    at_once(of_keystone, of_octavia, of_neutron)


def at_once(*works):
    failures = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def connect(site, user, password, project):
    return openstack.connect(
        auth_url=f'{site.urls["keystone"]}/v3',
        username=user,
        password=password,
        project_name=project,
        user_domain_id='default',
        project_domain_id='default',
        region_name=REGION,
        load_yaml_config=False,
        load_envvars=False,
    )


def make_users(site):
    identity = connect(site, 'admin', site_folder.ADMIN_PASSWORD, 'admin').identity
    for name in ROLES:
        if not identity.find_role(name):
            identity.create_role(name=name)
    roles = {role.name: role for role in identity.roles()}
    services = identity.find_project('service') or identity.create_project(name='service', domain_id='default')
    for name, kind in TYPES.items():
        user = identity.create_user(name=name, password=site_folder.SERVICE_PASSWORD, domain_id='default')
        for role in ('admin', 'service'):
            identity.assign_project_role_to_user(services, user, roles[role])
        service = identity.create_service(name=name, type=kind)
        for interface in ('public', 'internal', 'admin'):
            url = site.urls[name]
            identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=REGION)
    # Two projects, for what must not reach from one into the other.
    for name in ('demo', 'other'):
        project = identity.create_project(name=name, domain_id='default')
        user = identity.create_user(name=name, password=site_folder.USER_PASSWORD, domain_id='default')
        for role in ('member', 'reader', 'load-balancer_member'):
            identity.assign_project_role_to_user(project, user, roles[role])


def make_networks(site):
    """An external network `public` of both families, and the one on which amphorae would be: its id."""
    network = connect(site, 'admin', site_folder.ADMIN_PASSWORD, 'admin').network
    public = network.create_network(
        name='public',
        is_router_external=True,
        provider_network_type='flat',
        provider_physical_network='physnet1',
    )
    network.create_subnet(
        network_id=public.id, cidr='203.0.113.0/24', ip_version=4, is_dhcp_enabled=False, gateway_ip='203.0.113.1'
    )
    management = network.create_network(name='lb-mgmt')
    network.create_subnet(network_id=management.id, cidr='192.168.96.0/20', ip_version=4, is_dhcp_enabled=False)
    return management.id


if __name__ == '__main__':
    main(*sys.argv[1:])
