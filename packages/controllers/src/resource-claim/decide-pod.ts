import { hasCause, isControlledBy, isPodTerminal, type KubeObject, ownerRef } from "@pilothouse/api"
import { type Pod, type PodResourceClaim, type PodResourceClaimStatus, pods } from "@pilothouse/api/core/v1"
import type { ResourceClaim } from "@pilothouse/api/resource/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { podClaimName } from "./claims-of-pod.ts"
import type { Entry, ObservedPod } from "./observe-pod.ts"

/** A template that comes enqueues its pods at once; the event is repeated while there is none. */
const templateRetryPeriod = "5m"

/** Every entry with a template has its claim, which the pod's status names; allocated claims of a bound pod are reserved for it. */
export function decidePod({ pod, entries }: ObservedPod): Plan {
  const built = plan()
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return built.nothing("the pod needs its claims no longer")
  for (const entry of entries.filter((one) => needsClaim(pod, one) && one.made.length === 0)) createClaim(built, pod, entry)
  if (built.steps.length > 0) return built
  const found = entries.filter((one) => needsClaim(pod, one) && one.made.length > 0)
  if (found.length > 0) recordNames(built, pod, new Map(found.map(({ entry, made }) => [entry.name, nameOf(made[0])])))
  if (pod.spec?.nodeName) for (const entry of entries) reserve(built, pod, entry)
  return built.steps.length > 0 ? built : built.nothing(built.waitingFor.length > 0 ? "a template is missing" : "every claim is there")
}

/** Records the names that the server gave to claims, and events for those that it refused. */
export function settlePod({ pod, entries }: ObservedPod, results: readonly Result[]): Plan {
  const built = plan()
  const created = new Map<string, string>()
  for (const result of results) {
    if (result.operation.do !== "create") continue
    const entry = (result.operation.object as ResourceClaim).metadata.annotations?.[podClaimName] ?? ""
    if (result.ok === true) created.set(entry, nameOf(result.object))
    if (result.ok === false && !hasCause(result.error, "NamespaceTerminating"))
      failure(built, pod, entry, `create ResourceClaim : ${messageOf(result.error)}`)
  }
  if (created.size > 0) recordNames(built, pod, new Map([...unrecorded(entries), ...created]))
  return built
}

/** Claims that an earlier reconcile made, and whose names it could not record. */
function unrecorded(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const found = entries.filter(({ made, claimName }) => claimName === undefined && made.length > 0)
  return new Map(found.map(({ entry, made }) => [entry.name, nameOf(made[0])]))
}

function nameOf(claim: KubeObject | undefined): string {
  return claim?.metadata.name ?? ""
}

/** Reports whether the pod's status names no claim of this entry that is there and its own. */
function needsClaim(pod: Pod, { entry, claimName, claim }: Entry): boolean {
  if (entry.resourceClaimTemplateName === undefined || claimName === "") return false
  return claim === undefined || !isControlledBy(claim, pod)
}

function createClaim(built: PlanBuilder, pod: Pod, { entry, template }: Entry): void {
  if (template === undefined) {
    const name = entry.resourceClaimTemplateName
    failure(built, pod, entry.name, `resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`)
    built.waitFor(`the ResourceClaimTemplate ${name}`).requeueAfter(templateRetryPeriod, "the event is repeated while it lasts")
    return
  }
  const { annotations, labels } = template.spec.metadata ?? {}
  const claim: ResourceClaim = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      generateName: claimPrefix(pod.metadata.name ?? "", entry.name),
      namespace: pod.metadata.namespace,
      annotations: { ...annotations, [podClaimName]: entry.name },
      ...(labels !== undefined && { labels }),
      ownerReferences: [{ ...ownerRef(pod, pods), controller: true }],
    },
    spec: template.spec.spec,
  }
  built.create(claim, `the entry ${entry.name} of the pod has no claim yet`)
}

function failure(built: PlanBuilder, pod: Pod, entry: string, message: string): void {
  built.event(pod, "Warning", "FailedResourceClaimCreation", `PodResourceClaim ${entry}: ${message}`)
}

const maxPrefix = 57

/**
 * Returns the generateName of a claim. Of names that are too long both keep their part: the server would cut off the end, which distinguishes the
 * claims of a pod.
 */
export function claimPrefix(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`
  if (whole.length <= maxPrefix) return whole
  const first = pod.slice(0, Math.trunc((pod.length * maxPrefix) / whole.length))
  return `${first}-${entry.slice(0, Math.trunc((entry.length * maxPrefix) / whole.length))}`
}

/** All names at once: what a manager applies replaces what it applied before. */
function recordNames(built: PlanBuilder, { metadata, spec, status }: Pod, names: ReadonlyMap<string, string>): void {
  const known = new Map((status?.resourceClaimStatuses ?? []).map((one) => [one.name, one]))
  const resourceClaimStatuses = (spec?.resourceClaims ?? []).flatMap(
    ({ name, resourceClaimTemplateName }: PodResourceClaim): readonly PodResourceClaimStatus[] => {
      const claim = names.get(name)
      if (claim !== undefined) return [{ name, resourceClaimName: claim }]
      const recorded = resourceClaimTemplateName === undefined ? undefined : known.get(name)
      return recorded === undefined ? [] : [recorded]
    },
  )
  const { name, namespace, uid } = metadata
  const applied = { apiVersion: "v1" as const, kind: "Pod" as const, metadata: { name, namespace, uid }, status: { resourceClaimStatuses } }
  built.apply(applied, "the pod's status names its claims", { force: true, subresource: "status" })
}

/** A pod that was bound without the scheduler. What is not allocated is left to the kubelet, which refuses the pod. */
function reserve(built: PlanBuilder, pod: Pod, { claim, isGenerated }: Entry): void {
  if (claim?.status?.allocation === undefined || (isGenerated && !isControlledBy(claim, pod))) return
  const { reservedFor = [] } = claim.status
  const { name = "", uid = "" } = pod.metadata
  if (reservedFor.some((one) => one.uid === uid) || reservedFor.length >= maxReservations || claim.metadata.deletionTimestamp !== undefined)
    return
  built.status(claim, { ...claim.status, reservedFor: [...reservedFor, { resource: "pods", name, uid }] }, "the pod runs and uses it")
}

const maxReservations = 256
