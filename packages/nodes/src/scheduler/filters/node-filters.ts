import { tolerates } from "@pilothouse/api"
import type { Taint } from "@pilothouse/api/core/v1"
import { sharesOneAddress } from "../../kubelet/node/simulated-node.ts"
import type { NodeView } from "../cache/node-state.ts"
import { isAvailableOn } from "../devices/devices-view.ts"
import type { Filter, Refusal } from "./filter.ts"
import { resolvable, unresolvable } from "./refuse.ts"

/** What spec.unschedulable stands for: daemons tolerate it. */
const cordon: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }

const cordoned = unresolvable("node(s) were unschedulable")

/** The filter of NodeUnschedulable: refuses cordoned nodes, unless the pod tolerates the taint that stands for it. */
export const unschedulable: Filter = ({ pod }) => {
  if (pod.pod.spec?.tolerations?.some((toleration) => tolerates(toleration, cordon))) return undefined
  return ({ isCordoned }) => (isCordoned ? cordoned : undefined)
}

const portsTaken = resolvable("node(s) didn't have free ports for the requested pod ports")

/** The filter of NodePorts: refuses nodes on which a host port of the pod is taken. */
export const hostPorts: Filter = ({ pod }) =>
  pod.ports.length === 0 ? undefined : ({ ports }) => (ports.areFree(pod.ports) ? undefined : portsTaken)

/** All simulated nodes are this one host: where it has one loopback address, a port that a process pod listens on is taken on every one of them. */
export const processPorts: Filter = ({ pod, nodes }) => {
  if (pod.processPorts.length === 0 || nodes.placed.processPorts.areFree(pod.processPorts)) return undefined
  const ports = [...new Set(pod.processPorts.map(({ port }) => port.replace(/^\w+ /, "")))].join(", ")
  const refusal = unresolvable(
    `node(s) share the one loopback address of this system, on which another process pod has port ${ports}: one pod per port`,
  )
  return ({ node }) => (sharesOneAddress(node) ? refusal : undefined)
}

interface Asked {
  readonly slot: number
  readonly amount: number
}

/** The filter of NodeResourcesFit: names every resource that is insufficient, as upstream does. */
export const resources: Filter = ({ pod, nodes }) => {
  const asked = pod.requests.flatMap((amount, slot): readonly Asked[] => (amount > 0 ? [{ slot, amount }] : []))
  return (node) =>
    node.podCount < node.allowedPods && fits(asked, node)
      ? undefined
      : insufficientResources(asked, node, (slot) => nodes.slots.nameOf(slot))
}

/** A plain for loop: it runs five million times for ten thousand pods and five hundred nodes. */
function fits(asked: readonly Asked[], node: NodeView): boolean {
  for (const one of asked) if (isLacking(one, node)) return false
  return true
}

function isLacking({ slot, amount }: Asked, { allocatable, requested }: NodeView): boolean {
  return amount > (allocatable[slot] ?? 0) - (requested[slot] ?? 0)
}

function insufficientResources(asked: readonly Asked[], node: NodeView, nameOf: (slot: number) => string): Refusal {
  const lacking = asked.filter((one) => isLacking(one, node))
  const reasons = lacking.map(({ slot }) => `Insufficient ${nameOf(slot)}`)
  return {
    reasons: node.podCount < node.allowedPods ? reasons : ["Too many pods", ...reasons],
    resolvable: lacking.every(({ slot, amount }) => amount <= (node.allocatable[slot] ?? 0)),
  }
}

const tooFewDevices = unresolvable("cannot allocate all claims")
const devicesElsewhere = unresolvable("resourceclaim not available on the node")

/** The filter of DynamicResources: refuses nodes where the devices of the pod's claims cannot be had, or those that they have already cannot be used. */
export const dynamicResources: Filter = ({ devices }) => {
  if (devices === undefined || devices.claims.length === 0) return undefined
  return ({ node }) => {
    if (devices.allocationsOn(node) === undefined) return tooFewDevices
    return devices.claims.every((claim) => isAvailableOn(claim, node)) ? undefined : devicesElsewhere
  }
}
