import { controllerRef, hasCause, isControlledBy, keyOf } from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, pods, type Volume } from "@pilothouse/api/core/v1"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { type Duration, messageOf } from "@pilothouse/seams"
import { ephemeralClaimName } from "../shared/pods-by-claim.ts"
import type { EphemeralVolume, Observed } from "./observe.ts"

/** Until the name may be free. The deletion of the claim that has it enqueues the pod too. */
const nameRetryPeriod: Duration = "5m"

/** Every ephemeral volume has a claim that lives and dies with its pod. */
export function decide({ pod, volumes }: Observed): Plan {
  const built = plan()
  if (pod.metadata.deletionTimestamp !== undefined) return built.nothing("the pod goes away")
  for (const { volume, claim } of volumes)
    if (claim === undefined) built.create(newClaim(pod, volume), `the volume ${volume.name} has no claim yet`)
  const taken = volumes.find((one) => isNameTaken(pod, one))
  if (taken !== undefined) {
    const message = `ephemeral volume ${taken.volume.name}: ${notOwner(pod, taken.claim!)}`
    built.event(pod, "Warning", "FailedBinding", message).requeueAfter(nameRetryPeriod, "the event is repeated while it lasts")
  }
  return built.steps.length > 0 ? built : built.nothing(taken === undefined ? "every volume has its claim" : "a name is taken")
}

function isNameTaken(pod: Pod, { claim }: EphemeralVolume): boolean {
  return claim !== undefined && !isControlledBy(claim, pod)
}

function notOwner(pod: Pod, claim: PersistentVolumeClaim): string {
  return `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`
}

function newClaim(pod: Pod, volume: Volume): PersistentVolumeClaim {
  const template = volume.ephemeral?.volumeClaimTemplate
  const { annotations, labels } = template?.metadata ?? {}
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: ephemeralClaimName(pod, volume),
      namespace: pod.metadata.namespace,
      ...(annotations !== undefined && { annotations }),
      ...(labels !== undefined && { labels }),
      ownerReferences: [controllerRef(pod, pods)],
    },
    spec: template?.spec,
  }
}

/** Records an event for each claim that could not be created. */
export function settle({ pod, volumes }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const result of results) {
    if (result.ok !== false || result.operation.do !== "create" || hasCause(result.error, "NamespaceTerminating")) continue
    const { name } = (result.operation.object as PersistentVolumeClaim).metadata
    const of = volumes.find(({ volume }) => ephemeralClaimName(pod, volume) === name)
    const message = `ephemeral volume ${of?.volume.name}: create PVC ${name}: ${messageOf(result.error)}`
    built.event(pod, "Warning", "FailedBinding", message)
  }
  return built
}
