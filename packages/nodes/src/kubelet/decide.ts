import { deepEqual, findCondition, formatMicroTime, isPodActive, isPodTerminal, keyOf, parseTime } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Pod, PodCondition, PodStatus } from "@pilothouse/api/core/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import { type DecideContext, type Operation, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { orderOperation, sweepOperation } from "../process/executors.ts"
import type { KubeletEvent } from "./container/kubelet-event.ts"
import type { Place, PodStep } from "./container/pod-step.ts"
import { earliest } from "./container/step-container.ts"
import { nodeAddress, nodeReport } from "./node/node-status.ts"
import { type GoneNode, leaseNamespace, type Observed } from "./observe.ts"
import { podsCalledLost, sayReadyAgain } from "./pod/lost-pods.ts"
import type { PodAddress } from "./pod/pod-network.ts"
import { stepPod } from "./pod/pod-rules.ts"
import { isProcessAddress } from "./pod/process-address.ts"

/** Renews the node's Lease, steps its pods to where they should be by now, and reports the node's status. */
export function decide(observed: Observed | GoneNode, { now }: Pick<DecideContext, "now">): Plan {
  if ("gone" in observed) return sweepOperation(plan(), observed.gone, [])
  const { node, pods } = observed
  const built = plan()
  heartbeat(built, observed, now)
  // A step of its own: the node lives, whatever becomes of its pods.
  built.nextStep({ onFailure: "continue" })
  const due = runPods(built, observed, now)
  const report = nodeReport(node, now)
  // Only a node that is known to be back says that its pods are: of one that counts as lost they would be called so again, for ever.
  if (report !== undefined) built.nextStep({ onFailure: "continue" }).status(node, report.status, report.reason).nextStep()
  sayReadyAgain(built, podsCalledLost(pods), now)
  if (built.steps.every(({ operations }) => operations.length === 0))
    built.nothing(`${pods.length} pods are looked after on ${node.metadata.name}`)
  const next = earliest([due, renewalDue(observed, now)]) ?? now
  return built.requeueAfter(Math.max(next - now, 1), next === due ? "something happens to a pod" : "the node's Lease has to be renewed")
}

/** Says what happened to whom. */
export function settle(_observed: Observed | GoneNode, results: readonly Result[]): Plan {
  return recordEvents(plan(), results)
}

/** Milliseconds between renewals; the node counts as lost when none came for 50 s. */
export const renewInterval = 10_000

/** Keeps the node's Lease young. */
export function heartbeat(built: PlanBuilder, { node, lease }: Observed, now: number): void {
  if (lease === undefined) built.create(newLease(node, now), "the node has no Lease yet")
  else if (now - parseTime(lease.spec?.renewTime ?? "1970-01-01T00:00:00Z") >= renewInterval) {
    built.update({ ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(now) } } as Lease, "the Lease is 10 s old")
  }
}

/** When the Lease has to be renewed next, if what is due now is done. */
export function renewalDue({ lease }: Observed, now: number): number {
  const renewed = parseTime(lease?.spec?.renewTime ?? "1970-01-01T00:00:00Z")
  return now - renewed >= renewInterval ? now + renewInterval : renewed + renewInterval
}

function newLease({ metadata }: Observed["node"], now: number): Lease {
  const { name = "", uid = "" } = metadata
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace: leaseNamespace, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(now) },
  }
}

/** An operation on a pod, and the events that are recorded once it has succeeded. */
type RecordedOperation = Operation & { readonly records?: { readonly pod: Pod; readonly events: readonly KubeletEvent[] } }

/** Plans what happens to the pods of a node now. Gives the moment at which something happens next. */
function runPods(built: PlanBuilder, observed: Observed, now: number): number | undefined {
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

/**
 * A pod that is on its way out needs no address any more. One that was a process and is none now, or the other way round, needs another; so does a process
 * to which another writer has given one where other programs of this host listen.
 */
function placeOf(pod: Pod, observed: Observed, addresses: PodAddresses): Place | { readonly waiting: string } {
  const hostIP = nodeAddress(observed.node)
  const known = pod.status?.podIP
  if (!isPodActive(pod)) return { hostIP, podIP: known }
  const isOfHost = observed.processes?.has(pod.metadata.uid ?? "") ?? false
  const kept = isOfHost && !isProcessAddress(known ?? "", observed.oneAddress) ? undefined : known
  if (pod.spec?.hostNetwork) return { hostIP, podIP: kept || hostIP }
  if (kept && isLoopbackIp(kept) === isOfHost) return { hostIP, podIP: kept }
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
  const write: readonly RecordedOperation[] =
    patch === undefined ? [] : [{ do: "patch", object: pod, patch, reason, type: "strategic", subresource: "status" }]
  // The first of them speaks for all.
  const [first, ...others] = [...write, ...orders.map((order): RecordedOperation => orderOperation(order))]
  if (first !== undefined) built.operation({ ...first, records: { pod, events } } as RecordedOperation)
  for (const other of others) built.operation(other)
}

/** Their last status is written first: controllers that count failed pods must observe it. */
function removePods(built: PlanBuilder, pods: readonly Pod[]): void {
  if (pods.length === 0) return
  built.nextStep({ onFailure: "continue" })
  for (const pod of pods) built.delete(pod, "its containers have stopped", { gracePeriodSeconds: 0 })
}

/** Records the events of the writes that succeeded; a failed write must not suppress the others. */
function recordEvents(built: PlanBuilder, results: readonly Result[]): PlanBuilder {
  for (const { ok, operation } of results) {
    const { records } = operation as RecordedOperation
    if (ok !== true || records === undefined) continue
    for (const { type, reason, message } of records.events) built.event(records.pod, type, reason, message)
  }
  return built
}

/** Hands out the free addresses of a node's pod network, lowest first. */
interface PodAddresses {
  /** Undefined when all 254 are taken. A process needs one of this host. */
  next(ofThisHost?: boolean): string | undefined
}

/**
 * A pod that has finished keeps its address in its status, but not on the network.
 * Those of this host look like the others: 127.116.1.5 for 10.244.1.5, so that two nodes never give away the same.
 */
export function podAddresses({ node, pods }: Observed): PodAddresses {
  const prefix = (node.spec?.podCIDR ?? "10.244.0.0/24").split(".").slice(0, 3).join(".")
  // In most reconciles every pod has an address.
  let used: ReadonlySet<string | undefined> | undefined
  let last = 0
  return {
    next(ofThisHost = false) {
      used ??= new Set(pods.filter((pod) => !isPodTerminal(pod)).map((pod) => pod.status?.podIP))
      while (++last < 255) {
        const address = `${prefix}.${last}`
        const loopback = loopbackOf(address)
        if (!used.has(address) && !used.has(loopback)) return ofThisHost ? loopback : address
      }
      return undefined
    },
  }
}

/** 127.64.0.0/10: neither 127.0.0.1, where other programs listen, nor the upper half, where balancers do. */
function loopbackOf(address: string): string {
  const [, second, ...rest] = address.split(".")
  return ["127", (Number(second) & 63) | 64, ...rest].join(".")
}

/**
 * Returns what of a status has to be written, as a strategic patch: conditions are merged by their type there, so that those of others stay.
 * Undefined: nothing.
 */
export function statusPatch({ metadata, status: old = {} }: Pod, next: PodStatus): object | undefined {
  const { conditions = [], ...fields } = next
  const changed = Object.entries(fields).filter(([name, value]) => !deepEqual(old[name as keyof PodStatus], value))
  const moved = conditions.flatMap((condition) => {
    const before = findCondition(old.conditions, condition.type)
    return deepEqual(before, condition) ? [] : [{ ...withoutWhatIsGone(before, condition), ...condition }]
  })
  if (changed.length === 0 && moved.length === 0) return undefined
  const gone = lost(old, next)
  const status = {
    ...Object.fromEntries(changed),
    ...(gone.length > 0 && { podIPs: [...(next.podIPs ?? []), ...gone] }),
    ...(moved.length > 0 && { conditions: moved }),
  }
  // With the uid a newer pod of the same name is left alone.
  return { metadata: { uid: metadata.uid }, status }
}

/** Addresses are merged by themselves: those that the pod has no longer have to be taken away. */
function lost({ podIPs: before = [] }: PodStatus, { podIPs = before }: PodStatus): readonly object[] {
  return before.filter(({ ip }) => !podIPs.some((one) => one.ip === ip)).map(({ ip }) => ({ $patch: "delete", ip }))
}

/** Fields that only the old one has, as nothing: merged, its reason and message would stay with a condition that has become true. */
function withoutWhatIsGone(old: PodCondition | undefined, next: PodCondition): Readonly<Record<string, null>> {
  return Object.fromEntries(
    Object.keys(old ?? {})
      .filter((name) => !(name in next))
      .map((name) => [name, null]),
  )
}
