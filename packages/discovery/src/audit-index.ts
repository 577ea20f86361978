import { deepEqual, keyOf } from "@pilothouse/api"
import type { Drift } from "./audit.ts"
import { podAddresses } from "./kube/convert/endpoint.ts"
import { judge } from "./kube/convert/judge.ts"
import { hostnameOf } from "./kube/convert/names.ts"
import { convertService } from "./kube/convert/service.ts"
import { announce } from "./kube/handlers/announce.ts"
import { workloadSource, workloadsOf } from "./kube/handlers/workload.ts"
import type { RegistryState } from "./kube/state.ts"
import type { Endpoint } from "./model/endpoint.ts"
import type { Service } from "./model/service.ts"

/** Compares the index with the caches, and repairs it: services, pods' addresses, endpoints. */
export function auditIndex(state: RegistryState): readonly Drift[] {
  return [...auditServices(state), ...auditPods(state), ...auditEndpoints(state)]
}

function auditServices(state: RegistryState): readonly Drift[] {
  const found: Drift[] = []
  const expected = new Set<string>()
  for (const key of state.watched.services.keys()) {
    const object = state.watched.services.get(key)!
    const { namespace = "" } = object.metadata
    if (!state.selection.has(namespace)) continue
    const hostname = hostnameOf(object.metadata, state.conversion.domainSuffix)
    expected.add(hostname)
    const service = convertService(object, state.watched.namespaces.get(namespace), state.conversion)
    if (deepEqual(state.services.get(hostname), service)) continue
    found.push({ kind: "services", key: hostname, what: "the index does not say what the Service does" })
    state.details.delete(hostname)
    state.watched.services.again(key)
  }
  for (const { hostname } of state.services.sorted()) {
    if (expected.has(hostname)) continue
    found.push({ kind: "services", key: hostname, what: "the index has it and no Service says so" })
    state.services.remove(hostname)
    state.endpoints.drop(hostname)
    state.subscribers.serviceUpdate(hostname, "deleted")
  }
  return found
}

function auditPods(state: RegistryState): readonly Drift[] {
  return state.watched.pods.keys().flatMap((key) => {
    const pod = state.watched.pods.get(key)!
    const cached = state.podCache.addressesOf(key)
    // One that is no member has none; whether it should be one is asked of the cache itself.
    const isRight = cached.length === 0 ? state.podCache.put(key, seenPod(state, key)).length === 0 : deepEqual(cached, podAddresses(pod))
    if (isRight) return []
    state.watched.pods.again(key)
    return [{ kind: "pods", key, what: "the index has not the addresses of the pod" }]
  })
}

function seenPod(state: RegistryState, key: string) {
  const pod = state.watched.pods.get(key)
  return pod !== undefined && state.selection.has(pod.metadata.namespace ?? "") ? pod : undefined
}

function auditEndpoints(state: RegistryState): readonly Drift[] {
  return state.services.sorted().flatMap((service) => {
    if (service.resolution === "dns") return []
    const expected = expectedEndpoints(state, service)
    if (sameSet(state.endpoints.get(service.hostname), [...expected.values()].flat())) return []
    const change = state.endpoints.replace(service.hostname, expected)
    if (change !== undefined) announce(state, service, change)
    return [{ kind: "endpoints", key: service.hostname, what: "the index does not say what the slices do" }]
  })
}

function expectedEndpoints(state: RegistryState, service: Service): ReadonlyMap<string, readonly Endpoint[]> {
  const around = state.surroundings(service)
  const keys = state.sources.ofService(keyOf({ metadata: service })).filter((key) => state.handled.has(key))
  const bySlice = keys.map((key) => [key, judge(state.sources.get(key)!, around).flatMap(({ endpoint }) => endpoint ?? [])] as const)
  return new Map([...bySlice, [workloadSource(service.hostname), workloadsOf(state, service).map(({ endpoint }) => endpoint)]])
}

/** By address and port name; of what stands in two slices either may count. */
function sameSet(found: readonly Endpoint[], expected: readonly Endpoint[]): boolean {
  const byPlace = Map.groupBy(expected, ({ addresses, portName }) => `${addresses[0]} ${portName}`)
  if (byPlace.size !== found.length) return false
  return found.every((one) => byPlace.get(`${one.addresses[0]} ${one.portName}`)?.some((other) => deepEqual(one, other)))
}
