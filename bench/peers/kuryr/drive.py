"""
Drives the handler for KuryrLoadBalancers of kuryr-kubernetes and its Octavia driver, unchanged, as its controller does:
one event after the other for each resource, many resources at once. `drive.py KUBE KEYSTONE PROJECT SUBNET GROUP` reads
resources from its standard input, a line of JSON each, and answers each with a line when nothing is left to do for it.
"""

import eventlet
import eventlet.greenio

eventlet.monkey_patch()

import json
import os
import sys
import tempfile
import traceback

from kuryr_kubernetes import clients, config
from kuryr_kubernetes.controller.handlers import loadbalancer

MOST_EVENTS = 2000


SETTINGS = """
[kubernetes]
api_root = {kube}
ssl_verify_server_crt = false
token_file =
[neutron]
auth_type = password
auth_url = {keystone}
username = demo
password = secret
project_name = demo
user_domain_id = default
project_domain_id = default
region_name = RegionOne
[neutron_defaults]
project = {project}
pod_subnet = {pod_subnet}
pod_security_groups = {security_group}
[pod_vif_nested]
worker_nodes_subnets = {pod_subnet}
# Load balancers reach pods over a router, as in most installations.
[octavia_defaults]
member_mode = L3
"""


def main(kube, keystone, project, pod_subnet, security_group):
    with tempfile.NamedTemporaryFile('w', suffix='.conf') as settings:
        named = {'project': project, 'pod_subnet': pod_subnet, 'security_group': security_group}
        settings.write(SETTINGS.format(kube=kube, keystone=keystone, **named))
        settings.flush()
        config.init(['--config-file', settings.name])
    clients.setup_clients()
    handler = loadbalancer.KuryrLoadBalancerHandler()
    print('ready', flush=True)
    pool = eventlet.GreenPool(1000)
    # One that lets the others go on while it waits.
    lines = eventlet.greenio.GreenPipe(sys.stdin.fileno(), 'r')
    for line in iter(lines.readline, ''):
        pool.spawn(settle, handler, json.loads(line))
    pool.waitall()


def settle(handler, resource):
    try:
        handle(handler, resource)
    except Exception:
        # A green thread would end in silence.
        traceback.print_exc()
        os._exit(1)


def handle(handler, resource):
    """What a watch would deliver after each of its own writes is handed to it again, until it writes no more."""
    for _ in range(MOST_EVENTS):
        before = json.dumps(resource.get('status'), sort_keys=True)
        handler.on_present(resource)
        after = json.dumps(resource.get('status'), sort_keys=True)
        if resource.get('status') is None:
            resource['status'] = {}
        elif before == after:
            break
    print(json.dumps({'name': resource['metadata']['name'], 'status': resource['status']}), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
