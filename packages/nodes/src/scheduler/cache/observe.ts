import { controllerOf, fromRequirements, matchesLabels, type Selector, selectorFromLabels, selectorOf } from "@pilothouse/api"
import { replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { namespaces, type Pod, pods, replicationControllers, services } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Reader } from "@pilothouse/runtime"
import { type DeviceState, type DevicesView, observeDevices } from "../devices/devices-view.ts"
import { allTerms } from "../pod/affinity-terms.ts"
import { type PodFacts, podFacts } from "../pod/pod-facts.ts"
import { isUnplaced } from "../pod/waiting-pods.ts"
import { defaultSchedulerName, type SchedulerProfile } from "../profiles/profile.ts"
import type { Attempt, Attempts } from "../queue/attempts.ts"
import { type CsiVolumesView, observeCsiVolumes } from "../volumes/csi-volumes.ts"
import { observeVolumes, type VolumesView } from "../volumes/volumes.ts"
import type { NodeStates, Reservation } from "./node-states.ts"

type Labels = Readonly<Record<string, string>>

/** What one decision about a pod depends on. */
export interface Observed {
  readonly pod: PodFacts
  /** Not copied: it is read at once, and nothing is decided beside this. */
  readonly nodes: NodeStates
  /** Labels by name: of the pod's namespace, and of all where its affinity selects namespaces. */
  readonly namespaces: ReadonlyMap<string, Labels>
  readonly volumes: VolumesView
  /** Only where a volume of the pod has a driver that may count. */
  readonly csi?: CsiVolumesView
  /** Only where the pod has ResourceClaims. */
  readonly devices?: DevicesView
  /** Selects the pods to spread from by default, where the pod has no constraints of its own. */
  readonly spreadBy?: Selector
  /** The node that is reserved for it until its volumes are bound. */
  readonly reserved?: Reservation
  readonly attempt?: Attempt
  /** The number of other pods that were not tried yet. */
  readonly untried: number
  /** Only where there are pods of lower priority. */
  readonly budgets: readonly PodDisruptionBudget[]
  /** Of the scheduler that the pod names; the default one where it is left out. */
  readonly profile?: SchedulerProfile
}

/** What observations are made from, besides the caches. */
export interface ObservedState {
  readonly nodes: NodeStates
  readonly attempts: Attempts
  readonly devices: DeviceState
  /** By the name that pods have. */
  readonly profiles: ReadonlyMap<string, SchedulerProfile>
}

/** Reads the pod and what its decision depends on; undefined where it does not wait for a node. */
export function observe(key: string, read: Reader, { nodes, attempts, devices, profiles }: ObservedState): Observed | undefined {
  const pod = read.get(pods, key)
  const profile = profiles.get(pod?.spec?.schedulerName ?? defaultSchedulerName)
  if (pod === undefined || profile === undefined || !isUnplaced(pod)) return undefined
  const facts = podFacts(pod, nodes.slots)
  const volumes = observeVolumes(pod, read)
  const spreadsItself = (pod.spec?.topologySpreadConstraints ?? []).length > 0
  return {
    pod: facts,
    nodes,
    namespaces: labelsOfNamespaces(facts, read),
    volumes,
    csi: observeCsiVolumes(volumes, read),
    devices: observeDevices(pod, read, devices),
    spreadBy: spreadsItself ? undefined : defaultSpreadSelector(pod, read),
    reserved: nodes.assumedFor(facts.uid),
    attempt: attempts.of(facts.uid),
    untried: attempts.untried,
    budgets: nodes.placed.hasBelow(facts.priority) ? read.list(podDisruptionBudgets) : [],
    profile,
  }
}

function labelsOfNamespaces({ namespace, terms }: PodFacts, read: Reader): ReadonlyMap<string, Labels> {
  const selects = allTerms(terms).some(({ namespaceSelector }) => !namespaceSelector.nothing)
  if (selects) return new Map(read.list(namespaces).map(({ metadata }) => [metadata.name ?? "", metadata.labels ?? {}]))
  return new Map([[namespace, read.get(namespaces, namespace)?.metadata.labels ?? {}]])
}

/** Returns the default selector of topology spreading: the pods of the pod's Services and of its owner. Undefined: it has neither. */
export function defaultSpreadSelector(pod: Pod, read: Reader): Selector | undefined {
  const { namespace = "", labels } = pod.metadata
  const byService = read.list(services, namespace).flatMap(({ spec }) => {
    const selector = selectorFromLabels(spec?.selector)
    return matchesLabels(selector, labels) ? selector.requirements : []
  })
  const requirements = [...byService, ...(ownerSelector(pod, read)?.requirements ?? [])]
  return requirements.length === 0 ? undefined : fromRequirements(requirements)
}

function ownerSelector(pod: Pod, read: Reader): Selector | undefined {
  const owner = controllerOf(pod)
  if (owner === undefined) return undefined
  const key = `${pod.metadata.namespace}/${owner.name}`
  switch (`${owner.apiVersion} ${owner.kind}`) {
    case "v1 ReplicationController":
      return selectorFromLabels(read.get(replicationControllers, key)?.spec?.selector)
    case "apps/v1 ReplicaSet":
      return selectorOf(read.get(replicaSets, key)?.spec?.selector)
    case "apps/v1 StatefulSet":
      return selectorOf(read.get(statefulSets, key)?.spec?.selector)
    default:
      return undefined
  }
}
