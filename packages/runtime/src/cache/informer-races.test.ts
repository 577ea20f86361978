import type { ConfigMap } from "@pilothouse/api/core/v1"
import type { Frame, Transport } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { createClient } from "../client/client.ts"
import { inconsistency, informerFixture } from "../testing/informer-fixture.ts"
import type { Notice } from "./change.ts"

/*
 * fast-check's scheduler decides what goes on next: an answer, an event of a stream, a write, a handler that comes, a reader that reads.
 * Whatever the order, the store ends equal to the server, and every handler received a history that leads there.
 */

/** Lets answers, and each event of a stream, come when the scheduler says so. */
function scheduled(inner: Transport, scheduler: fc.Scheduler): Transport {
  return async (request) => {
    const response = await scheduler.schedule(inner(request), "an answer")
    const { body } = response
    if (body.type !== "stream") return response
    async function* frames(source: AsyncIterable<Frame>): AsyncGenerator<Frame> {
      for await (const frame of source) yield await scheduler.schedule(Promise.resolve(frame), "an event")
    }
    return { ...response, body: { type: "stream", frames: frames(body.frames) } }
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant("put" as const), name: fc.constantFrom("a", "b", "c") }),
  fc.record({ do: fc.constant("remove" as const), name: fc.constantFrom("a", "b", "c") }),
  fc.record({ do: fc.constantFrom("handler" as const, "reader" as const) }),
)

test.each([true, false])("any order of answers, events, writes, handlers and readers; streaming lists: %s", async (streams) => {
  const property = fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 25, size: "max" }), async (scheduler, steps) => {
    const holder: { transport?: Transport } = {}
    const client = createClient((request) => holder.transport!(request))
    await using fixture = informerFixture({ streams, client })
    const { api, informer, seen } = fixture
    holder.transport = scheduled(api.transport, scheduler)
    api.put("first")
    const histories: Notice<ConfigMap>[][] = [seen]
    const readers: Promise<void>[] = []
    const play = async (one: (typeof steps)[number]): Promise<void> => {
      if (one.do === "put") return void api.put(one.name)
      if (one.do === "remove") return api.remove(one.name)
      const history: Notice<ConfigMap>[] = []
      histories.push(history)
      if (one.do === "handler") informer.addHandler((change, initial) => void history.push({ change, initial }))
      else readers.push(readTo(informer.subscribe(), history, scheduler))
    }
    const last = Promise.withResolvers<void>()
    informer.addHandler(({ object }) => {
      if (object.metadata.name === "last") last.resolve()
    })
    const started = fixture.start()
    const writing = scheduler.scheduleSequence([
      ...steps.map((one, at) => ({ builder: () => play(one), label: `${at}: ${JSON.stringify(one)}` })),
      { builder: async () => void api.put("last"), label: "the last write" },
    ])
    await scheduler.waitFor(Promise.all([started, writing.task, last.promise, ...readers]))
    await scheduler.waitFor(Promise.all(readers))
    const stored = informer.store.list()
    expect(new Map(stored.map((object) => [`${object.metadata.namespace}/${object.metadata.name}`, object]))).toEqual(api.truth())
    for (const history of histories) expect(inconsistency(history, stored)).toBeUndefined()
  })
  await fc.assert(property, { numRuns: 300 })
})

/** Reads one notice after another, each when the scheduler says so, until the last write. */
async function readTo(source: AsyncIterable<Notice<ConfigMap>>, history: Notice<ConfigMap>[], scheduler: fc.Scheduler): Promise<void> {
  for await (const notice of source) {
    history.push(await scheduler.schedule(Promise.resolve(notice), "a read"))
    if (notice.change.object.metadata.name === "last") return
  }
}
