import type { KubeObject } from "@pilothouse/api"
import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { type LogLine, logTo, seededRandom, VirtualClock } from "@pilothouse/seams"
import type { Notice } from "../cache/change.ts"
import { Informer, type InformerOptions } from "../cache/informer.ts"
import { createClient } from "../client/client.ts"
import type { WatcherEvent } from "../watch/watcher-events.ts"
import { ScriptedApi, type ScriptedApiOptions } from "./scripted-api.ts"

/** An informer of ConfigMaps at a scripted server, in virtual time. */
export interface InformerFixture extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly api: ScriptedApi
  readonly informer: Informer<ConfigMap>
  readonly seen: Notice<ConfigMap>[]
  readonly events: WatcherEvent[]
  readonly lines: LogLine[]
  /** Starts the informer, and settles. */
  start(): Promise<void>
  stop(): Promise<void>
}

export type InformerFixtureOptions = Omit<ScriptedApiOptions, "clock"> & Partial<InformerOptions<ConfigMap>> & { readonly seed?: number }

export function informerFixture(options: InformerFixtureOptions = {}): InformerFixture {
  const clock = new VirtualClock()
  const { streams, pagesZero, wire, bookmarks, seed = 1, ...rest } = options
  const api = new ScriptedApi({ clock, streams, pagesZero, wire, bookmarks })
  const lines: LogLine[] = []
  const events: WatcherEvent[] = []
  const seen: Notice<ConfigMap>[] = []
  const log = logTo((line) => lines.push(line))
  const observe = (event: WatcherEvent) => events.push(event)
  const seams = { clock, random: seededRandom(seed), log, client: createClient(api.transport) }
  const informer = new Informer<ConfigMap>({ of: configMaps, ...seams, observe, ...rest })
  informer.addHandler((change, initial) => void seen.push({ change, initial }))
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const stop = async () => {
    stopping.abort()
    await clock.run(running)
  }
  return {
    clock,
    api,
    informer,
    seen,
    events,
    lines,
    stop,
    async start() {
      running = informer.run(stopping.signal)
      await clock.settle()
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** "added a@1": a notice, in short. */
export function short({ change, initial }: Notice<ConfigMap>): string {
  const { name, resourceVersion } = change.object.metadata
  const unknown = change.type === "deleted" && change.finalStateUnknown ? "?" : ""
  return `${initial ? "initially " : ""}${change.type}${unknown} ${name}@${resourceVersion}`
}

/** Returns what is inconsistent in a history of changes, or undefined: each object is added once, updated from its last state, and deleted. */
export function inconsistency(notices: readonly Notice<ConfigMap>[], store: Iterable<ConfigMap>): string | undefined {
  const alive = new Map<string, ConfigMap>()
  for (const notice of notices) {
    const { change } = notice
    const key = keyIn(change.object)
    const before = alive.get(key)
    if (change.type === "added" && before !== undefined) return `${short(notice)}, but it was there`
    if (change.type !== "added" && before === undefined) return `${short(notice)}, but it was not there`
    if (change.type === "updated" && change.old !== before) return `${short(notice)}, but not from the last state`
    if (change.type !== "added" && change.object.metadata.uid !== before?.metadata.uid) return `${short(notice)} is another object`
    if (change.type === "deleted") alive.delete(key)
    else alive.set(key, change.object)
  }
  const stored = new Map([...store].map((object) => [keyIn(object), object]))
  if (stored.size !== alive.size) return `the store has ${stored.size} objects, the handler ${alive.size}`
  for (const [key, object] of stored) if (alive.get(key) !== object) return `${key} differs between store and handler`
  return undefined
}

function keyIn({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`
}
