import type { KubeObject } from "@pilothouse/api"
import { type Duration, messageOf, milliseconds } from "@pilothouse/seams"
import { auditIndex } from "./audit-index.ts"
import type { MultiNamespaceInformer } from "./kube/informer/multi-namespace-informer.ts"
import type { KubeRegistry } from "./kube/kube-registry.ts"

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
