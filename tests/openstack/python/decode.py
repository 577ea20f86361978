"""Reads annotations as JSON from standard input, {"name": "text"}, and lets os_vif and oslo.versionedobjects decode them. Says what it found in
each, and what the libraries write for it."""
import json
import sys

import os_vif
from os_vif.objects import base as vif_base
from os_vif.objects import vif as vifs
from oslo_versionedobjects import base, fields


class Kuryr(base.VersionedObject):
    OBJ_PROJECT_NAMESPACE = 'kuryr_kubernetes'
    OBJ_SERIAL_NAMESPACE = 'versioned_object'


def kuryr_class(name, described):
    """An object of kuryr's, by its fields: kuryr itself is not needed for that."""
    made = type(name, (Kuryr, base.ComparableVersionedObject), {'VERSION': '1.0', 'fields': described})
    return base.VersionedObjectRegistry.register(made)


def text(nullable=False):
    return fields.StringField(nullable=nullable)


def many(kind):
    return fields.ListOfObjectsField(kind, default=[])


kuryr_class('LBaaSLoadBalancer', {name: text() for name in ('id', 'project_id', 'name', 'ip', 'subnet_id')})
kuryr_class('LBaaSListener', {
    **{name: text() for name in ('id', 'project_id', 'name', 'loadbalancer_id', 'protocol')}, 'port': fields.IntegerField()})
kuryr_class('LBaaSPool', {name: text() for name in ('id', 'project_id', 'name', 'loadbalancer_id', 'listener_id', 'protocol')})
kuryr_class('LBaaSMember', {
    **{name: text() for name in ('id', 'project_id', 'name', 'pool_id', 'subnet_id', 'ip')}, 'port': fields.IntegerField()})
kuryr_class('LBaaSPortSpec', {'name': text(True), 'protocol': text(), 'port': fields.IntegerField()})
kuryr_class('LBaaSServiceSpec', {
    'ip': text(True), 'ports': many('LBaaSPortSpec'), 'project_id': text(True), 'subnet_id': text(True),
    'security_groups_ids': fields.ListOfStringsField(default=[])})
kuryr_class('LBaaSState', {
    'loadbalancer': fields.ObjectField('LBaaSLoadBalancer', nullable=True), 'listeners': many('LBaaSListener'),
    'pools': many('LBaaSPool'), 'members': many('LBaaSMember')})


@base.VersionedObjectRegistry.register
class VIFVlanNested(vifs.VIFBase):
    """Of kuryr, though it says os_vif."""
    OBJ_PROJECT_NAMESPACE = vif_base.VersionedObject.OBJ_PROJECT_NAMESPACE
    VERSION = '1.0'
    fields = {'vlan_id': fields.IntegerField()}


def decode(annotation):
    primitive = json.loads(annotation)
    root = Kuryr if primitive['versioned_object.namespace'] == 'kuryr_kubernetes' else vif_base.VersionedObject
    found = root.obj_from_primitive(primitive)
    found.obj_reset_changes(recursive=True)
    again = json.dumps(found.obj_to_primitive(), sort_keys=True)
    return {'type': found.obj_name(), 'again': again}


os_vif.objects.register_all()
print(json.dumps({name: decode(annotation) for name, annotation in json.load(sys.stdin).items()}))
