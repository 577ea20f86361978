import { deepEqual, keyOf } from "@pilothouse/api"
import type { Drift } from "./audit.ts"
import { judge } from "./kube/convert/judge.ts"
import { hostnameOf } from "./kube/convert/names.ts"
import { convertService } from "./kube/convert/service.ts"
import { announce } from "./kube/handlers/announce.ts"
import { externalNameEndpoints, externalNameSource } from "./kube/handlers/external-name.ts"
import { applyPodChange, seenPod } from "./kube/handlers/pod.ts"
import { removeService } from "./kube/handlers/service.ts"
import { workloadSource, workloadsOf } from "./kube/handlers/workload.ts"
import { placeOf } from "./kube/index/endpoint-lists.ts"
import type { RegistryState } from "./kube/state/state.ts"
import type { Endpoint } from "./model/endpoint.ts"
import type { Service } from "./model/service.ts"

/**
 * Compares the index with the caches, and repairs it: services, pods' addresses, endpoints. What a handler has not received yet is no drift: it is
 * on its way, or its handler fails and is asked again.
 */
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
    if (state.watched.services.isWaiting(key) || deepEqual(state.services.get(hostname), service)) continue
    found.push({ kind: "services", key: hostname, what: "the index does not say what the Service does" })
    state.details.delete(hostname)
    state.watched.services.again(key)
  }
  for (const service of state.services.sorted()) {
    const { hostname } = service
    if (expected.has(hostname) || state.watched.services.isWaiting(keyOf({ metadata: service }))) continue
    found.push({ kind: "services", key: hostname, what: "the index has it and no Service says so" })
    removeService(state, hostname)
  }
  return found
}

/** Both ways: a pod whose addresses are not known, and addresses of a pod that is not there or does not count. */
function auditPods(state: RegistryState): readonly Drift[] {
  const { podCache, watched } = state
  const all = new Set([...watched.pods.keys(), ...podCache.keys()])
  return [...all].flatMap((key) => {
    const pod = watched.pods.get(key)
    if (watched.pods.isWaiting(key) || deepEqual(podCache.addressesOf(key), podCache.expected(seenPod(state, pod)))) return []
    applyPodChange(state, key, pod)
    return [{ kind: "pods", key, what: "the index has not the addresses of the pod" }]
  })
}

function auditEndpoints(state: RegistryState): readonly Drift[] {
  return state.services.sorted().flatMap((service) => {
    const key = keyOf({ metadata: service })
    const slices = state.sources.ofService(key)
    if (state.watched.services.isWaiting(key) || slices.some((slice) => state.sources.watched.isWaiting(slice))) return []
    const expected = expectedEndpoints(state, service, slices)
    if (sameSet(state.endpoints.get(service.hostname), [...expected.values()].flat())) return []
    for (const slice of slices) state.handled.add(slice)
    const change = state.endpoints.replace(service.hostname, expected)
    if (change !== undefined) announce(state, service, change)
    return [{ kind: "endpoints", key: service.hostname, what: "the index does not say what the slices do" }]
  })
}

function expectedEndpoints(state: RegistryState, service: Service, slices: readonly string[]): ReadonlyMap<string, readonly Endpoint[]> {
  const { hostname } = service
  const around = state.surroundings(service)
  const bySlice = slices.map((key) => [key, judge(state.sources.get(key)!, around).flatMap(({ endpoint }) => endpoint ?? [])] as const)
  return new Map([
    ...bySlice,
    [externalNameSource(hostname), externalNameEndpoints(state, service)],
    [workloadSource(hostname), workloadsOf(state, service).map(({ endpoint }) => endpoint)],
  ])
}

/** By address and port name; of what stands in two slices either may count. */
function sameSet(found: readonly Endpoint[], expected: readonly Endpoint[]): boolean {
  const byPlace = Map.groupBy(expected, placeOf)
  if (byPlace.size !== found.length) return false
  return found.every((one) => byPlace.get(placeOf(one))?.some((other) => deepEqual(one, other)))
}
