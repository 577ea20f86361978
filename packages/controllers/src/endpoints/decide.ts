import { deepEqual, hasCause, joinKey } from "@pilothouse/api"
import type { EndpointSubset, Endpoints, Pod, Service } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { hasClusterIp } from "../service-endpoints/addresses.ts"
import { headlessLabel, isMirrored, mirrored, mirroredLabels } from "../service-endpoints/mirrored-labels.ts"
import { selects } from "../service-endpoints/selector.ts"
import { triggerTime, triggerTimeAnnotation, withAnnotations } from "../service-endpoints/trigger-time.ts"
import type { Observed } from "./observe.ts"
import { addressCount, maxCapacity, podSubsets, repack, truncate } from "./subsets.ts"

/** Old leader elections keep their record in Endpoints that have no Service; deleting them would depose the leader. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"

/** The Service is gone: so should be what is left of it. */
function decideLeftover({ key, endpoints }: Observed): Plan {
  if (endpoints === undefined) return plan().nothing("there is no such Service, and no Endpoints of it")
  if (endpoints.metadata.annotations?.[leaderAnnotation] !== undefined)
    return plan().nothing("these Endpoints are the record of a leader election")
  if (endpoints.metadata.deletionTimestamp !== undefined) return plan().waitFor("the finalizers of the Endpoints")
  return plan().delete(endpoints, `the Service ${joinKey(key)} is gone`)
}

export const managedByLabel = "endpoints.kubernetes.io/managed-by"
export const managedByUs = "endpoint-controller"
export const overCapacity = "endpoints.kubernetes.io/over-capacity"

const reserved = [managedByLabel, headlessLabel]

/** Plans the Endpoints of a Service from its pods (upstream's syncService); those of a deleted Service are deleted. */
export function decide(observed: Observed): Plan {
  const { service, endpoints, pods } = observed
  if (service === undefined) return decideLeftover(observed)
  if (!selects(service)) return plan().nothing("the Service selects no pods: its Endpoints are managed by its author")
  const all = repack(podSubsets(service, pods))
  const desired = { subsets: repack(truncate(all)), truncated: addressCount(all) > maxCapacity }
  const changes = endpoints === undefined ? ["there are no Endpoints yet"] : differences(service, endpoints, desired)
  if (changes.length === 0) return plan().nothing(`${addressCount(desired.subsets)} addresses, all listed`)
  const next = nextEndpoints(service, endpoints, pods, desired)
  return endpoints === undefined
    ? plan().create(next, `the Service has no Endpoints yet; ${addressCount(desired.subsets)} addresses are to be listed`)
    : plan().update(next, changes.join("; "))
}

interface DesiredEndpoints {
  readonly subsets: readonly EndpointSubset[]
  readonly truncated: boolean
}

function differences(service: Service, endpoints: Endpoints, { subsets, truncated }: DesiredEndpoints): readonly string[] {
  const before = endpoints.subsets ?? []
  const labelled = isMirrored(endpoints.metadata, labelsFor(service, endpoints))
  const annotated = endpoints.metadata.annotations?.[overCapacity]
  return [
    ...(sameSubsets(before, subsets) ? [] : [`${addressCount(before)} addresses are listed, ${addressCount(subsets)} should be`]),
    ...(labelled ? [] : ["the labels are not the Service's"]),
    ...(annotated === (truncated ? "truncated" : undefined) ? [] : [`over-capacity says ${annotated}`]),
  ]
}

function nextEndpoints(
  service: Service,
  old: Endpoints | undefined,
  pods: readonly Pod[],
  { subsets, truncated }: DesiredEndpoints,
): Endpoints {
  const { name, namespace } = service.metadata
  const { labels, record } = labelsFor(service, old)
  const annotations = withAnnotations(old?.metadata.annotations, {
    [triggerTimeAnnotation]: triggerTime(service, old === undefined, changedPods(pods, old?.subsets ?? [], subsets)),
    [overCapacity]: truncated ? "truncated" : undefined,
    [mirroredLabels]: record,
  })
  const { subsets: _, ...rest } = old ?? { apiVersion: "v1", kind: "Endpoints", metadata: { name, namespace } }
  return { ...rest, metadata: { ...rest.metadata, labels, annotations }, ...(subsets.length > 0 && { subsets }) } as Endpoints
}

function labelsFor(service: Service, old: Endpoints | undefined): ReturnType<typeof mirrored> {
  const own = { [managedByLabel]: managedByUs, ...(hasClusterIp(service) ? {} : { [headlessLabel]: "" }) }
  return mirrored(old?.metadata ?? {}, { service: service.metadata.labels, own, reserved })
}

/** Upstream orders ports by a hash, and old releases wrote the pod's resourceVersion: neither is worth a write. */
function sameSubsets(before: readonly EndpointSubset[], desired: readonly EndpointSubset[]): boolean {
  return deepEqual(repack(before), desired)
}

/** The pods whose address is new, or has become ready or not ready. */
function changedPods(pods: readonly Pod[], before: readonly EndpointSubset[], after: readonly EndpointSubset[]): readonly Pod[] {
  const [old, now] = [states(before), states(after)]
  return pods.filter(({ metadata: { uid = "" } }) => now.has(uid) && old.get(uid) !== now.get(uid))
}

/** "10.0.0.1 ready" by the uid of the pod. */
function states(subsets: readonly EndpointSubset[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    for (const { ip, targetRef } of addresses) found.set(targetRef?.uid ?? "", `${ip} ready`)
    for (const { ip, targetRef } of notReadyAddresses) found.set(targetRef?.uid ?? "", `${ip} not ready`)
  }
  return found
}

/** Records events about writes that failed. */
export function settle({ key: { namespace, name } }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const result of results) {
    // A terminating namespace refuses new objects; that is not worth an event.
    if (result.ok !== false || hasCause(result.error, "NamespaceTerminating")) continue
    const { operation, error } = result
    const why = messageOf(error)
    if (operation.do === "create")
      built.event(
        operation.object,
        "Warning",
        "FailedToCreateEndpoint",
        `Failed to create endpoint for service ${namespace}/${name}: ${why}`,
      )
    if (operation.do === "update")
      built.event(operation.object, "Warning", "FailedToUpdateEndpoint", `Failed to update endpoint ${namespace}/${name}: ${why}`)
  }
  return built
}
