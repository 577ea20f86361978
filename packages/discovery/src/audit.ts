import { deepEqual, type KubeObject, keyOf } from "@pilothouse/api"
import { type Duration, messageOf, milliseconds } from "@pilothouse/seams"
import { judge } from "./kube/convert/judge.ts"
import { hostnameOf } from "./kube/convert/names.ts"
import { convertService } from "./kube/convert/service.ts"
import { announce } from "./kube/handlers/announce.ts"
import { externalNameEndpoints, externalNameSource } from "./kube/handlers/external-name.ts"
import { applyPodChange, seenPod } from "./kube/handlers/pod.ts"
import { removeService } from "./kube/handlers/service.ts"
import { workloadSource, workloadsOf } from "./kube/handlers/workload.ts"
import { placeOf } from "./kube/index/endpoint-lists.ts"
import type { MultiNamespaceInformer } from "./kube/informer/multi-namespace-informer.ts"
import type { KubeRegistry } from "./kube/kube-registry.ts"
import type { RegistryState } from "./kube/state/state.ts"
import type { Endpoint } from "./model/endpoint.ts"
import type { Service } from "./model/service.ts"

/** One difference that was found. */
export interface Drift {
  /** "Pods", "endpoints": whose. */
  readonly kind: string
  readonly key: string
  readonly what: string
}

/** How often a registry's index is compared with its cluster. */
export interface AuditOptions {
  /** By default 5 min. */
  readonly every?: Duration
  /** Between two reads of the server; what differs in both was missed, and is not just on its way. By default 10 s. */
  readonly confirmAfter?: Duration
}

/**
 * Compares, until the signal ends it, the caches with the server and the index with the caches; counts and repairs what differs.
 * A watch that silently lost an event is what leaves a dead endpoint in use for hours: nothing else would notice.
 */
export async function runAudit(registry: KubeRegistry, options: AuditOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = registry.state.options
  for (;;) {
    await clock.sleep(milliseconds(options.every ?? "5m"), { signal, name: "the registry's next audit" }).catch(() => {})
    if (signal.aborted) return
    try {
      await audit(registry, options, signal)
    } catch (error) {
      if (!signal.aborted)
        log.warn("the audit of the registry failed; the next one may not", { cluster: registry.cluster, error: messageOf(error) })
    }
  }
}

/** One comparison. */
export async function audit(
  registry: KubeRegistry,
  { confirmAfter = "10s" }: AuditOptions,
  signal: AbortSignal,
): Promise<readonly Drift[]> {
  const { state } = registry
  const { clock, log } = state.options
  const kinds = [...Object.values(state.watched), state.sources.watched] as unknown as readonly MultiNamespaceInformer<KubeObject>[]
  const first = await Promise.all(kinds.map((kind) => differences(registry, kind, signal)))
  if (first.some(({ size }) => size > 0)) await clock.sleep(milliseconds(confirmAfter), { signal, name: "the audit's confirmation" })
  const found: Drift[] = []
  for (const [at, kind] of kinds.entries()) found.push(...(await repairKind(registry, kind, { before: first[at]!, signal })))
  found.push(...auditIndex(state))
  state.metrics.audited()
  state.metrics.stuck(registry.stuck.length)
  for (const { kind } of found) state.metrics.drift(kind, 1)
  if (found.length > 0)
    log.warn(`the registry had drifted in ${found.length} places and was repaired`, { cluster: registry.cluster, first: found[0] })
  return found
}

interface Seen {
  readonly before: ReadonlyMap<string, string>
  readonly signal: AbortSignal
}

/** What differed twice in the same way was missed by the watch: the cache asks for everything again. */
async function repairKind(
  registry: KubeRegistry,
  kind: MultiNamespaceInformer<KubeObject>,
  { before, signal }: Seen,
): Promise<readonly Drift[]> {
  if (before.size === 0) return []
  const now = await differences(registry, kind, signal)
  const missed = [...now].filter(([key, what]) => before.get(key) === what)
  if (missed.length > 0) for (const informer of kind.informers.values()) informer.relist()
  return missed.map(([key, what]) => ({ kind: kind.of.kind, key, what }))
}

/** What the server and the cache say differently, by key. */
async function differences(
  registry: KubeRegistry,
  kind: MultiNamespaceInformer<KubeObject>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const { client } = registry.state.options
  const found = new Map<string, string>()
  for (const [namespace, { store }] of kind.informers) {
    const listed = new Set<string>()
    for (let page = ""; ; ) {
      const scope = { namespace: namespace || undefined, fieldSelector: kind.fieldSelector, metadataOnly: true, signal }
      const list = await client.list(kind.of, { ...scope, limit: 500, ...(page === "" ? {} : { continue: page }) })
      for (const { metadata } of list.items) {
        const key = metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? "")
        listed.add(key)
        const cached = store.get(key)?.metadata.resourceVersion
        if (cached !== metadata.resourceVersion)
          found.set(key, `the server has version ${metadata.resourceVersion}, the cache ${cached ?? "nothing"}`)
      }
      page = list.continue ?? ""
      if (page === "") break
    }
    for (const key of store.keys()) if (!listed.has(key)) found.set(key, "it is in the cache and not on the server")
  }
  return found
}

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
