import { isPodActive, keyOf } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import type { Operation, PlanBuilder, Result } from "@pilothouse/runtime"
import { orderOperation, sweepOperation } from "../../process/executors.ts"
import { earliest } from "../container/step-container.ts"
import type { KubeletEvent } from "../kubelet-event.ts"
import { nodeAddress } from "../node/node-status.ts"
import type { Observed } from "../observe.ts"
import { type PodAddresses, podAddresses } from "./pod-addresses.ts"
import type { PodAddress } from "./pod-network.ts"
import { stepPod } from "./pod-rules.ts"
import type { Place, PodStep } from "./pod-step.ts"
import { statusPatch } from "./status-patch.ts"

/** Something that is done about a pod, and what people are told once it has succeeded. */
type Told = Operation & { readonly tells?: { readonly pod: Pod; readonly events: readonly KubeletEvent[] } }

/** Plans what happens to the pods of a node now. Gives the moment at which something happens next. */
export function runPods(built: PlanBuilder, observed: Observed, now: number): number | undefined {
  const addresses = podAddresses(observed)
  const removals: Pod[] = []
  const dues = observed.pods.map((pod) => {
    const place = placeOf(pod, observed, addresses)
    if ("waiting" in place) {
      built.waitFor(place.waiting)
      return undefined
    }
    const step = stepPod(pod, place, now, { processes: observed.processes?.get(pod.metadata.uid ?? ""), find: observed.find })
    carryOut(built, pod, step)
    if (step.remove) removals.push(pod)
    return step.due
  })
  if (observed.hasOrphans) sweepOperation(built, observed.node.metadata.name ?? "", [...(observed.processes?.keys() ?? [])])
  removePods(built, removals)
  return earliest(dues)
}

/** A pod that is on its way out needs no address any more. One that was a process and is none now, or the other way round, needs another. */
function placeOf(pod: Pod, observed: Observed, addresses: PodAddresses): Place | { readonly waiting: string } {
  const hostIP = nodeAddress(observed.node)
  const known = pod.status?.podIP
  if (!isPodActive(pod)) return { hostIP, podIP: known }
  if (pod.spec?.hostNetwork) return { hostIP, podIP: known || hostIP }
  const isOfHost = observed.processes?.has(pod.metadata.uid ?? "") ?? false
  if (known && isLoopbackIp(known) === isOfHost) return { hostIP, podIP: known }
  const given = addressFor(pod, isOfHost, observed, addresses)
  return "address" in given ? { hostIP, podIP: given.address } : given
}

function addressFor(pod: Pod, isOfHost: boolean, { node, network, oneAddress }: Observed, addresses: PodAddresses): PodAddress {
  if (isOfHost && oneAddress) return { address: "127.0.0.1" }
  if (network !== undefined && !isOfHost) return network(pod, node)
  const address = addresses.next(isOfHost)
  if (address !== undefined) return { address }
  return { waiting: `a free address in ${node.spec?.podCIDR} for ${keyOf(pod)}: all 254 are taken` }
}

function carryOut(built: PlanBuilder, pod: Pod, { status, reason, events, orders = [] }: PodStep): void {
  const patch = status && statusPatch(pod, status)
  const write: readonly Told[] =
    patch === undefined ? [] : [{ do: "patch", object: pod, patch, reason, type: "strategic", subresource: "status" }]
  // The first of them speaks for all.
  const [first, ...others] = [...write, ...orders.map((order): Told => orderOperation(order))]
  if (first !== undefined) built.operation({ ...first, tells: { pod, events } } as Told)
  for (const other of others) built.operation(other)
}

/** Their last status is written first: whoever counts pods that have failed must have seen that this one has. */
function removePods(built: PlanBuilder, pods: readonly Pod[]): void {
  if (pods.length === 0) return
  built.nextStep({ onFailure: "continue" })
  for (const pod of pods) built.delete(pod, "its containers have stopped", { gracePeriodSeconds: 0 })
}

/** What people are told of the writes that succeeded; that one of them failed must not keep the others quiet. */
export function tellEvents(built: PlanBuilder, results: readonly Result[]): PlanBuilder {
  for (const { ok, operation } of results) {
    const { tells } = operation as Told
    if (ok !== true || tells === undefined) continue
    for (const { type, reason, message } of tells.events) built.event(tells.pod, type, reason, message)
  }
  return built
}
