import { keyOf } from "@pilothouse/api"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { familiesOf } from "../service-endpoints/addresses.ts"
import { selects } from "../service-endpoints/selector.ts"
import { triggerTime, triggerTimeAnnotation, withAnnotations } from "../service-endpoints/trigger-time.ts"
import { changedPods } from "./changed-pods.ts"
import { noChanges, type SliceChanges, together } from "./changes.ts"
import { changesInFamily, lacksNode } from "./family.ts"
import { withHintsFor } from "./hints.ts"
import type { Observed } from "./observe.ts"
import { recycle } from "./recycle.ts"

export interface SliceOptions {
  /** --max-endpoints-per-slice */
  readonly maxEndpointsPerSlice: number
}

/** Makes the slices of a Service say what its pods are, family by family. */
export function decide(observed: Observed, { maxEndpointsPerSlice }: SliceOptions): Plan {
  const { service, slices } = observed
  if (!selects(service)) return plan().nothing("the Service selects no pods: whoever made it keeps its slices")
  const families = familiesOf(service)
  const hinted = families.map((family) => withHintsFor(observed, family, changesInFamily(observed, family, maxEndpointsPerSlice)))
  // The families of a Service hardly ever change; a slice of one that it no longer has leads nowhere.
  const foreign = slices.filter((slice) => !families.some((family) => family === slice.addressType))
  const changes = together([...hinted.map((one) => recycle(one, service)), { ...noChanges, remove: foreign }])
  const built = write(plan(), observed, changes)
  if (built.steps.length > 0)
    for (const { said } of hinted) if (said !== undefined) built.event(service, said.type, said.reason, said.message)
  return reportMissingNodes(built, observed)
}

/** New slices first, so that an endpoint which moves is never missing from all of them. */
function write(built: PlanBuilder, observed: Observed, changes: SliceChanges): PlanBuilder {
  const { service, pods, slices } = observed
  // While the Service goes, its slices go too: what the garbage collector deletes must not be made again.
  const create = service.metadata.deletionTimestamp === undefined ? changes.create : []
  const total = [...create, ...changes.update, ...changes.unchanged].reduce((sum, slice) => sum + sizeOf(slice), 0)
  if (create.length + changes.update.length + changes.remove.length === 0) return built.nothing(`${total} endpoints, all listed`)
  const time = triggerTime(service, slices.length === 0, changedPods(pods, slices, [...create, ...changes.update]))
  const before = new Map(slices.map((slice) => [slice.metadata.name, sizeOf(slice)]))
  for (const slice of create) built.create(triggeredAt(slice, time), `no slice has room for ${sizeOf(slice)} of ${total} endpoints`)
  if (create.length > 0 && changes.update.length + changes.remove.length > 0) built.nextStep()
  for (const slice of changes.update) {
    built.update(
      triggeredAt(slice, time),
      `it had ${before.get(slice.metadata.name)} endpoints, and its part of all ${total} is ${sizeOf(slice)}`,
    )
  }
  if (changes.update.length > 0 && changes.remove.length > 0) built.nextStep()
  for (const slice of changes.remove) built.delete(slice, "none of its endpoints is wanted any more")
  return built
}

/** Says it as upstream does; the Service is looked at again when the node comes. */
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

function sizeOf({ endpoints = [] }: EndpointSlice): number {
  return endpoints.length
}
