import { deepFreeze, expired, type KubeObject } from "@pilothouse/api"
import { type Frame, onAbort, type TransportResponse, valueBody } from "@pilothouse/seams"
import { headersOf, inForm } from "../answer.ts"
import type { Call } from "../call.ts"
import { type ListOptions, listOptionsOf } from "../list-options.ts"
import { listPrefix } from "../objects/key.ts"
import { type Selection, selectionOf } from "../selection.ts"
import type { Change, Revision } from "../storage/storage.ts"
import { waitForRevision } from "../wait-for-revision.ts"
import { WatchStream } from "../watch-stream.ts"
import { startTimers } from "../watch-timers.ts"

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"

export async function watch(call: Call): Promise<TransportResponse> {
  const options = listOptionsOf(call.query, true)
  const selection = selectionOf(call)
  if (options.sendInitialEvents) await waitForRevision(call, options.resourceVersion ?? 0)
  // No await from here on: the snapshot and the place where live events begin are one instant.
  const { storage } = call.server
  const since = options.sendInitialEvents ? storage.revision : (options.resourceVersion ?? storage.revision)
  const frames = since < storage.compacted ? tooOld(since, storage.compacted) : openStream(call, options, selection, since)
  const shown = call.wanted.form === "Table" ? columnsOnce(frames) : frames
  return { status: 200, headers: headersOf(call), body: { type: "stream", frames: shown } }
}

/** Not an HTTP error: the stream begins, and says at once that it cannot go on. */
async function* tooOld(since: Revision, compacted: Revision): AsyncGenerator<Frame> {
  yield valueBody({ type: "ERROR", object: expired(`too old resource version: ${since} (${compacted})`).status })
}

function openStream(call: Call, options: ListOptions, selection: Selection, since: Revision): WatchStream {
  const { server } = call
  const event = eventMaker(call)
  // What throws on the way, or ends the stream before all is there (a signal that has aborted calls at once), leaves nothing registered.
  using opening = new DisposableStack()
  let held: Disposable | undefined
  server.openWatches.add(1)
  opening.defer(() => server.openWatches.add(-1))
  const past: Frame[] = []
  const beginning = options.sendInitialEvents ? initialEvents(call, options, selection, event) : past
  const stream = new WatchStream(beginning, server.watchBuffer, () => held?.[Symbol.dispose]())
  const push = (frame: Frame) => {
    if (!stream.push(frame)) cut(call, stream)
  }
  const toFrame = (change: Change) => orEnd(stream, () => frameOf(call, change, selection, event))
  opening.use(follow(call, since, { toFrame, past, push }))
  opening.use(onAbort(call.signal, () => stream.cut()))
  opening.use(onAbort(server.closing, () => stream.end()))
  const bookmark = () => push(event("BOOKMARK", bookmarkOf(call, server.storage.revision)))
  opening.use(startTimers(server, options, { bookmark, end: () => stream.end() }))
  if (!stream.ended) held = opening.move()
  return stream
}

/** What cannot be shown ends the stream: its client comes back and is told why. Left open, it would be silent until its time is over. */
function orEnd<T>(stream: WatchStream, work: () => T): T {
  try {
    return work()
  } catch (error) {
    stream.end()
    throw error
  }
}

interface Follower {
  toFrame(change: Change): Frame | undefined
  /** Takes what came before the call. No reader is too slow for that: none can have read it yet, and it is held anyway, by the store. */
  readonly past: Frame[]
  /** Takes what comes after it. */
  push(frame: Frame): void
}

function follow({ server, resource, namespace }: Call, since: Revision, { toFrame, past, push }: Follower): Disposable {
  let live = false
  const watching = server.storage.watch(listPrefix(resource, namespace), since, (change) => {
    const frame = toFrame(change)
    if (frame === undefined) return
    if (live) push(frame)
    else past.push(frame)
  })
  live = true
  return watching
}

type MakeEvent = (type: EventType, object: KubeObject) => Frame

function eventMaker(call: Call): MakeEvent {
  return (type, object) => valueBody({ type, object: inForm(call, object) })
}

/** Of Tables only the first that is read has the columns; which that is shows when it is read, not when it is made. */
async function* columnsOnce(frames: AsyncIterable<Frame>): AsyncGenerator<Frame> {
  let first = true
  for await (const frame of frames) {
    yield first ? frame : withoutColumns(frame)
    first = false
  }
}

function withoutColumns(frame: Frame): Frame {
  const event = frame.type === "value" ? (frame.value as { type: string; object: object }) : undefined
  if (event === undefined || !("columnDefinitions" in event.object)) return frame
  return valueBody({ ...event, object: { ...event.object, columnDefinitions: null } })
}

/** What there is now, and the mark behind it. The list is read here; its events are made as they are read. */
function initialEvents(call: Call, options: ListOptions, selection: Selection, event: MakeEvent): Iterable<Frame> {
  const { decode } = call.resource.stored
  const { items, revision } = call.server.storage.list(listPrefix(call.resource, call.namespace))
  const objects = items.map(({ value }) => decode(value)).filter((object) => selection.matches(object))
  return (function* () {
    for (const object of objects) yield event("ADDED", object)
    if (options.allowWatchBookmarks) yield event("BOOKMARK", bookmarkOf(call, revision, { "k8s.io/initial-events-end": "true" }))
  })()
}

/** What a watcher with this selection sees of a change: an object that stops matching is gone for it, one that starts is new. */
function frameOf(call: Call, { type, value, previous }: Change, selection: Selection, event: MakeEvent): Frame | undefined {
  const { decode } = call.resource.stored
  const now = type === "put" ? decode(value) : undefined
  const matchesNow = now !== undefined && selection.matches(now)
  const matchedBefore = previous !== undefined && (selection.all || selection.matches(decode(previous.value)))
  if (matchesNow) return event(matchedBefore ? "MODIFIED" : "ADDED", now)
  if (!matchedBefore) return undefined
  // The state that matched, at the revision at which it ended.
  const last = type === "delete" ? decode(value) : atVersion(decode(previous.value), value.metadata.resourceVersion)
  return event("DELETED", last)
}

function atVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion } })
}

function bookmarkOf({ resource }: Call, revision: Revision, annotations?: Readonly<Record<string, string>>): KubeObject {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) }
  return { kind: resource.descriptor.kind, apiVersion: resource.apiVersion, metadata }
}

function cut({ server, resource }: Call, stream: WatchStream): void {
  const { group, plural } = resource.descriptor
  server.log.warn("a watch was ended because its reader is too slow", { group, resource: plural, waiting: server.watchBuffer })
  server.metrics.watchersCut.add(1, { group, resource: plural })
  stream.cut()
}
