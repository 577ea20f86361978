import { expired, gone, internalError, serviceUnavailable, timeout, tooManyRequests } from "@pilothouse/api"
import type { ConfigMap } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type InformerFixture, inconsistency, informerFixture, short } from "../testing/informer-fixture.ts"
import type { RequestFault, RequestKind } from "../testing/scripted-api.ts"
import type { Notice } from "./change.ts"
import type { Subscription } from "./subscription.ts"

/*
 * Random writes, faults, pauses and readers against a scripted server. Whatever happened, once it is over the store has what the server has,
 * and every handler and every reader received a history that leads to it. fast-check prints the seed of a run that fails.
 */

type Command =
  | { readonly do: "put" | "remove"; readonly name: string }
  | { readonly do: "fault"; readonly kind: RequestKind | "any"; readonly fault: RequestFault }
  | { readonly do: "advance"; readonly milliseconds: number }
  | { readonly do: "compact" | "break" | "end" | "elsewhere" | "bookmark" | "handler" | "unhandle" }
  /** The connection is lost, and the next one fails too. */
  | { readonly do: "reconnect"; readonly faults: readonly RequestFault[]; readonly milliseconds: number }
  /** `written`: how many of the lost writes are repeated with other contents before the watcher sees it. */
  | { readonly do: "restore"; readonly back: number; readonly written: number; readonly how: "break" | "end" }
  | { readonly do: "subscribe"; readonly whenFull: "end" | "wait" }
  | { readonly do: "read"; readonly count: number }

const refusals = [expired("old"), gone("old"), internalError("oh"), serviceUnavailable("busy"), timeout("slow"), tooManyRequests("busy", 2)]
const after = fc.nat({ max: 4 })
const fault: fc.Arbitrary<RequestFault> = fc.oneof(
  fc.record({ do: fc.constant("cut"), after, inLine: fc.boolean() }),
  fc.record({ do: fc.constant("silence"), after }),
  fc.record({ do: fc.constantFrom("refuse", "error-event"), error: fc.constantFrom(...refusals) }),
  fc.constantFrom<RequestFault>({ do: "lose" }, { do: "hang" }, { do: "delay", milliseconds: 700 }),
)
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("put", "put", "remove"), name: fc.constantFrom("a", "b", "c", "d") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fault"), kind: fc.constantFrom("list", "watch", "stream", "any"), fault }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("advance"), milliseconds: fc.constantFrom(0, 0, 10, 1500, 20_000, 100_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("compact", "break", "end", "elsewhere", "bookmark", "handler", "unhandle") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("reconnect"),
      faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
      milliseconds: fc.constantFrom(1500, 4000, 20_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("restore"),
      back: fc.integer({ min: 1, max: 5 }),
      written: fc.nat({ max: 4 }),
      how: fc.constantFrom("break", "end"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("subscribe"), whenFull: fc.constantFrom("end", "wait") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read"), count: fc.integer({ min: 1, max: 6 }) }) },
)

/** A reader that reads on demand. */
interface Reader {
  readonly notices: Notice<ConfigMap>[]
  readonly subscription: Subscription<ConfigMap>
  readonly reading: AsyncIterator<Notice<ConfigMap>>
}

interface Run {
  readonly fixture: InformerFixture
  readonly histories: Notice<ConfigMap>[][]
  readonly registrations: Disposable[]
  readonly readers: Reader[]
}

async function read(reader: Reader, count: number): Promise<void> {
  for (let at = 0; at < count && reader.subscription.waiting > 0; at++) {
    const next = await reader.reading.next()
    if (next.done !== true) reader.notices.push(next.value)
  }
}

async function play(run: Run, one: Command): Promise<void> {
  const { api, clock } = run.fixture
  switch (one.do) {
    case "put":
      return void api.put(one.name, `at ${api.revision}`)
    case "remove":
      return api.remove(one.name)
    case "fault":
      return api.next(one.kind, one.fault)
    case "advance":
      return clock.advance(one.milliseconds)
    case "compact":
      return api.compact()
    case "break":
      return api.breakAll()
    case "end":
      return api.endAll()
    case "elsewhere":
      return api.elsewhere()
    case "bookmark":
      return api.bookmark()
    case "reconnect":
      api.next("any", ...one.faults)
      api.breakAll()
      return clock.advance(one.milliseconds)
    case "restore":
      api.faults.splice(0)
      await restore(run, one)
      await drain(run)
      return clock.advance("5m")
    default:
      return playAudience(run, one)
  }
}

/** Never up to what was known: a server that was restored and has passed that version meanwhile cannot be distinguished from one that was not. */
async function restore(run: Run, { back, written, how }: Command & { do: "restore" }): Promise<void> {
  const { api, informer } = run.fixture
  // What is under way of the old history is in first, so that it is clear what is known.
  await drain(run)
  const [known, to] = [Number(informer.store.resourceVersion), Math.max(1, api.revision - back)]
  api.restore(to, how)
  for (let count = 0; count < Math.min(written, known - to - 1); count++) api.put(count % 2 === 0 ? "a" : "b", `again ${count}`)
}

async function playAudience({ fixture: { informer }, histories, registrations, readers }: Run, one: Command): Promise<void> {
  switch (one.do) {
    case "handler": {
      const history: Notice<ConfigMap>[] = []
      histories.push(history)
      return void informer.addHandler((change, initial) => history.push({ change, initial }))
    }
    case "unhandle":
      registrations.push(informer.addHandler(() => {}))
      return registrations.length > 1 ? registrations.shift()?.[Symbol.dispose]() : undefined
    case "subscribe": {
      const subscription = informer.subscribe({ limit: 3, whenFull: one.whenFull })
      return void readers.push({ notices: [], subscription, reading: subscription[Symbol.asyncIterator]() })
    }
    case "read":
      for (const reader of readers) await read(reader, one.count)
  }
}

/** Lets every reader catch up, and callers that waited for it. */
async function drain({ readers, fixture }: Run): Promise<void> {
  do {
    for (const reader of readers) await read(reader, 1000)
    await fixture.clock.settle()
  } while (readers.some(({ subscription }) => subscription.waiting > 0))
}

function check({ fixture, histories, readers }: Run): void {
  const { api, informer, seen } = fixture
  const stored = informer.store.list()
  expect(new Map(stored.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]))).toEqual(api.truth())
  for (const history of [seen, ...histories]) expect(inconsistency(history, stored)).toBeUndefined()
  for (const { notices, subscription } of readers) if (!subscription.ended) expect(inconsistency(notices, stored)).toBeUndefined()
  expect(api.openWatches).toBeLessThanOrEqual(1)
}

test("random writes, faults and delays: the store ends as the server is, and every handler saw how", async () => {
  const options = fc.record({
    streams: fc.boolean(),
    pagesZero: fc.boolean(),
    wire: fc.boolean(),
    bookmarks: fc.boolean(),
    pageSize: fc.constantFrom(undefined, 2),
    seed: fc.nat(),
  })
  const property = fc.asyncProperty(options, fc.array(command, { maxLength: 40, size: "max" }), async (given, commands) => {
    await using fixture = informerFixture(given)
    const run: Run = { fixture, histories: [], registrations: [], readers: [] }
    // No server is at revision 0.
    fixture.api.elsewhere()
    await fixture.start()
    for (const one of commands) await play(run, one)
    fixture.api.faults.splice(0)
    for (let minute = 0; minute < 8; minute++) {
      await drain(run)
      await fixture.clock.advance("1m")
    }
    await drain(run)
    check(run)
  })
  await fc.assert(property, { numRuns: 2000 })
})

test("relist: finds a missed event, and delivers only the difference", async () => {
  await using f = informerFixture()
  f.api.put("a")
  f.api.put("b")
  // Nothing comes any more after the two and the bookmark behind them.
  f.api.next("stream", { do: "silence", after: 3 })
  await f.start()
  f.api.put("c")
  f.api.remove("a")
  await f.clock.settle()
  expect(f.seen.splice(0).map(short)).toEqual(["initially added a@1", "initially added b@2"])
  f.informer.relist()
  await f.clock.settle()
  expect(f.seen.splice(0).map(short)).toEqual(["deleted? a@1", "added c@3"])
  expect(f.events.filter(({ type }) => type === "listed")).toHaveLength(2)
  f.informer.relist()
  await f.clock.settle()
  expect(f.seen).toEqual([])
  f.api.put("d")
  await f.clock.settle()
  expect(f.seen.map(short)).toEqual(["added d@5"])
})
