import { EventEmitter } from "node:events"
import { type Frame, VirtualClock, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Exchange } from "../exchange/exchange.ts"
import { EncodedObjects } from "./encoded-objects.ts"
import { writeStream } from "./write-response.ts"

/** A response whose client reads as much as the test says. */
class SlowResponse extends EventEmitter {
  readonly written: string[] = []
  room = 2
  ended = false

  write(bytes: Uint8Array): boolean {
    this.written.push(Buffer.from(bytes).toString())
    return --this.room > 0
  }

  end(): void {
    this.ended = true
  }
}

function exchangeWith(response: SlowResponse): Exchange {
  const exchange = { response, request: { httpVersionMajor: 1 }, controller: new AbortController(), stopping: new AbortController().signal }
  return exchange as unknown as Exchange
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

test("a client without room is not written to, and the stream is not asked", async () => {
  const response = new SlowResponse()
  let pulled = 0
  async function* frames(): AsyncGenerator<Frame> {
    for (;;) yield valueBody({ number: pulled++ })
  }
  const exchange = exchangeWith(response)
  const writing = writeStream(exchange, { type: "stream", frames: frames() }, new EncodedObjects(new VirtualClock()))
  await turns()
  expect(response.written).toHaveLength(2)
  expect(pulled).toBe(2)
  response.room = 3
  response.emit("drain")
  await turns()
  expect(response.written).toHaveLength(5)
  expect(pulled).toBe(5)
  exchange.controller.abort()
  response.emit("close")
  await writing
  expect(pulled).toBe(5)
})

test("a server that stops does not wait for a client that reads nothing", async () => {
  const response = new SlowResponse()
  let isReleased = false
  async function* frames(): AsyncGenerator<Frame> {
    try {
      for (;;) yield valueBody({})
    } finally {
      isReleased = true
    }
  }
  const stopping = new AbortController()
  const exchange = { ...exchangeWith(response), stopping: stopping.signal }
  const writing = writeStream(exchange, { type: "stream", frames: frames(), endsAnywhere: true }, new EncodedObjects(new VirtualClock()))
  await turns()
  expect(response.written).toHaveLength(2)
  stopping.abort()
  await writing
  expect([response.ended, isReleased, response.listenerCount("drain")]).toEqual([true, true, 0])
})

test("leaving ends the iterator", async () => {
  const response = new SlowResponse()
  const returned = Promise.withResolvers<void>()
  const iterator = {
    next: () => new Promise<IteratorResult<Frame>>(() => {}),
    return: async () => {
      returned.resolve()
      return { done: true as const, value: undefined }
    },
  }
  const exchange = exchangeWith(response)
  const writing = writeStream(
    exchange,
    { type: "stream", frames: { [Symbol.asyncIterator]: () => iterator } },
    new EncodedObjects(new VirtualClock()),
  )
  exchange.controller.abort()
  await writing
  await returned.promise
  expect(response.ended).toBe(true)
  expect(response.listenerCount("drain")).toBe(0)
})
