import { type Descriptor, isGone, type KubeObject, keyOf, StatusError } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"

export interface WatchScope {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only these; all, when there are none. */
  readonly names: readonly string[]
}

export interface Watched {
  readonly client: Client
  readonly of: Descriptor
  readonly scope: WatchScope
  readonly clock: Pick<Clock, "sleep">
}

/** Called with every object that is new, changed or deleted; of one that was deleted unseen only the name is known. */
export type OnChange = (object: KubeObject) => Promise<void>

/** What is there: names and versions, by key, and the version to watch from. */
export interface Seen {
  readonly at: string
  readonly objects: Map<string, KubeObject>
}

/** Milliseconds before a watch that has ended is opened again: a server that ends each at once is not asked without end. */
const pause = 1000

export function isSelected({ names }: WatchScope, { metadata }: KubeObject): boolean {
  return names.length === 0 || names.includes(metadata.name ?? "")
}

/**
 * Tells every change since `from`, until the signal aborts. A watch that the server ends goes on where it was; where the server has forgotten what
 * came then, what is there is compared with what was.
 */
export async function watchChanges(watched: Watched, from: Seen, notify: OnChange, signal: AbortSignal): Promise<void> {
  let seen = from
  while (!signal.aborted) {
    const at = await watchOnce(watched, seen, notify, signal)
    seen = at === undefined ? await notifyDifference(watched, seen, notify) : { ...seen, at }
    await watched.clock.sleep(pause, { signal, name: "the watch is opened again" }).catch(() => {})
  }
}

export async function seeAll({ client, of, scope }: Watched): Promise<Seen> {
  const { names: _, ...selection } = scope
  const keep = (object: KubeObject) => (isSelected(scope, object) ? nameAndVersion(object) : undefined)
  const { items, resourceVersion } = await client.list(of, { ...selection, metadataOnly: true, skipManagedFields: true, keep })
  return { at: resourceVersion, objects: new Map(items.map((object) => [keyOf(object), object])) }
}

/** There may be very many. */
function nameAndVersion({ apiVersion, kind, metadata: { name, namespace, resourceVersion } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, resourceVersion } }
}

async function notifyDifference({ client, of, scope }: Watched, before: Seen, notify: OnChange): Promise<Seen> {
  const { names: _, ...selection } = scope
  const { items, resourceVersion: at } = await client.list(of, selection)
  const objects = new Map<string, KubeObject>()
  for (const object of items.filter((item) => isSelected(scope, item))) {
    const key = keyOf(object)
    objects.set(key, nameAndVersion(object))
    if (before.objects.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion) await notify(object)
  }
  for (const [key, object] of before.objects) if (!objects.has(key)) await notify(object)
  return { at, objects }
}

/** Where the watch ended; undefined where the server has forgotten what came after that. */
async function watchOnce(
  { client, of, scope }: Watched,
  { at: resourceVersion, objects }: Seen,
  notify: OnChange,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { names: _, ...selection } = scope
  let at = resourceVersion
  try {
    const events = await client.watch(of, { ...selection, resourceVersion, allowWatchBookmarks: true, signal })
    for await (const event of events) {
      if (event.type === "ERROR") throw new StatusError(event.object)
      at = event.object.metadata.resourceVersion ?? at
      if (event.type === "BOOKMARK" || !isSelected(scope, event.object)) continue
      if (event.type === "DELETED") objects.delete(keyOf(event.object))
      else objects.set(keyOf(event.object), nameAndVersion(event.object))
      await notify(event.object)
    }
    return at
  } catch (error) {
    if (signal.aborted) return at
    if (isGone(error)) return undefined
    throw error
  }
}
