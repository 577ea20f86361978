import type { Clock } from "@pilothouse/seams"

/** Milliseconds of the main thread that one request's work takes before others have their turn. */
const slice = 25
/** Steps between two looks at the clock: each takes microseconds. */
const stepsPerLook = 32

/** Called between two steps of long work: undefined while its slice lasts, else a promise to wait for before the next step. */
export type Pause = () => Promise<void> | undefined

/**
 * Divides work that begins now into slices. In virtual time no time passes while work is done, so it has one slice there.
 * What the work reads must not change meanwhile: frozen objects, and lists of its own.
 */
export function inSlices(clock: Pick<Clock, "elapsed" | "sleep">): Pause {
  let [since, steps] = [clock.elapsed(), 0]
  return () => {
    if (++steps % stepsPerLook !== 0 || clock.elapsed() - since < slice) return undefined
    return clock.sleep(0, { name: "others' turn" }).then(() => {
      since = clock.elapsed()
    })
  }
}

/** What `map` makes of each item, in slices. */
export async function mapInSlices<In, Out>(items: readonly In[], pause: Pause, map: (item: In, index: number) => Out): Promise<Out[]> {
  const made: Out[] = []
  for (const [index, item] of items.entries()) {
    made.push(map(item, index))
    const others = pause()
    if (others !== undefined) await others
  }
  return made
}
