"""Octavia's flows are real; the machines that they would start are not. What Nova does to ports on their behalf is done here."""
import time
import types

from novaclient import exceptions
from octavia.amphorae.drivers.noop_driver import driver as amphorae
from octavia.common import clients
from octavia.compute.drivers.noop_driver import driver as compute
from oslo_config import cfg

from pilothouse_knobs import read


def work():
    time.sleep(float(read('balancer-delay') or 0))
    if read('balancer-fails') is not None:
        raise RuntimeError('the knob balancer-fails says so')


def neutron():
    place = cfg.CONF.neutron
    return clients.NeutronAuth.get_neutron_client(place.region_name, place.service_name, place.endpoint)


class Machines(compute.NoopComputeDriver):
    def build(self, *positional, **named):
        work()
        return super().build(*positional, **named)

    def attach_network_or_port(self, compute_id, network_id=None, ip_address=None, port_id=None):
        if port_id is None:
            return self._plug({'network_id': network_id, 'name': 'amphora-' + compute_id})
        # "It is plugged already": the Neutron driver then goes on. What the stock class returns would end in ERROR.
        raise exceptions.Conflict(409)

    def _plug(self, wanted):
        # Known by its name: for ports that have the machine as their device Octavia would wait until Nova lets go of them.
        known = neutron().list_ports(**wanted)['ports']
        port = known[0] if known else neutron().create_port({'port': wanted})['port']
        return types.SimpleNamespace(net_id=port['network_id'], port_id=port['id'], fixed_ips=port['fixed_ips'])

    def delete(self, compute_id):
        for port in neutron().list_ports(name='amphora-' + compute_id, fields='id')['ports']:
            neutron().delete_port(port['id'])
        return super().delete(compute_id)


class Amphorae(amphorae.NoopAmphoraLoadBalancerDriver):
    def update(self, loadbalancer):
        work()
        return super().update(loadbalancer)

    def delete(self, listener):
        work()
        return super().delete(listener)
