import { deepEqual, keyOf, podRequests, type ResourceList, type Resources } from "@pilothouse/api"
import type { Container, Pod } from "@pilothouse/api/core/v1"
import { type AffinityTerms, affinityTermsOf, excessTerms, noTerms } from "./affinity-terms.ts"
import { type HostPort, hostPortsOf, processPortsOf } from "./host-ports.ts"
import { type Amounts, cpuSlot, memorySlot, type ResourceSlots } from "./resource-slots.ts"

/** What counts of a pod that is on a node, or is to be scheduled; read once for each version of it. */
export interface PodFacts {
  readonly pod: Pod
  readonly key: string
  readonly uid: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly priority: number
  readonly requests: Amounts
  /** Cpu and memory with a guess for containers that ask for none: else a thousand of them would look like nothing to a score. */
  readonly nonZeroRequests: readonly [cpu: number, memory: number]
  readonly ports: readonly HostPort[]
  /** Of its real processes, on the address that they have. */
  readonly processPorts: readonly HostPort[]
  readonly claims: readonly string[]
  readonly terms: AffinityTerms
  /** Why it is not scheduled whatever the nodes are; its terms are left out then. */
  readonly excess: string | undefined
  readonly isDeleting: boolean
  /** The same for pods that no selector and no affinity can tell apart. */
  readonly kind: string
}

const defaultRequests: ResourceList = { cpu: "100m", memory: "200Mi" }

/** Extracts the facts of one version of a pod. */
export function podFacts(pod: Pod, slots: ResourceSlots): PodFacts {
  const { namespace = "", labels = {}, uid = "", deletionTimestamp } = pod.metadata
  const isDeleting = deletionTimestamp !== undefined
  const excess = excessTerms(pod)
  const { podAffinity, podAntiAffinity } = excess === undefined ? (pod.spec?.affinity ?? {}) : {}
  const requests = podRequests(pod, { withStatus: true })
  return {
    pod,
    key: keyOf(pod),
    uid,
    namespace,
    labels,
    priority: pod.spec?.priority ?? 0,
    requests: slots.amountsOf(requests),
    nonZeroRequests: nonZeroRequestsFor(pod, requests, slots),
    ports: hostPortsOf(pod),
    processPorts: processPortsOf(pod),
    claims: claimNames(pod).map((name) => `${namespace}/${name}`),
    terms: excess === undefined ? affinityTermsOf(pod) : noTerms,
    excess,
    isDeleting,
    kind: JSON.stringify([namespace, isDeleting, labels, podAffinity, podAntiAffinity]),
  }
}

function nonZeroRequestsFor({ spec, status }: Pod, requests: Resources, slots: ResourceSlots): readonly [number, number] {
  const guess = guessFor(spec, requests)
  const guessed = spec && { ...spec, containers: spec.containers.map(guess), initContainers: spec.initContainers?.map(guess) }
  const amounts = slots.amountsOf(podRequests({ spec: guessed, status }, { withStatus: true }))
  return [amounts[cpuSlot] ?? 0, amounts[memorySlot] ?? 0]
}

function guessFor(spec: Pod["spec"], requests: Resources): (container: Container) => Container {
  const asksAsWhole = Object.keys(spec?.resources?.requests ?? {}).length > 0
  const missing = asksAsWhole ? guessesBeside(requests) : defaultRequests
  return (container) => {
    const own = container.resources?.requests
    if (own?.cpu !== undefined && own.memory !== undefined) return container
    return { ...container, resources: { ...container.resources, requests: { ...missing, ...own } } }
  }
}

/** Where the pod asks as a whole, nothing is guessed for a resource that it or one of its containers has named. */
function guessesBeside(requests: Resources): ResourceList {
  return Object.fromEntries(Object.entries(defaultRequests).filter(([name]) => !requests.has(name)))
}

/** The claims behind the volumes of a pod; those of ephemeral volumes are called after both. */
export function claimNames({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })
}

/** Most changes of a pod are of its status, and say nothing new about what it takes. */
export function countsTheSame(old: Pod, pod: Pod): boolean {
  if ((old.metadata.deletionTimestamp === undefined) !== (pod.metadata.deletionTimestamp === undefined)) return false
  if (old.metadata.generation === undefined || old.metadata.generation !== pod.metadata.generation) return false
  return deepEqual(old.metadata.labels, pod.metadata.labels) && !isResized(old) && !isResized(pod)
}

/** Containers whose status says what they were given may have been given something else. */
function isResized({ status }: Pod): boolean {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].some(({ resources }) => resources !== undefined)
}
