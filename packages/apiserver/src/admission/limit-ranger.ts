import { forbidden, parseResources, podLimits, podRequests } from "@pilothouse/api"
import { type LimitRange, type LimitRangeItem, limitRanges, type PersistentVolumeClaim, type Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../draft.ts"
import { listPrefix } from "../objects/key.ts"
import { setDefaultResources } from "./limit-defaults.ts"
import { limitFaults } from "./limit-faults.ts"
import type { AdmissionPlugin, Admitting } from "./plugin.ts"

/** What is asked for lies within what a namespace allows; who asks for nothing gets what it has for such. */
export const limitRanger: AdmissionPlugin = {
  name: "LimitRanger",
  admit(admitting) {
    if (!concerns(admitting) || admitting.resource.descriptor.plural !== "pods") return
    for (const { spec } of rangesOf(admitting)) {
      for (const item of spec?.limits ?? []) if (item.type === "Container") setDefaultResources(admitting.object as Draft<Pod>, item)
    }
  },
  validate(admitting) {
    if (!concerns(admitting)) return
    const { resource, name } = admitting
    for (const { spec } of rangesOf(admitting)) {
      const faults = (spec?.limits ?? []).flatMap((item) => faultsOf(admitting, item))
      if (faults.length > 0) throw forbidden(resource.descriptor, name, faults.length === 1 ? faults[0]! : `[${faults.join(", ")}]`)
    }
  },
}

/** A pod's amounts are looked at once, when it is made, and when it is resized; a claim's whenever it is written. */
function concerns({ operation, resource, subresource, object, namespace }: Admitting): boolean {
  const { group, plural } = resource.descriptor
  if (object === undefined || namespace === undefined || group !== "") return false
  if (plural === "pods") return (operation === "CREATE" && subresource === "") || subresource === "resize"
  return plural === "persistentvolumeclaims" && subresource === ""
}

function rangesOf({ call, namespace }: Admitting): readonly LimitRange[] {
  const { storage, registry } = call.server
  return storage.list(listPrefix(registry.of(limitRanges), namespace)).items.map(({ value }) => value as LimitRange)
}

function faultsOf({ resource, object }: Admitting, item: LimitRangeItem): readonly string[] {
  if (resource.descriptor.plural === "persistentvolumeclaims") {
    const { spec } = object as PersistentVolumeClaim
    const requests = parseResources(spec?.resources?.requests)
    return item.type === "PersistentVolumeClaim" ? limitFaults(item, requests, parseResources({})) : []
  }
  const pod = object as Pod
  if (item.type === "Pod") return limitFaults(item, podRequests(pod), podLimits(pod))
  if (item.type !== "Container") return []
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]
  return containers.flatMap(({ resources }) => limitFaults(item, parseResources(resources?.requests), parseResources(resources?.limits)))
}
