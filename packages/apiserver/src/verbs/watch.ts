import { deepFreeze, expired, internalError, type KubeObject, StatusError } from "@pilothouse/api"
import { type Frame, messageOf, onAbort, type TransportResponse, valueBody } from "@pilothouse/seams"
import { copyManagedFields } from "../managedfields/object-managed-fields.ts"
import { listPrefix } from "../registry/object-key.ts"
import { type ListOptions, listOptionsOf } from "../request/list-options.ts"
import type { ResourceConversion } from "../resources/resource.ts"
import { headersOf, inForm } from "../response/response.ts"
import type { Call } from "../server/call.ts"
import type { Change, Revision } from "../storage/storage.ts"
import { ConvertedChanges } from "../watch/converted-changes.ts"
import { waitForRevision } from "../watch/wait-for-revision.ts"
import { WatchStream } from "../watch/watch-stream.ts"
import { startTimers } from "../watch/watch-timers.ts"
import { type Selection, selectionOf } from "./selection.ts"

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"

/** Opens a watch: initial events where they are requested, then every later change that the selectors match. */
export async function watch(call: Call): Promise<TransportResponse> {
  const options = listOptionsOf(call.query, true)
  const selection = selectionOf(call)
  if (options.sendInitialEvents) await waitForRevision(call, options.resourceVersion ?? 0)
  // A thousand clients that reconnect after a break request a thousand events each.
  const others = call.server.turns.whenFree(call.signal)
  if (others !== undefined) await others
  // No await from here on: the snapshot and the place where live events begin are one instant.
  const { storage } = call.server
  const since = options.sendInitialEvents ? storage.revision : (options.resourceVersion ?? storage.revision)
  const frames = since < storage.compacted ? tooOld(since, storage.compacted) : openStream(call, options, selection, since)
  const shown = call.wanted.form === "Table" ? columnsOnce(frames) : frames
  return { status: 200, headers: headersOf(call), body: { type: "stream", frames: shown, endsAnywhere: true } }
}

/** Not an HTTP error: the stream begins, and says at once that it cannot go on. */
async function* tooOld(since: Revision, compacted: Revision): AsyncGenerator<Frame> {
  yield valueBody({ type: "ERROR", object: expired(`too old resource version: ${since} (${compacted})`).status })
}

function openStream(call: Call, options: ListOptions, selection: Selection, since: Revision): WatchStream {
  const { server } = call
  const event = eventMaker(call)
  // What throws on the way, or ends the stream before all is there (a signal that has aborted calls at once), leaves nothing registered.
  using whileOpen = new DisposableStack()
  // An ended stream may still have events that its reader has not read: they are dropped when their history is compacted, or with the reader.
  using whileWaiting = new DisposableStack()
  let [open, waiting]: (Disposable | undefined)[] = []
  server.openWatches.add(1)
  whileOpen.defer(() => server.openWatches.add(-1))
  const initial = options.sendInitialEvents ? initialEvents(call, options, selection, { event, fail: () => stream.forget() }) : []
  const [onEnd, onDone] = [() => open?.[Symbol.dispose](), () => waiting?.[Symbol.dispose]()]
  const stream: WatchStream = new WatchStream({ initial, limit: server.watchBuffer, onEnd, onDone })
  const push = (frame: Frame, revision: Revision) => {
    if (!stream.push({ frame, revision })) cut(call, stream)
  }
  const toFrame = (change: Change) => orEnd(stream, () => frameOf(call, change, selection, event))
  const inOrder = orderOf(call, stream)
  whileWaiting.use(follow(call, since, { toFrame, push, stream, inOrder }))
  whileWaiting.use(onAbort(call.signal, () => stream.forget()))
  whileOpen.use(onAbort(server.closing, () => stream.end()))
  whileOpen.use(onAbort(call.resource.closing, () => stream.end()))
  const bookmark = () => {
    const { revision } = server.storage
    inOrder(undefined, false, () => push(event("BOOKMARK", bookmarkOf(call, revision)), revision))
  }
  whileOpen.use(startTimers(server, options, { bookmark, end: () => stream.end() }))
  if (!stream.ended) open = whileOpen.move()
  if (!stream.done) waiting = whileWaiting.move()
  return stream
}

/** A change that cannot be encoded ends the stream: its client watches again and gets the reason. Left open, it would be silent until its timeout. */
function orEnd<T>(stream: WatchStream, work: () => T): T {
  try {
    return work()
  } catch (error) {
    stream.end()
    throw error
  }
}

/** Runs a step of a watch when the objects of its change are at hand, behind the steps before it. */
type InOrder = (change: Change | undefined, isReplay: boolean, step: () => void) => void

/** At once, but where a webhook converts the objects: a watcher whose objects cannot be converted gets the reason, and ends. */
function orderOf(call: Call, stream: WatchStream): InOrder {
  const { resource, server } = call
  if (resource.conversion === undefined) return (_change, _isReplay, step) => step()
  const changes = new ConvertedChanges({
    conversion: resource.conversion,
    limit: server.watchBuffer,
    onOverflow: () => cut(call, stream),
    onFailure: (error) => stream.fail({ frame: errorEvent(error), revision: server.storage.revision }),
  })
  return (change, isReplay, step) => changes.add(change, step, isReplay)
}

function errorEvent(error: unknown): Frame {
  const { status } = error instanceof StatusError ? error : internalError(messageOf(error))
  return valueBody({ type: "ERROR", object: status })
}

interface Follower {
  readonly stream: WatchStream
  readonly inOrder: InOrder
  toFrame(change: Change): Frame | undefined
  /** Takes what comes after the call. */
  push(frame: Frame, revision: Revision): void
}

function follow(call: Call, since: Revision, { stream, inOrder, toFrame, push }: Follower): Disposable {
  let live = false
  const take = (change: Change) => {
    const isLive = live
    inOrder(change, !isLive, () => {
      if (stream.ended) return
      const { revision } = change
      const frame = toFrame(change)
      if (frame === undefined) return
      if (isLive) push(frame, revision)
      else stream.replay({ frame, revision })
    })
  }
  const watching = call.server.storage.watch(listPrefix(call.resource, call.namespace), since, take, (compacted) => {
    if ((stream.oldest ?? Number.POSITIVE_INFINITY) <= compacted) outrun(call, stream)
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

interface InitialOptions {
  readonly event: MakeEvent
  /** Ends the watch behind the reason that is its first event. */
  fail(): void
}

/** What there is now, and the mark behind it. The list is read here; its events are made as they are read. */
function initialEvents(
  call: Call,
  options: ListOptions,
  selection: Selection,
  { event, fail }: InitialOptions,
): Iterable<Frame> | AsyncIterable<Frame> {
  const { stored, conversion } = call.resource
  const { items, revision } = call.server.storage.list(listPrefix(call.resource, call.namespace))
  const events = function* (all: readonly KubeObject[]) {
    for (const object of all) if (selection.matches(object)) yield event("ADDED", object)
    if (options.allowWatchBookmarks) yield event("BOOKMARK", bookmarkOf(call, revision, { "k8s.io/initial-events-end": "true" }))
  }
  const values = items.map(({ value }) => value)
  return conversion === undefined
    ? events(values.map((value) => stored.decode(value)))
    : convertedEvents(conversion, values, { events, fail })
}

/** What cannot be converted ends the watch, with the reason. */
async function* convertedEvents(
  conversion: ResourceConversion,
  values: readonly KubeObject[],
  { events, fail }: { events(objects: readonly KubeObject[]): Iterable<Frame>; fail(): void },
): AsyncGenerator<Frame> {
  const objects = await conversion.decodeOnce(values).catch((error: unknown) => errorEvent(error))
  if (!("type" in objects)) return yield* events(objects)
  fail()
  yield objects
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
  return deepFreeze(copyManagedFields(object, { ...object, metadata: { ...object.metadata, resourceVersion } }))
}

function bookmarkOf({ resource }: Call, revision: Revision, annotations?: Readonly<Record<string, string>>): KubeObject {
  const metadata = { resourceVersion: String(revision), ...(annotations && { annotations }) }
  return { kind: resource.descriptor.kind, apiVersion: resource.apiVersion, metadata }
}

function cut(call: Call, stream: WatchStream): void {
  stream.cut()
  reportCut(call, `${call.server.watchBuffer} events wait for it`)
}

/** Buffered events are older than the history: the store has dropped them, and slow readers must not keep them in memory. */
function outrun(call: Call, stream: WatchStream): void {
  const had = stream.ended
  stream.forget()
  // A stream that had ended is complete, and one that was cut is reported already.
  if (!had) reportCut(call, "what waits for it is older than the history that is kept")
}

function reportCut({ server, resource }: Call, reason: string): void {
  const { group, plural } = resource.descriptor
  server.log.warn("a watch was ended because its reader is too slow", { group, resource: plural, reason })
  server.metrics.watchersCut.add(1, { group, resource: plural })
}
