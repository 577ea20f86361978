import { leases } from "@pilothouse/api/coordination/v1"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, podsByNode, watch } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { renewEvery } from "./heartbeat.ts"
import { leaseOfNode, observe } from "./observe.ts"

/**
 * The kubelets of all simulated nodes: the nodes are Ready and renew their Leases, pods that are given to them run at once,
 * pods that are deleted stop at once. One key is one node, so that two pods never get the same address.
 */
export function simulatedKubelets(): Controller {
  return controller("simulated-kubelet", {
    for: nodes,
    watches: [watch(pods, "a pod on the node changed", (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []))],
    reads: [leases],
    indexes: [podsByNode, leaseOfNode],
    // A pod that the server refuses again and again must not keep the node from renewing its Lease.
    backoff: () => exponentialLimiter({ longest: renewEvery }),
    observe,
    decide,
  })
}
