import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { type Lab, podOf, served, vifKey } from "./lab.ts"

/** When each pod was seen with a VIF, and with an active one: milliseconds since the first was made. */
export interface PodTimes {
  readonly written: readonly number[]
  readonly active: readonly number[]
}

/** Where it can be seen what a pod was given: an object of the pod's name. */
export interface Watched<T extends KubeObject> {
  readonly of: Descriptor<T>
  vifOf(object: T): { readonly active: boolean } | undefined
}

/** What we write, and what kuryr wrote before it had resources of its own. */
const onPods: Watched<Pod> = {
  of: pods,
  vifOf({ metadata }) {
    const vif = metadata.annotations?.[vifKey]
    return vif === undefined ? undefined : { active: vif.includes('"active": true') }
  },
}

/** Makes pods all at once and watches until each has an active VIF. */
export async function timePods<T extends KubeObject = Pod>(
  { client }: Lab,
  names: readonly string[],
  watched: Watched<T> = onPods as unknown as Watched<T>,
): Promise<PodTimes> {
  const stop = new AbortController()
  const { resourceVersion } = await client.list(watched.of, { namespace: served })
  const events = await client.watch(watched.of, { namespace: served, resourceVersion, signal: stop.signal })
  const [written, active] = [new Map<string, number>(), new Map<string, number>()]
  const since = systemClock.elapsed()
  const making = Promise.all(names.map((name) => client.create(pods, podOf(name))))
  const wanted = new Set(names)
  using _limit = systemClock.timer(600_000, "pods that never become active", () => stop.abort())
  for await (const event of events) {
    const object = event.object as T
    const name = object.metadata.name ?? ""
    const vif = wanted.has(name) ? watched.vifOf(object) : undefined
    if (vif === undefined) continue
    const now = systemClock.elapsed() - since
    if (!written.has(name)) written.set(name, now)
    if (!active.has(name) && vif.active) active.set(name, now)
    if (active.size === names.length) break
  }
  stop.abort()
  await making
  if (active.size < names.length) throw new Error(`expected ${names.length} active pods within 10 minutes, found ${active.size}`)
  return { written: [...written.values()], active: [...active.values()] }
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
