import { isResourceVersion, type KubeObject, StatusError } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import { hasReached } from "../cache/resource-version.ts"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import { isUnset } from "./after-failure.ts"
import type { OpenWatch } from "./open-watch.ts"
import type { WatchSink } from "./watch-sink.ts"

export interface ReadOptions<T extends KubeObject> {
  readonly name: string
  readonly sink: WatchSink<T>
  /** What to keep of an object; undefined skips it. */
  keep(object: T): T | undefined
  /** Where the watch began. */
  readonly since: string
}

export interface Read {
  /** How far the sink has come. */
  readonly known: string
  /** Why the watch is over, where it was not the server that ended it as agreed. */
  readonly error?: unknown
}

/** Hands on every event of a watch until its end. A failure is a result: what was read before it stays read. */
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

/** Hands one event on, and says how far that brings the sink. */
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
  // A watch from nowhere begins with what is there, in no order: a version out of the middle of that is no place to go on from.
  const unordered = isUnset(known) && event.type === "ADDED"
  return unordered ? known : version
}

/** A server that says something older than what it said before was restored: what it says next is of another history. */
function refuseOlderVersion(name: string, version: string, known: string): void {
  if (isBehind(version, known)) throw new PilothouseError("CONNECTION_LOST", `the watch of ${name} went back from ${known} to ${version}`)
}

/** Whether a server that is at `server` has not come to what it said before. Versions that are no numbers cannot be compared: then it has. */
export function isBehind(server: string, known: string): boolean {
  return isResourceVersion(server) && !hasReached(server, known)
}
