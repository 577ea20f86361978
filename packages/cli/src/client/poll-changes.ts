import { type KubeObject, keyOf } from "@pilothouse/api"
import { stringifyJson } from "@pilothouse/seams"
import { isSelected, type Watched } from "./watch-changes.ts"

/** Milliseconds between two questions. */
const pause = 2000

/** By key. */
export type Polled = ReadonlyMap<string, KubeObject>

export interface Difference {
  /** New, or other than before. */
  readonly changed: readonly KubeObject[]
  /** As they last were. */
  readonly gone: readonly KubeObject[]
}

export async function pollOnce({ client, of, scope }: Watched): Promise<Polled> {
  const { names: _, ...selection } = scope
  const objects = await Array.fromAsync(client.listAll(of, selection))
  return new Map(objects.filter((object) => isSelected(scope, object)).map((object) => [keyOf(object), object]))
}

/** For what cannot be watched, such as metrics: asks again and again, and shows what is other than before, until the signal aborts. */
export async function pollChanges(
  watched: Watched,
  first: Polled,
  show: (difference: Difference) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let before = first
  while (!signal.aborted) {
    await watched.clock.sleep(pause, { signal, name: "what cannot be watched is asked for again" }).catch(() => {})
    if (signal.aborted) return
    const now = await pollOnce(watched)
    const difference = differenceOf(before, now)
    if (difference.changed.length + difference.gone.length > 0) await show(difference)
    before = now
  }
}

function differenceOf(before: Polled, now: Polled): Difference {
  return {
    changed: [...now].filter(([key, object]) => substance(before.get(key)) !== substance(object)).map(([, object]) => object),
    gone: [...before].filter(([key]) => !now.has(key)).map(([, object]) => object),
  }
}

/** Metrics are made when they are asked for: when, and over which time, is other in every answer. */
function substance(object: (KubeObject & { readonly timestamp?: unknown; readonly window?: unknown }) | undefined): string | undefined {
  if (object === undefined) return undefined
  const { timestamp: _, window: __, metadata, ...rest } = object
  const { creationTimestamp: ___, ...known } = metadata
  return stringifyJson([known, rest])
}
