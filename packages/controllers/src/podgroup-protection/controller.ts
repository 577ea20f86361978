import { hasFinalizer, isPodTerminal, withoutFinalizer } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type PodGroup, podGroups } from "@pilothouse/api/scheduling/v1alpha2"
import { type Change, type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

const name = "podgroup-protection-controller"

/**
 * Delays the deletion of a PodGroup while a pod that has not finished names it. The admission plugin PodGroupProtection adds the finalizer.
 * Watches PodGroups and Pods; writes only the finalizer. Trusts its caches, as upstream.
 */
export function podGroupProtectionController(): Controller {
  return controller(name, {
    for: podGroups,
    predicate: ({ type, object }) => type !== "deleted" && isCandidate(object as PodGroup),
    watches: [watch(pods, "a pod that names it has finished or is gone", groupKeys, { predicate: (change) => releasesGroup(change) })],
    indexes: [activePodsByGroup],
    maxConcurrentReconciles: 1,
    observe,
    decide,
  })
}

export const finalizer = "scheduling.k8s.io/podgroup-protection"

function isCandidate(group: PodGroup): boolean {
  return group.metadata.deletionTimestamp !== undefined && hasFinalizer(group, finalizer)
}

export interface Observed {
  readonly group: PodGroup
  /** A pod that has not finished and names the group. */
  readonly user?: string
}

function observe(key: string, read: Reader): Observed | undefined {
  const group = read.get(podGroups, key)
  if (group === undefined) return undefined
  const [user] = read.byIndex(activePodsByGroup, key)
  return { group, ...(user && { user: user.metadata.name }) }
}

/** Removes the finalizer of a deleted group once no pod is left that has not finished. */
export function decide({ group, user }: Observed): Plan {
  if (!isCandidate(group)) return plan().nothing("it is not deleted, or no finalizer of this controller holds it")
  if (user !== undefined) return plan().waitFor("its pods to finish").nothing(`it is deleted, but the pod ${user} names it`)
  return plan().update(withoutFinalizer(group, finalizer), "it is deleted, and no pod that has not finished names it")
}

/** Returns the key of the group that a pod names. */
export function groupKeys({ metadata, spec }: Pod): readonly string[] {
  const group = spec?.schedulingGroup?.podGroupName
  return group === undefined ? [] : [`${metadata.namespace}/${group}`]
}

/** Pods that have not finished, by the group that they name. */
export const activePodsByGroup = index(pods, "active pods of a group", (pod) => (isPodTerminal(pod) ? [] : groupKeys(pod)))

/** Reports whether the change can be the end of the last pod of a group. */
export function releasesGroup(change: Change<Pod>): boolean {
  if (change.type === "deleted" || isPodTerminal(change.object)) return true
  return change.type === "updated" && change.old.metadata.uid !== change.object.metadata.uid
}

/** Off by default, as the kind is: a server without it would be asked for it for ever. */
export const podGroupProtectionDescriptor = descriptor({
  name,
  onByDefault: false,
  featureGate: { name: "GenericWorkload", maturity: "alpha" },
  create: () => podGroupProtectionController(),
})
