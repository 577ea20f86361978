"""What Octavia 11.0.1 mended, for 11.0.0, which is what Debian has: a tree that was made in one call never got further than its balancer.
Its listeners, pools and members stayed in PENDING_CREATE, because the flow was not told of them, and could not have been run with them."""
from octavia.common import constants
from octavia.controller.worker.v2 import controller_worker
from octavia.controller.worker.v2.flows import load_balancer_flows
from octavia.controller.worker.v2.tasks import amphora_driver_tasks, network_tasks

_listeners_flow = load_balancer_flows.LoadBalancerFlows._create_listeners_flow


def run_flow(self, flow, *positional, store=None, **named):
    engine = self.tf_engine.taskflow_load(flow(*positional, **named), store=store)
    with controller_worker.tf_logging.DynamicLoggingListener(engine, log=controller_worker.LOG):
        engine.run()


def create_listeners_flow(self):
    tasks = _listeners_flow(self)
    at = next(at for at, task in enumerate(tasks) if isinstance(task, amphora_driver_tasks.AmphoraePostNetworkPlug))
    look_up = network_tasks.GetAmphoraeNetworkConfigs(requires=constants.LOADBALANCER_ID, provides=constants.AMPHORAE_NETWORK_CONFIG)
    return [*tasks[:at], look_up, *tasks[at:]]


def mend():
    controller_worker.ControllerWorker.run_flow = run_flow
    load_balancer_flows.LoadBalancerFlows._create_listeners_flow = create_listeners_flow
