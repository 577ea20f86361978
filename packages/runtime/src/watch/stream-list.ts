import { type KubeObject, keyOf, StatusError } from "@pilothouse/api"
import { type Clock, type Log, PilothouseError } from "@pilothouse/seams"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import type { OpenWatch } from "./open-watch.ts"

const initialEventsEnd = "k8s.io/initial-events-end"

/** Milliseconds without an event after which a warning is logged. */
const warnAfter = 10_000

export interface StreamListOptions<T extends KubeObject> {
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  /** Transforms an object; undefined skips it. */
  keep(object: T): T | undefined
}

export interface Streamed<T extends KubeObject> {
  readonly objects: readonly T[]
  readonly resourceVersion: string
}

/**
 * Reads a stream up to the bookmark that completes the initial state. Changes in between are applied,
 * so that the sink receives one complete state and never a part of one.
 */
export async function streamList<T extends KubeObject>(open: OpenWatch<T>, options: StreamListOptions<T>): Promise<Streamed<T>> {
  const objects = new Map<string, T>()
  using idle = warnWhenIdle(options)
  for (let event = await open.next(); event !== undefined; event = open.buffered() ?? (await open.next())) {
    idle.heard()
    if (event.type === "ERROR") throw new StatusError(event.object)
    if (event.type !== "BOOKMARK") applyEvent(objects, event, options)
    else if (event.object.metadata.annotations?.[initialEventsEnd] === "true") {
      return { objects: [...objects.values()], resourceVersion: event.object.metadata.resourceVersion ?? "" }
    }
  }
  throw new PilothouseError("CONNECTION_LOST", `the watch of ${options.name} ended before its initial state was complete`)
}

function applyEvent<T extends KubeObject>(
  objects: Map<string, T>,
  event: WatchEvent<T> & { type: "ADDED" | "MODIFIED" | "DELETED" },
  { keep }: StreamListOptions<T>,
): void {
  const object = keep(event.object)
  if (object === undefined) return
  if (event.type === "DELETED") objects.delete(keyOf(object))
  else objects.set(keyOf(object), object)
}

function warnWhenIdle({ clock, log, name }: Pick<StreamListOptions<KubeObject>, "clock" | "log" | "name">): Disposable & { heard(): void } {
  let last = clock.elapsed()
  const arm = (): Disposable =>
    clock.timer(warnAfter, `${name}: initial state check`, () => {
      const silent = clock.elapsed() - last
      if (silent >= warnAfter)
        log.warn(`nothing was received for ${silent} ms while the initial state of ${name} is streamed`, { resource: name })
      timer = arm()
    })
  let timer = arm()
  return {
    heard() {
      last = clock.elapsed()
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}
