import { type Frame, type Transport, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { RetiringConnection } from "./swappable-transport.ts"

const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }

/** A connection whose answers come when they are let. `closed`: when, in seconds, each time. */
function opened(answer: Transport) {
  const clock = new VirtualClock()
  const closed: number[] = []
  const connection = new RetiringConnection(answer, async () => void closed.push(clock.elapsed() / 1000), clock)
  return { clock, closed, connection }
}

function stream(next: () => Promise<boolean>): Transport {
  async function* frames(): AsyncGenerator<Frame> {
    while (await next()) yield valueBody({})
  }
  return async () => ({ status: 200, headers: {}, body: { type: "stream", frames: frames() } })
}

const atOnce: Transport = async () => ({ status: 200, headers: {}, body: { type: "value", value: {} } })

test("every hang-up left a connection open for ever; now one that nothing runs on is closed at once", async () => {
  const { closed, connection } = opened(atOnce)
  await connection.transport(get)
  await connection.retire()
  expect(closed).toEqual([0])
})

test("a request under way ends on the old connection, which is closed then", async () => {
  const answer = Promise.withResolvers<void>()
  const { clock, closed, connection } = opened(async (request) => {
    await answer.promise
    return atOnce(request)
  })
  const asked = connection.transport(get)
  const retired = connection.retire()
  await clock.advance("30s")
  expect(closed).toEqual([])
  answer.resolve()
  expect((await clock.run(asked))?.status).toBe(200)
  await clock.run(retired)
  expect(closed).toEqual([30])
})

test("a watch goes on until it ends", async () => {
  let more = true
  const { clock, closed, connection } = opened(stream(async () => more))
  const { body } = await connection.transport(get)
  const reading = (body as { frames: AsyncIterable<Frame> }).frames[Symbol.asyncIterator]()
  await reading.next()
  const retired = connection.retire()
  await clock.advance("1m")
  expect([closed, (await reading.next()).done]).toEqual([[], false])
  more = false
  await reading.next()
  await clock.run(retired)
  expect(closed).toEqual([60])
})

test("a watch that was given up before it was read does not keep it open", async () => {
  const { clock, closed, connection } = opened(stream(async () => true))
  const giving = new AbortController()
  await connection.transport({ ...get, signal: giving.signal })
  const retired = connection.retire()
  giving.abort()
  await clock.run(retired)
  expect(closed).toEqual([0])
})

test("after ten minutes it is closed whatever runs on it, and once only", async () => {
  const { clock, closed, connection } = opened(() => new Promise(() => {}))
  void connection.transport(get)
  const retired = connection.retire()
  await clock.run(retired)
  await connection[Symbol.asyncDispose]()
  expect(closed).toEqual([600])
})

test("a request that fails is over too", async () => {
  const { closed, connection } = opened(() => Promise.reject(new Error("lost")))
  await expect(connection.transport(get)).rejects.toThrow("lost")
  await connection.retire()
  expect(closed).toEqual([0])
})
