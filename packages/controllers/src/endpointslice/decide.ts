import { hasCause, keyOf } from "@pilothouse/api"
import type { Pod, Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort, EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type Operation, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { type Family, familiesOf } from "../service-endpoints/addresses.ts"
import { hasAddress } from "../service-endpoints/endpoint-pods.ts"
import { selects } from "../service-endpoints/selector.ts"
import { oncePerPorts } from "../service-endpoints/target-port.ts"
import { triggerTime, triggerTimeAnnotation, withAnnotations } from "../service-endpoints/trigger-time.ts"
import { noChanges, type SliceChanges, together } from "./changes.ts"
import { endpointKey, portsKey, portsOn, toEndpoint } from "./endpoint.ts"
import { withHintsFor } from "./hints.ts"
import type { Observed } from "./observe.ts"
import { pack } from "./pack.ts"
import { hasServiceLabels, isOwnedBy, newSlice, withServiceLabels } from "./slice.ts"

export interface SliceOptions {
  /** --max-endpoints-per-slice */
  readonly maxEndpointsPerSlice: number
}

/** Plans the slices of a Service from its pods, family by family: upstream's reconcileByAddressType. */
export function decide(observed: Observed, { maxEndpointsPerSlice }: SliceOptions): Plan {
  const { service, slices } = observed
  if (!selects(service)) return plan().nothing("the Service selects no pods: its slices are managed by its author")
  const families = familiesOf(service)
  const hinted = families.map((family) => withHintsFor(observed, family, changesInFamily(observed, family, maxEndpointsPerSlice)))
  // The families of a Service hardly ever change; a slice of one that it no longer has leads nowhere.
  const foreign = slices.filter((slice) => !families.some((family) => family === slice.addressType))
  const changes = together([...hinted.map((one) => recycle(one, service)), { ...noChanges, remove: foreign }])
  const built = write(plan(), observed, changes)
  if (built.steps.length > 0)
    for (const { event } of hinted) if (event !== undefined) built.event(service, event.type, event.reason, event.message)
  return reportMissingNodes(built, observed)
}

/** New slices first, so that an endpoint which moves is never missing from all of them. */
function write(built: PlanBuilder, observed: Observed, changes: SliceChanges): PlanBuilder {
  const { service, pods, slices } = observed
  // While the Service goes, its slices go too: what the garbage collector deletes must not be recreated.
  const create = service.metadata.deletionTimestamp === undefined ? changes.create : []
  const total = [...create, ...changes.update, ...changes.unchanged].reduce((sum, slice) => sum + endpointCount(slice), 0)
  if (create.length + changes.update.length + changes.remove.length === 0) return built.nothing(`${total} endpoints, all listed`)
  const time = triggerTime(service, slices.length === 0, changedPods(pods, slices, [...create, ...changes.update]))
  const before = new Map(slices.map((slice) => [slice.metadata.name, endpointCount(slice)]))
  for (const slice of create) built.create(triggeredAt(slice, time), `no slice has room for ${endpointCount(slice)} of ${total} endpoints`)
  if (create.length > 0 && changes.update.length + changes.remove.length > 0) built.nextStep()
  for (const slice of changes.update) {
    built.update(
      triggeredAt(slice, time),
      `it had ${before.get(slice.metadata.name)} endpoints, and its part of all ${total} is ${endpointCount(slice)}`,
    )
  }
  if (changes.update.length > 0 && changes.remove.length > 0) built.nextStep()
  for (const slice of changes.remove) built.delete(slice, "none of its endpoints is wanted any more")
  return built
}

/** Reports it in upstream's words; the Service is reconciled again when the node is added. */
function reportMissingNodes(built: PlanBuilder, observed: Observed): Plan {
  const { service } = observed
  const lost = observed.pods.filter((pod) => lacksNode(observed, pod))
  if (lost.length === 0) return built
  const texts = lost.map(
    ({ metadata, spec }) => `skipping Pod ${metadata.name} for Service ${keyOf(service)}: Node ${spec?.nodeName ?? ""} Not Found`,
  )
  for (const node of new Set(lost.map(({ spec }) => spec?.nodeName ?? ""))) built.waitFor(`the node ${node}`)
  const message = `Error updating Endpoint Slices for Service ${keyOf(service)}: ${listed(texts)}`
  return built.event(service, "Warning", "FailedToUpdateEndpointSlices", message)
}

/** As Go prints several errors. */
function listed(texts: readonly string[]): string {
  const distinct = [...new Set(texts)]
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`
}

function triggeredAt(slice: EndpointSlice, time: string | undefined): EndpointSlice {
  const annotations = withAnnotations(slice.metadata.annotations, { [triggerTimeAnnotation]: time })
  return { ...slice, metadata: { ...slice.metadata, annotations } }
}

function endpointCount({ endpoints = [] }: EndpointSlice): number {
  return endpoints.length
}

/** The pods whose endpoint in the slices that are written is new, or says something else of their readiness. */
function changedPods(pods: readonly Pod[], before: readonly EndpointSlice[], written: readonly EndpointSlice[]): readonly Pod[] {
  const known = new Set(allEndpoints(before).map(endpointState))
  const changed = new Set(allEndpoints(written).flatMap((one) => (known.has(endpointState(one)) ? [] : [one.targetRef?.uid])))
  return pods.filter(({ metadata }) => changed.has(metadata.uid))
}

function allEndpoints(slices: readonly EndpointSlice[]): readonly Endpoint[] {
  return slices.flatMap((slice) => slice.endpoints ?? [])
}

function endpointState({ addresses, conditions: { ready, serving, terminating } = {}, targetRef }: Endpoint): string {
  return JSON.stringify([targetRef?.uid, addresses, ready, serving, terminating])
}

/** Makes slices that have to go into those that have to come: one write instead of two. What others keep in their annotations and labels stays. */
function recycle(changes: SliceChanges, service: Service): SliceChanges {
  const create = [...changes.create]
  const update = [...changes.update]
  const remove: EndpointSlice[] = []
  for (const old of changes.remove) {
    // The address type of a slice never changes, and one of an older Service of this name belongs to the garbage collector.
    const at = isOwnedBy(old, service) ? create.findLastIndex((slice) => slice.addressType === old.addressType) : -1
    const [desired] = at === -1 ? [] : create.splice(at, 1)
    if (desired === undefined) remove.push(old)
    else update.push(withServiceLabels({ ...old, endpoints: desired.endpoints, ports: desired.ports }, service))
  }
  return { ...changes, create, update, remove }
}

/** Records an event about a write that failed. */
export function settle({ service }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  // A terminating namespace refuses new objects; that is not worth an event.
  const failed = results.find((result) => result.ok === false && !hasCause(result.error, "NamespaceTerminating"))
  if (failed?.ok !== false) return built
  const why = `${failureText(failed.operation)} for Service ${keyOf(service)}: ${messageOf(failed.error)}`
  return built.event(
    service,
    "Warning",
    "FailedToUpdateEndpointSlices",
    `Error updating Endpoint Slices for Service ${keyOf(service)}: ${why}`,
  )
}

function failureText(operation: Operation): string {
  if (!("object" in operation) || operation.do === "create") return "failed to create EndpointSlice"
  return `failed to ${operation.do} ${operation.object.metadata.name} EndpointSlice`
}

interface DesiredGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Map<string, Endpoint>
}

/** What becomes of a Service's slices of one family. */
function changesInFamily(observed: Observed, family: Family, maxEndpoints: number): SliceChanges {
  const { service } = observed
  const slices = observed.slices.filter((slice) => slice.addressType === family)
  const own = slices.filter((slice) => isOwnedBy(slice, service))
  const groups = desiredByPorts(observed, family)
  const keys = new Map(slices.map((slice) => [slice, portsKey(slice.ports)]))
  const existing = Map.groupBy(own, (slice) => keys.get(slice))
  const packed = [...groups].map(([key, { ports, endpoints }]) =>
    pack({ service, family, ports, desired: endpoints, existing: existing.get(key) ?? [], maxEndpoints }),
  )
  // Slices of an older Service of this name, and of ports that the Service no longer has.
  const remove = slices.filter((slice) => !isOwnedBy(slice, service) || !groups.has(keys.get(slice) ?? ""))
  return withPlaceholder(observed, family, together([...packed, { ...noChanges, remove }]))
}

/** A pod whose node is not in the cache is left out, unless the Service publishes addresses that are not ready: it may be a leftover of a lost node. */
function lacksNode({ service, nodes }: Observed, pod: Pod): boolean {
  return service.spec?.publishNotReadyAddresses !== true && hasAddress(pod) && !nodes.has(pod.spec?.nodeName ?? "")
}

function desiredByPorts(observed: Observed, family: Family): ReadonlyMap<string, DesiredGroup> {
  const { service, pods, nodes } = observed
  const groups = new Map<string, DesiredGroup>()
  const portsOf = oncePerPorts(service, (pod) => {
    const ports = portsOn(pod, service)
    return { ports, key: portsKey(ports) }
  })
  for (const pod of pods.filter(hasAddress)) {
    const { ports, key } = portsOf(pod)
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() }
    groups.set(key, group)
    if (lacksNode(observed, pod)) continue
    const endpoint = toEndpoint(service, pod, nodes.get(pod.spec?.nodeName ?? ""), family)
    if (endpoint !== undefined) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return groups
}

/** A Service without endpoints has one empty slice: a proxy that sees none would not know whether they only have not come yet. */
function withPlaceholder({ service }: Observed, family: Family, changes: SliceChanges): SliceChanges {
  if (changes.create.length + changes.update.length + changes.unchanged.length > 0) return changes
  const [only, ...others] = changes.remove
  const isPlaceholder = (slice: EndpointSlice) =>
    isOwnedBy(slice, service) && hasServiceLabels(slice, service) && !slice.endpoints?.length && !slice.ports?.length
  if (only !== undefined && others.length === 0 && isPlaceholder(only)) return { ...noChanges, unchanged: [only] }
  return { ...changes, create: [newSlice(service, family, [])] }
}
