import { isResourceVersion, type KubeObject, StatusError } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import { isUnset } from "./after-failure.ts"
import type { OpenWatch } from "./open-watch.ts"
import { hasReached } from "./resource-version.ts"
import type { WatchSink } from "./watch-sink.ts"

export interface ReadOptions<T extends KubeObject> {
  readonly name: string
  readonly sink: WatchSink<T>
  /** Transforms an object; undefined skips it. */
  keep(object: T): T | undefined
  /** The resourceVersion at which the watch began. */
  readonly since: string
}

/** How reading a watch ended. */
export interface Read {
  /** The resourceVersion of the sink. */
  readonly known: string
  /** Why the watch ended, where it was not the agreed end. */
  readonly error?: unknown
}

/** Passes every event of a watch to the sink until its end. A failure is a result: events before it are applied. */
export async function readWatch<T extends KubeObject>(open: OpenWatch<T>, options: ReadOptions<T>): Promise<Read> {
  let known = options.since
  try {
    for (let event = await open.next(); event !== undefined; event = open.buffered() ?? (await open.next())) {
      known = apply(event, known, options)
      const room = options.sink.room?.()
      if (room !== undefined) await open.pauseWhile(room)
    }
    return { known }
  } catch (error) {
    return { known, error }
  }
}

/** Passes one event to the sink and returns the resourceVersion after it. */
function apply<T extends KubeObject>(event: WatchEvent<T>, known: string, { name, sink, keep }: ReadOptions<T>): string {
  if (event.type === "ERROR") throw new StatusError(event.object)
  const version = event.object?.metadata?.resourceVersion ?? known
  if (event.type === "BOOKMARK") {
    refuseOlderVersion(name, version, known)
    sink.reached(version)
    return version
  }
  const object = keep(event.object)
  if (object === undefined) return known
  refuseOlderVersion(name, version, known)
  if (event.type === "DELETED") sink.remove(object, version)
  else sink.upsert(object, version)
  // A watch from an unset version begins with present objects in no order: their versions cannot be resumed from.
  const unordered = isUnset(known) && event.type === "ADDED"
  return unordered ? known : version
}

/** A server that sends an older version than before was restored and has another history. */
function refuseOlderVersion(name: string, version: string, known: string): void {
  if (isBehind(version, known)) throw new PilothouseError("CONNECTION_LOST", `the watch of ${name} went back from ${known} to ${version}`)
}

/** Reports whether a server at `server` is behind a version that it sent before. False for versions that are not numbers. */
export function isBehind(server: string, known: string): boolean {
  return isResourceVersion(server) && !hasReached(server, known)
}
