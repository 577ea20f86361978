"""make_tables.py neutron|octavia URL: the tables as the models have them, which is faster than all the migrations."""
import sys

import sqlalchemy
from sqlalchemy import orm

which, url = sys.argv[1:]
engine = sqlalchemy.create_engine(url)
if which == 'neutron':
    from neutron.db.migration.models import head
    head.get_metadata().create_all(engine)
    sys.exit()

from octavia.common import constants
from octavia.db import base_models, models

base_models.BASE.metadata.create_all(engine)
# The migrations also write the words that other tables refer to.
WORDS = [
    (models.ProvisioningStatus, constants.SUPPORTED_PROVISIONING_STATUSES), (models.OperatingStatus, constants.SUPPORTED_OPERATING_STATUSES),
    (models.Protocol, constants.SUPPORTED_PROTOCOLS), (models.Algorithm, constants.SUPPORTED_LB_ALGORITHMS),
    (models.HealthMonitorType, constants.SUPPORTED_HEALTH_MONITOR_TYPES), (models.SessionPersistenceType, constants.SUPPORTED_SP_TYPES),
    (models.AmphoraRoles, constants.SUPPORTED_AMPHORA_ROLES), (models.LBTopology, constants.SUPPORTED_LB_TOPOLOGIES),
    (models.VRRPAuthMethod, constants.SUPPORTED_VRRP_AUTH), (models.L7RuleType, constants.SUPPORTED_L7RULE_TYPES),
    (models.L7RuleCompareType, constants.SUPPORTED_L7RULE_COMPARE_TYPES), (models.L7PolicyAction, constants.SUPPORTED_L7POLICY_ACTIONS),
    (models.ClientAuthenticationMode, constants.SUPPORTED_CLIENT_AUTH_MODES),
]
none = constants.NIL_UUID
with orm.Session(engine) as session:
    for model, words in WORDS:
        session.add_all([model(name=word) for word in words])
    session.add(models.FlavorProfile(id=none, name='none', provider_name=constants.DELETED, flavor_data='{}'))
    session.add(models.AvailabilityZoneProfile(id=none, name='none', provider_name=constants.DELETED, availability_zone_data='{}'))
    session.flush()
    session.add(models.Flavor(id=none, flavor_profile_id=none, name='none', enabled=False))
    session.add(models.AvailabilityZone(availability_zone_profile_id=none, name=none, enabled=False))
    session.commit()
