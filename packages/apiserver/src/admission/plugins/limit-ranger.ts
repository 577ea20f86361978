import { forbidden, parseResources, podLimits, podRequests } from "@pilothouse/api"
import { type LimitRange, type LimitRangeItem, limitRanges, type PersistentVolumeClaim, type Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { listPrefix } from "../../registry/object-key.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { setDefaultResources } from "./limit-defaults.ts"
import { limitFaults } from "./limit-faults.ts"

/** What is asked for lies within what a namespace allows; who asks for nothing gets what it has for such. */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  admit(attributes) {
    if (!concerns(attributes) || attributes.resource.descriptor.plural !== "pods") return
    for (const { spec } of rangesOf(attributes)) {
      for (const item of spec?.limits ?? []) if (item.type === "Container") setDefaultResources(attributes.object as Draft<Pod>, item)
    }
  },
  validate(attributes) {
    if (!concerns(attributes)) return
    const { resource, name } = attributes
    for (const { spec } of rangesOf(attributes)) {
      const faults = [...firstFaults(attributes, spec?.limits ?? [])]
      if (faults.length > 0) throw forbidden(resource.descriptor, name, faults.length === 1 ? faults[0]! : `[${faults.join(", ")}]`)
    }
  },
}

/** A pod's amounts are looked at once, when it is made, and when it is resized; a claim's whenever it is written. */
function concerns({ operation, resource, subresource, object, namespace }: AdmissionAttributes): boolean {
  const { group, plural } = resource.descriptor
  if (object === undefined || namespace === undefined || group !== "") return false
  if (plural === "pods") return (operation === "CREATE" && subresource === "") || subresource === "resize"
  return plural === "persistentvolumeclaims" && subresource === ""
}

function rangesOf({ server, namespace }: AdmissionAttributes): readonly LimitRange[] {
  const { storage, registry } = server
  return storage.list(listPrefix(registry.of(limitRanges), namespace)).items.map(({ value }) => value as LimitRange)
}

/** The faults that one answer names; further ones are left out. */
const maxFaults = 1000

function* firstFaults(attributes: AdmissionAttributes, items: readonly LimitRangeItem[]): Generator<string, void> {
  let left = maxFaults
  for (const item of items)
    for (const fault of faultsOf(attributes, item)) {
      if (left-- === 0) return
      yield fault
    }
}

function* faultsOf({ resource, object }: AdmissionAttributes, item: LimitRangeItem): Generator<string, void> {
  if (resource.descriptor.plural === "persistentvolumeclaims") {
    const { spec } = object as PersistentVolumeClaim
    const requests = parseResources(spec?.resources?.requests)
    if (item.type === "PersistentVolumeClaim") yield* limitFaults(item, requests, parseResources({}))
    return
  }
  const pod = object as Pod
  if (item.type === "Pod") yield* limitFaults(item, podRequests(pod), podLimits(pod))
  if (item.type !== "Container") return
  for (const { resources } of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])])
    yield* limitFaults(item, parseResources(resources?.requests), parseResources(resources?.limits))
}
