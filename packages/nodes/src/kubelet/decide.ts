import { keyOf } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { heartbeat, renewEvery } from "./heartbeat.ts"
import { nodeAddress, nodeStatus } from "./node-status.ts"
import type { Observed } from "./observe.ts"
import { podAddresses } from "./pod-addresses.ts"
import { isRunning, runningStatus } from "./pod-status.ts"

export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  const { node, pods } = observed
  const built = plan()
  heartbeat(built, observed, now)
  // A step of its own: the node lives, whatever becomes of its pods.
  built.regardless()
  const status = nodeStatus(node, now)
  if (status !== undefined) built.status(node, status, "the kubelet has started")
  runPods(built, observed, now)
  if (built.steps.every(({ operations }) => operations.length === 0))
    built.nothing(`${pods.length} pods are looked after on ${node.metadata.name}`)
  return built.lookAgain(renewEvery, "the node's Lease has to be renewed")
}

function runPods(built: PlanBuilder, observed: Observed, now: number): void {
  const { node, pods } = observed
  const addresses = podAddresses(observed)
  const start = (pod: Pod) => {
    const podIP = pod.spec?.hostNetwork ? nodeAddress(node) : addresses.next()
    if (podIP === undefined) built.waitFor(`a free address in ${node.spec?.podCIDR} for ${keyOf(pod)}: all 254 are taken`)
    else built.patch(pod, { status: runningStatus(pod, node, podIP, now) }, "its containers have started", { subresource: "status" })
  }
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) built.delete(pod, "its containers have stopped", { gracePeriodSeconds: 0 })
    else if (!isRunning(pod)) start(pod)
  }
}
