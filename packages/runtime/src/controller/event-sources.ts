import { apiVersionOf, controllerOf, type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { type Log, messageOf, milliseconds, PilothouseError } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"
import type { ChangeHandler } from "../cache/listener.ts"
import type { Change } from "../cache/store.ts"
import type { DynamicInformers } from "./caches/dynamic-informers.ts"
import type { Reader } from "./caches/reader.ts"
import type { Watch } from "./caches/watch.ts"
import type { Controller } from "./controller.ts"

/** Enqueues the keys that a change may concern. `initial` is true for objects that were there at the start; `after` is the delay. */
export type Enqueue = (keys: readonly string[], cause: string, initial: boolean, after?: number) => void

export interface ListenOptions {
  readonly controller: Controller
  readonly informers: Informers
  readonly dynamicInformers?: DynamicInformers
  readonly reader: Reader
  readonly log: Log
  readonly enqueue: Enqueue
  /** Called with the keys of deleted objects. */
  onDeleted(key: string): void
  /** Whether a change of the object itself is the controller's own write; see OwnStatusFilter. */
  readonly isOwnWrite?: (key: string, change: Change, enqueue: () => void) => boolean
}

/** Maps changes in the caches to keys (the object itself, the owner, the controller's watches) and enqueues them, until disposed. */
export function listen({
  controller,
  informers,
  dynamicInformers,
  reader,
  log,
  enqueue,
  onDeleted,
  isOwnWrite,
}: ListenOptions): Disposable {
  const { kind } = controller.for
  const listening = new DisposableStack()
  listening.use(startCacheObservers(controller, informers))
  const own = informers.of(controller.for).addHandler((change, initial) => {
    const key = keyOf(change.object)
    if (change.type === "deleted") onDeleted(key)
    const enqueueOwn = () => {
      if (controller.predicate?.(change, initial) !== false) enqueue([key], `${kind} ${change.type}`, initial)
    }
    if (!isOwnWrite?.(key, change, enqueueOwn)) enqueueOwn()
  })
  listening.use(own)
  for (const owned of controller.owns ?? []) {
    const registered = informers.of(owned).addHandler((change, initial) => {
      const keys = new Set(versionsOf(change).flatMap((object) => ownerKey(object, controller.for)))
      if (keys.size > 0) enqueue([...keys], `${owned.kind} ${change.object.metadata.name} ${change.type}`, initial)
    })
    listening.use(registered)
  }
  for (const watch of controller.watches ?? []) listening.use(informers.of(watch.of).addHandler(handlerOf(watch)))
  for (const source of controller.sources ?? []) listening.use(source.listen((key, reason) => enqueue([key], reason, false)))
  const { dynamicKinds } = controller
  if (dynamicKinds !== undefined && dynamicInformers !== undefined)
    listening.use(dynamicInformers.addHandlers((of) => dynamicKinds.watches(of).map(handlerOf)))
  return listening

  function handlerOf(watch: Watch): ChangeHandler {
    const after = milliseconds(watch.delay ?? 0)
    return (change, initial) => {
      if (watch.predicate?.(change, initial) === false) return
      const keys = new Set(versionsOf(change).flatMap((object) => mapped(watch, object)))
      if (keys.size > 0) enqueue([...keys], watch.reason, initial, after)
    }
  }

  /** A mapping that throws for one version of the object does not lose the keys of the other. */
  function mapped({ map, of, reason }: Watch, object: KubeObject): readonly string[] {
    try {
      const keys = map(object, reader)
      for (const key of keys)
        if (!isKey(key)) throw new PilothouseError("INVALID", `expected keys "namespace/name" or "name", found ${String(key)}`)
      return keys
    } catch (error) {
      const about = { controller: controller.name, object: `${of.kind} ${keyOf(object)}`, reason, error: messageOf(error) }
      log.error("a mapping threw: the keys of this change are not enqueued", about)
      return []
    }
  }
}

function isKey(key: unknown): boolean {
  return typeof key === "string" && /^[^/]+(\/[^/]+)?$/.test(key)
}

/** All are restarted before the first receives a change: several may feed one state. */
function startCacheObservers({ cacheObservers: observers = [] }: Controller, informers: Informers): Disposable {
  const listening = new DisposableStack()
  for (const follower of observers) follower.restart()
  for (const follower of observers) follower.attached?.(informers.of(follower.of))
  for (const follower of observers) listening.use(informers.of(follower.of).addHandler((change) => follower.changed(change)))
  return listening
}

/** The old version may have concerned other keys: they are enqueued, too. */
function versionsOf(change: Change): readonly KubeObject[] {
  return change.type === "updated" ? [change.old, change.object] : [change.object]
}

/** Any version of the owner's kind matches; the same kind name in another group does not. */
function ownerKey(object: KubeObject, owner: Descriptor): readonly string[] {
  const reference = controllerOf(object)
  if (reference === undefined || reference.kind !== owner.kind || groupOf(reference.apiVersion) !== groupOf(apiVersionOf(owner))) return []
  const { namespace } = object.metadata
  return [owner.namespaced && namespace !== undefined ? `${namespace}/${reference.name}` : reference.name]
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : ""
}
