import { pods } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { type Lab, podOf, served, vifKey } from "./lab.ts"

/** When each pod was seen with a VIF, and with an active one: milliseconds since the first was made. */
export interface PodTimes {
  readonly written: readonly number[]
  readonly active: readonly number[]
}

/** Makes pods all at once and watches until each has an active VIF. */
export async function timePods({ client }: Lab, names: readonly string[]): Promise<PodTimes> {
  const stop = new AbortController()
  const { resourceVersion } = await client.list(pods, { namespace: served })
  const events = await client.watch(pods, { namespace: served, resourceVersion, signal: stop.signal })
  const [written, active] = [new Map<string, number>(), new Map<string, number>()]
  const since = systemClock.elapsed()
  const making = Promise.all(names.map((name) => client.create(pods, podOf(name))))
  const wanted = new Set(names)
  for await (const event of events) {
    const { name = "", annotations } = (event.object as { metadata: { name?: string; annotations?: Record<string, string> } }).metadata
    const vif = annotations?.[vifKey]
    if (vif === undefined || !wanted.has(name)) continue
    const now = systemClock.elapsed() - since
    if (!written.has(name)) written.set(name, now)
    if (!active.has(name) && vif.includes('"active": true')) active.set(name, now)
    if (active.size === names.length) break
  }
  stop.abort()
  await making
  return { written: [...written.values()], active: [...active.values()] }
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
