import { isVolumeFor } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import type { NodeView } from "./cache/node-state.ts"
import type { Observed } from "./cache/observe.ts"
import { assume, bindTimeout, release } from "./cache/reserved-capacity.ts"
import { assumeClaims, reserveClaims } from "./devices/reserve-claims.ts"
import { placementOn, selectedNode } from "./volumes/volume-placement.ts"

/** Binds the pod to the node; or first prepares the volumes that it needs there, and reserves its capacity until then. */
export function bindOrPrepare({ pod, volumes, reserved, devices }: Observed, { name, node }: NodeView, why: string, now: number): Plan {
  const { metadata } = pod.pod
  if (volumes.claims.every(({ isBound }) => isBound)) {
    const built = plan()
    if (devices !== undefined) reserveClaims(built, pod.pod, devices, node, now)
    return built
      .bind(pod.pod, name, `${name}: ${why}`)
      .event(pod.pod, "Normal", "Scheduled", `Successfully assigned ${metadata.namespace}/${metadata.name} to ${name}`, {
        action: "Binding",
      })
  }
  const { bind, provision } = placementOn(node, volumes)
  const built = plan().nothing(`it goes to ${name} once its volumes are there: ${why}`)
  for (const { claim, volume } of bind) take(built, volume, claim)
  for (const claim of provision) provisionOn(built, name, claim)
  for (const { key, isBound } of volumes.claims) if (!isBound) built.waitFor(`the claim ${key} to be bound`)
  const latest = now + bindTimeout
  const until = reserved?.node === name ? Math.min(reserved.until, latest) : latest
  return built
    .nextStep()
    .operation(assume(pod, name, "its place is kept while its volumes are made ready", until))
    .requeueAfter(until - now, "its place is not kept for ever")
}

/** At the version that was seen: where two writers take the volume at the same moment, one gets a conflict and is requeued. The binder does the rest. */
function take(built: PlanBuilder, volume: PersistentVolume, claim: PersistentVolumeClaim): void {
  if (volume.spec?.claimRef?.uid !== undefined && isVolumeFor(volume, claim)) return
  const { namespace, name, uid, resourceVersion } = claim.metadata
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion }
  const annotations = { ...volume.metadata.annotations, "pv.kubernetes.io/bound-by-controller": "yes" }
  const taken: PersistentVolume = { ...volume, metadata: { ...volume.metadata, annotations }, spec: { ...volume.spec, claimRef } }
  built.update(taken, `it is the best volume for the claim ${namespace}/${name} where its first consumer goes`)
}

function provisionOn(built: PlanBuilder, node: string, claim: PersistentVolumeClaim): void {
  if (claim.metadata.annotations?.[selectedNode] === node) return
  // Of the claim that was seen, and of no other under its name.
  const patch = { metadata: { uid: claim.metadata.uid, annotations: { [selectedNode]: node } } }
  built.patch(claim, patch, `its first consumer goes to ${node}, and no volume there is free for it`)
}

/**
 * A binding that failed is not assumed; neither is one whose answer was lost, as upstream has it: its own key finds out what became of it.
 * Whatever failed, the place that was kept is given up.
 */
export function settle({ pod, reserved }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const operation of assumeClaims(results)) built.operation(operation)
  for (const { operation, ok } of results)
    if (ok === true && operation.do === "bind" && "node" in operation)
      built.operation(assume(pod, operation.node, "the cache may not show the binding yet"))
  if (reserved !== undefined && results.some(({ ok }) => ok === false)) built.operation(release(pod, "it did not come to its node"))
  return built
}
