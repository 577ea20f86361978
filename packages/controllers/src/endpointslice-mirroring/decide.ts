import { controllerRef, deepEqual, type ObjectMeta } from "@pilothouse/api"
import { type Endpoints, endpoints as endpointsKind } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { endpointKey, isSameEndpoint } from "../endpointslice/endpoint.ts"
import { managedByLabel, serviceNameLabel, slicePrefix } from "../endpointslice/slice.ts"
import { triggerTimeAnnotation } from "../service-endpoints/trigger-time.ts"
import { groupKey, type Mirrored, type MirroredGroup, mirror } from "./mirror.ts"
import { managedByMirroring, type Observed } from "./observe.ts"

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

export interface MirroringOptions {
  /** --mirroring-max-endpoints-per-subset */
  readonly maxEndpointsPerSubset: number
}

/** Makes the slices of this controller say what the Endpoints say, or deletes them. */
export function decide({ endpoints, why, slices }: Observed, { maxEndpointsPerSubset }: MirroringOptions): Plan {
  const built = plan()
  if (endpoints === undefined) {
    for (const slice of slices) built.delete(slice, why)
    return built
  }
  const mirrored = mirror(endpoints, maxEndpointsPerSubset)
  write(built, endpoints, changes(endpoints, mirrored.groups, slices))
  return reportSkipped(built, endpoints, mirrored, maxEndpointsPerSubset)
}

interface Changes {
  readonly create: readonly EndpointSlice[]
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
}

/** One slice for each group: the first that exists is used again, all others go. A new one takes the place of one of its family that would go. */
function changes(endpoints: Endpoints, groups: ReadonlyMap<string, MirroredGroup>, slices: readonly EndpointSlice[]): Changes {
  const existing = Map.groupBy(slices, ({ addressType, ports }) => groupKey(addressType, ports))
  const remove = [...existing].flatMap(([key, all]) => (groups.has(key) ? all.slice(1) : all))
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  for (const [key, group] of groups) {
    const current = existing.get(key)?.[0]
    if (current !== undefined && isMirror(current, endpoints, group)) continue
    const reused = current ?? takeFirst(remove, (slice) => slice.addressType === group.addressType)
    if (reused === undefined) create.push(newSlice(endpoints, group, { generateName: slicePrefix(endpoints.metadata.name ?? "") }))
    else update.push(newSlice(endpoints, group, { name: reused.metadata.name, resourceVersion: reused.metadata.resourceVersion }))
  }
  return { create, update, remove }
}

function takeFirst<T>(list: T[], fits: (one: T) => boolean): T | undefined {
  const at = list.findIndex(fits)
  return at === -1 ? undefined : list.splice(at, 1)[0]
}

function isMirror(slice: EndpointSlice, { metadata }: Endpoints, { endpoints }: MirroredGroup): boolean {
  const { [managedByLabel]: _managedBy, [serviceNameLabel]: _serviceName, ...labels } = slice.metadata.labels ?? {}
  return (
    haveSameEndpoints(slice.endpoints ?? [], endpoints) &&
    deepEqual(labels, metadata.labels ?? {}) &&
    deepEqual(slice.metadata.annotations ?? {}, mirroredAnnotations(metadata)) &&
    !isOfFormerEndpoints(slice, metadata)
  )
}

function haveSameEndpoints(existing: readonly Endpoint[], desired: readonly Endpoint[]): boolean {
  const known = new Map(existing.map((endpoint) => [endpointKey(endpoint), endpoint]))
  if (known.size !== desired.length || existing.length !== desired.length) return false
  return desired.every((endpoint) => {
    const current = known.get(endpointKey(endpoint))
    return current !== undefined && isSameEndpoint(current, endpoint)
  })
}

/** Endpoints that were deleted and created again have another uid: the garbage collector would delete what the former ones own. */
function isOfFormerEndpoints({ metadata }: EndpointSlice, { name, uid }: ObjectMeta): boolean {
  return (metadata.ownerReferences ?? []).some((owner) => owner.kind === "Endpoints" && owner.name === name && owner.uid !== uid)
}

function newSlice(
  endpoints: Endpoints,
  { addressType, ports, endpoints: all }: MirroredGroup,
  identity: Pick<ObjectMeta, "name" | "generateName" | "resourceVersion">,
): EndpointSlice {
  const { name = "", namespace, labels } = endpoints.metadata
  const annotations = mirroredAnnotations(endpoints.metadata)
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...identity,
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: managedByMirroring },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [controllerRef(endpoints, endpointsKind)],
    },
    addressType,
    endpoints: all,
    ports,
  }
}

function mirroredAnnotations({ annotations = {} }: ObjectMeta): Readonly<Record<string, string>> {
  const { [triggerTimeAnnotation]: _time, [lastAppliedAnnotation]: _applied, ...rest } = annotations
  return rest
}

function write(built: PlanBuilder, endpoints: Endpoints, { create, update, remove }: Changes): void {
  // What the garbage collector deletes with the Endpoints must not be recreated.
  const created = endpoints.metadata.deletionTimestamp === undefined ? create : []
  if (created.length + update.length + remove.length === 0) built.nothing("every address is mirrored")
  for (const slice of created) built.create(slice, `${slice.endpoints?.length} addresses of the Endpoints have no slice`)
  if (created.length > 0 && update.length + remove.length > 0) built.nextStep()
  for (const slice of update) built.update(slice, `it should hold ${slice.endpoints?.length} addresses of the Endpoints`)
  if (update.length > 0 && remove.length > 0) built.nextStep()
  for (const slice of remove) built.delete(slice, "the Endpoints have no addresses for it")
}

/** In upstream's words; the second number counts invalid addresses too, as there. */
function reportSkipped(built: PlanBuilder, endpoints: Endpoints, { invalid, skipped }: Mirrored, max: number): Plan {
  if (invalid > 0) {
    const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`
    built.event(endpoints, "Warning", "InvalidIPAddress", message)
  }
  if (skipped > invalid) {
    const message = `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`
    built.event(endpoints, "Warning", "TooManyAddressesToMirror", message)
  }
  return built
}
