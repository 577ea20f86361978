import {
  type Amount,
  approximateAmount,
  compareAmounts,
  formatQuantity,
  isZeroAmount,
  parseQuantity,
  parseResources,
  podLimits,
  podRequests,
  type Resources,
} from "@pilothouse/api"
import {
  type Container,
  type LimitRange,
  type LimitRangeItem,
  limitRanges,
  type PersistentVolumeClaim,
  type Pod,
} from "@pilothouse/api/core/v1"
import { aggregate } from "../../authorization/authorizer.ts"
import type { Draft } from "../../body/draft.ts"
import { listPrefix } from "../../registry/object-key.ts"
import { maxObjectBytes, ObjectTooLarge } from "../../storage/object-size.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** Holds the requests and limits of pods and claims within the LimitRanges of their namespace, and fills in its defaults. */
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
    for (const { spec } of rangesOf(attributes)) {
      const faults = [...firstFaults(attributes, spec?.limits ?? [])]
      if (faults.length > 0) throw refusal(attributes, aggregate(faults))
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

const annotation = "kubernetes.io/limit-ranger"

/**
 * Fills in what containers leave out, and says so on the pod. Throws what storage would as soon as the defaults alone are too large for it: 10,000 names
 * in a LimitRange and 1,000 containers would be ten million amounts.
 */
export function setDefaultResources({ metadata, spec }: Draft<Pod>, item: LimitRangeItem): void {
  const filling: Filling = { item, bytes: 0 }
  const said = [
    ...(spec?.containers ?? []).flatMap((container) => fill(container, filling, "container")),
    ...(spec?.initContainers ?? []).flatMap((container) => fill(container, filling, "init container")),
  ]
  if (said.length > 0) metadata.annotations = { ...metadata.annotations, [annotation]: `LimitRanger plugin set: ${said.join("; ")}` }
}

interface Filling {
  readonly item: LimitRangeItem
  /** At least as many are added to the pod. */
  bytes: number
}

function fill(container: Draft<Container>, filling: Filling, what: string): readonly string[] {
  const { default: limits = {}, defaultRequest = {} } = filling.item
  container.resources ??= {}
  const { resources } = container
  const missingRequests = missing(defaultRequest, resources.requests)
  const missingLimits = missing(limits, resources.limits)
  for (const name of [...missingRequests, ...missingLimits]) filling.bytes += name.length
  if (filling.bytes > maxObjectBytes) throw new ObjectTooLarge()
  if (missingRequests.length > 0) resources.requests = { ...defaultRequest, ...resources.requests }
  if (missingLimits.length > 0) resources.limits = { ...limits, ...resources.limits }
  return [...said(missingRequests, "request", what, container.name), ...said(missingLimits, "limit", what, container.name)]
}

function missing(defaults: Readonly<Record<string, string>>, given: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.keys(defaults).filter((name) => !Object.hasOwn(given, name))
}

function said(names: readonly string[], kind: string, what: string, container: string): readonly string[] {
  return names.length === 0 ? [] : [`${[...names].sort().join(", ")} ${kind} for ${what} ${container}`]
}

/** Yields a fault for each amount outside of a range, in upstream's words. One by one: a range of 10,000 names has as many faults for each container. */
export function* limitFaults(item: LimitRangeItem, requests: Resources, limits: Resources): Generator<string, void> {
  const { type, min, max, maxLimitRequestRatio } = item
  for (const [name, least] of Object.entries(min ?? {})) yield* minimumFaults(type, name, parseQuantity(least), requests, limits)
  for (const [name, most] of Object.entries(max ?? {})) yield* maximumFaults(type, name, parseQuantity(most), requests, limits)
  for (const [name, most] of Object.entries(maxLimitRequestRatio ?? {}))
    yield* ratioFaults(type, name, parseQuantity(most), requests, limits)
}

function minimumFaults(type: string, name: string, least: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `minimum ${name} usage per ${type} is ${formatQuantity(least)}`
  if (request === undefined) return [`${bound}.  No request is specified`]
  if (compareAmounts(request, least) < 0) return [`${bound}, but request is ${formatQuantity(request)}`]
  return limit !== undefined && compareAmounts(limit, least) < 0 ? [`${bound}, but limit is ${formatQuantity(limit)}`] : []
}

function maximumFaults(type: string, name: string, most: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `maximum ${name} usage per ${type} is ${formatQuantity(most)}`
  // Claims have requests only.
  if (type === "PersistentVolumeClaim") {
    return request !== undefined && compareAmounts(request, most) > 0 ? [`${bound}, but request is ${formatQuantity(request)}`] : []
  }
  if (limit === undefined) return [`${bound}.  No limit is specified`]
  if (compareAmounts(limit, most) > 0) return [`${bound}, but limit is ${formatQuantity(limit)}`]
  return request !== undefined && compareAmounts(request, most) > 0 ? [`${bound}, but request is ${formatQuantity(request)}`] : []
}

function ratioFaults(type: string, name: string, most: Amount, requests: Resources, limits: Resources): readonly string[] {
  const [request, limit] = [requests.get(name), limits.get(name)]
  const bound = `${name} max limit to request ratio per ${type} is ${formatQuantity(most)}`
  if (request === undefined || isZeroAmount(request)) return [`${bound}, but no request is specified or request is 0`]
  if (limit === undefined || isZeroAmount(limit)) return [`${bound}, but no limit is specified or limit is 0`]
  const ratio = approximateAmount(limit) / approximateAmount(request)
  return ratio > approximateAmount(most) ? [`${bound}, but provided ratio is ${ratio.toFixed(6)}`] : []
}
