"""A mechanism driver of ML2 that does what agents on hosts would do: it reports bound ports as wired, and binds the subports of trunks."""
import eventlet
from neutron.db import provisioning_blocks
from neutron_lib import context
from neutron_lib.api.definitions import portbindings
from neutron_lib.callbacks import events, registry, resources
from neutron_lib.plugins import directory
from neutron_lib.plugins.ml2 import api

from pilothouse_knobs import read

NOT_BOUND = {portbindings.VIF_TYPE_UNBOUND, portbindings.VIF_TYPE_BINDING_FAILED}


def later(what, *about):
    delay = read('port-delay') or '0.5'
    if delay != 'never':
        eventlet.spawn_after(float(delay), quietly, what, *about)


def quietly(what, *about):
    try:
        what(*about)
    except Exception:  # the port can be gone by now
        pass


def report(port_id):
    provisioning_blocks.provisioning_complete(
        context.get_admin_context(), port_id, resources.PORT, provisioning_blocks.L2_AGENT_ENTITY)


def bind(parent_id, port_ids):
    admin, plugin = context.get_admin_context(), directory.get_plugin()
    host = plugin.get_port(admin, parent_id).get(portbindings.HOST_ID)
    for port_id in port_ids if host else []:
        quietly(plugin.update_port, admin, port_id, {'port': {portbindings.HOST_ID: host, 'device_owner': 'trunk:subport'}})


class Agents(api.MechanismDriver):
    def initialize(self):
        registry.subscribe(self._subports, resources.SUBPORTS, events.AFTER_CREATE)

    def create_port_postcommit(self, change):
        if change.host and change.vif_type not in NOT_BOUND and change.current['status'] != 'ACTIVE':
            later(report, change.current['id'])

    update_port_postcommit = create_port_postcommit

    def _subports(self, resource, event, trigger, payload):
        later(bind, payload.states[0].port_id, [one.port_id for one in payload.metadata['subports']])
