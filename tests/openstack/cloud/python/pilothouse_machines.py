"""Octavia's flows are real; the machines that they would start are not."""
import time
import types

from novaclient import exceptions
from octavia.amphorae.drivers.noop_driver import driver as amphorae
from octavia.compute.drivers.noop_driver import driver as compute

from pilothouse_knobs import read


def work():
    time.sleep(float(read('balancer-delay') or 0))
    if read('balancer-fails') is not None:
        raise RuntimeError('the knob balancer-fails says so')


class Machines(compute.NoopComputeDriver):
    def build(self, *positional, **named):
        work()
        return super().build(*positional, **named)

    def attach_network_or_port(self, compute_id, network_id=None, ip_address=None, port_id=None):
        if port_id is None:
            return types.SimpleNamespace(net_id=network_id, port_id=network_id, fixed_ips=[])  # as Nova's answer has it
        # "It is plugged already": the Neutron driver then goes on. What the stock class returns would end in ERROR.
        raise exceptions.Conflict(409)


class Amphorae(amphorae.NoopAmphoraLoadBalancerDriver):
    def update(self, loadbalancer):
        work()
        return super().update(loadbalancer)

    def delete(self, listener):
        work()
        return super().delete(listener)
