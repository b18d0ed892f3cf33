"""
Octavia's worker inside the process of its API. Amphorae are not started: what plugs them into a network is done to the
real ports in Neutron, and their heartbeats are played.
"""

import os
import threading
import time

import oslo_messaging
from novaclient import exceptions as nova_exceptions
from octavia.common import clients, constants, rpc
from octavia.compute.drivers.noop_driver import driver as noop_compute
from octavia.controller.queue.v2 import endpoints
from octavia.db import api as database
from octavia.db import models
from oslo_config import cfg


def start(folder):
    play_compute()
    target = oslo_messaging.Target(topic=constants.TOPIC_AMPHORA_V2, server=cfg.CONF.host, fanout=False)
    rpc.get_server(target, [endpoints.Endpoints()]).start()
    threading.Thread(target=beat_for_ever, args=(folder / 'down',), daemon=True).start()


def play_compute():
    """The no-op driver for Nova forgets ports; Octavia's driver for Neutron asks for them."""

    def network():
        return clients.NeutronAuth.get_neutron_client().network

    def attach(self, compute_id, network_id=None, ip_address=None, port_id=None):
        network().update_port(port_id, device_id=compute_id)
        # "Plugged in already": from here Octavia takes the port as it is.
        raise nova_exceptions.Conflict(409)

    def detach(self, compute_id, port_id):
        network().update_port(port_id, device_id='')

    def delete(self, compute_id):
        for port in network().ports(device_id=compute_id):
            network().update_port(port.id, device_id='')

    noop_compute.NoopComputeDriver.attach_network_or_port = attach
    noop_compute.NoopComputeDriver.detach_port = detach
    noop_compute.NoopComputeDriver.delete = delete


def beat_for_ever(down_file):
    """Members at the addresses in this file are reported down."""
    from octavia.amphorae.drivers.health.heartbeat_udp import UpdateHealthDb

    health = UpdateHealthDb()
    sequence = 0
    while True:
        time.sleep(1)
        sequence += 1
        try:
            down = set(down_file.read_text().split()) if os.path.exists(down_file) else set()
            for message, address in heartbeats(down, sequence):
                health.update_health(message, (address, 5555))
        except Exception as error:  # A load balancer that goes away meanwhile must not end the heart.
            print('heartbeat', repr(error), flush=True)


def heartbeats(down, sequence):
    messages = []
    with database.session().begin() as session:
        for amphora in session.query(models.Amphora).filter_by(status='ALLOCATED'):
            balancer = session.get(models.LoadBalancer, amphora.load_balancer_id)
            if balancer is None or balancer.provisioning_status == 'DELETED':
                continue
            listeners, pools = reported(balancer, down)
            message = {
                'id': amphora.id,
                'seq': sequence,
                'ver': 3,
                'recv_time': time.time(),
                'listeners': listeners,
                'pools': pools,
            }
            messages.append((message, amphora.lb_network_ip))
    return messages


def reported(balancer, down):
    listeners, pools = {}, {}
    for listener in balancer.listeners:
        if not listener.enabled:
            continue
        listeners[listener.id] = {'status': 'OPEN', 'stats': dict(tx=0, rx=0, conns=0, totconns=0, ereq=0)}
        for pool in listener.pools:
            members = {one.id: health_of(pool, one, down) for one in pool.members if one.enabled}
            pools[f'{pool.id}:{listener.id}'] = {'status': 'UP', 'members': members}
    return listeners, pools


def health_of(pool, member, down):
    if not pool.health_monitor:
        return 'no check'
    return 'DOWN' if member.ip_address in down else 'UP'
