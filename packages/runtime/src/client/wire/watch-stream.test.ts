import type { KubeObject } from "@pilothouse/api"
import type { Frame } from "@pilothouse/seams"
import { array, check, constant, integer, oneof, property, string } from "fast-check"
import { describe, expect, test } from "vitest"
import type { EventStream } from "./event-stream.ts"
import { LineSplitter } from "./line-splitter.ts"
import { watchEvents } from "./watch-stream.ts"

async function* bytes(...chunks: readonly Uint8Array[]): AsyncGenerator<Frame> {
  for (const chunk of chunks) yield { type: "bytes", bytes: chunk }
}

const encoded = (text: string) => new TextEncoder().encode(text)

describe("lines", () => {
  const odd = oneof(string({ unit: "binary" }), constant("\u2028"), constant("\u2029"), constant("\r"), constant("🦭"), constant("\ufeff"))

  test("are the same however the bytes are cut", () => {
    const property_ = property(array(odd, { maxLength: 20 }), array(integer({ min: 1, max: 40 })), (words, sizes) => {
      const lines = words.map((word) => JSON.stringify({ word }))
      const all = encoded(lines.map((line) => `${line}\n`).join(""))
      const splitter = new LineSplitter()
      const found: Buffer[] = []
      let at = 0
      for (const size of [...sizes, all.length]) {
        found.push(...splitter.push(all.subarray(at, at + size)))
        at += size
      }
      expect(found.map((line) => JSON.parse(line.toString()).word)).toEqual(words.map((word) => JSON.parse(JSON.stringify(word))))
    })
    const { failed, counterexample } = check(property_, { numRuns: 500 })
    expect({ failed, counterexample }).toMatchObject({ failed: false })
  })

  test("one of ten megabytes in chunks of a kilobyte is put together once", () => {
    const splitter = new LineSplitter()
    const chunk = encoded("x".repeat(1024))
    for (let count = 0; count < 10_000; count++) expect(splitter.push(chunk)).toEqual([])
    expect(splitter.push(encoded("\n"))[0]).toHaveLength(10_240_000)
  })

  test("empty ones are nothing", () => expect(new LineSplitter().push(encoded("\n\na\n\n"))).toEqual([Buffer.from("a")]))
})

describe("events", () => {
  test("come from values and from bytes alike", async () => {
    const event = { type: "ADDED", object: { kind: "Pod" } }
    async function* values(): AsyncGenerator<Frame> {
      yield { type: "value", value: event }
    }
    expect(await Array.fromAsync(watchEvents(values()))).toEqual([event])
    expect(await Array.fromAsync(watchEvents(bytes(encoded(`${JSON.stringify(event)}\n`))))).toEqual([event])
  })

  test("a character cut in the middle is whole again", async () => {
    const all = encoded('{"type":"ADDED","object":{"name":"ü🦭"}}\n')
    for (let cut = 1; cut < all.length; cut++) {
      const events = await Array.fromAsync(watchEvents(bytes(all.subarray(0, cut), all.subarray(cut))))
      expect(events).toEqual([{ type: "ADDED", object: { name: "ü🦭" } }])
    }
  })

  test("one that was cut by the end of the connection is not an event", async () => {
    expect(await Array.fromAsync(watchEvents(bytes(encoded('{"type":"ADDED","object":{}}\n{"type":"MOD'))))).toHaveLength(1)
  })

  test("those that came together can be taken without waiting, and come before what is wrong behind them", async () => {
    const lines = ['{"type":"ADDED","object":{}}', '{"type":"DELETED","object":{}}', "<html>"].map((line) => `${line}\n`).join("")
    const events = watchEvents(bytes(encoded(lines))) as EventStream<KubeObject, unknown>
    expect(events.buffered()).toBeUndefined()
    expect(await events.next()).toEqual({ done: false, value: { type: "ADDED", object: {} } })
    expect(events.buffered()).toEqual({ type: "DELETED", object: {} })
    await expect(events.next()).rejects.toMatchObject({ code: "PROTOCOL" })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test("two who ask at once are each given an event, in order", async () => {
    const line = (name: string) => encoded(`{"type":"ADDED","object":{"name":"${name}"}}\n`)
    const events = watchEvents(bytes(Buffer.concat([line("a"), line("b")]), line("c")))[Symbol.asyncIterator]()
    const asked = [events.next(), events.next(), events.next(), events.next()]
    const names = (await Promise.all(asked)).map(({ value }) => value?.object.name)
    expect(names).toEqual(["a", "b", "c", undefined])
  })

  test("ending the iteration, and an event that cannot be parsed, end the stream", async () => {
    let ended = 0
    const frames = (text: string) => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: { type: "bytes", bytes: encoded(text) } }) as const,
        return: async () => {
          ended++
          return { done: true, value: undefined } as const
        },
      }),
    })
    for await (const event of watchEvents(frames('{"type":"ADDED","object":{}}\n'))) {
      expect(event.type).toBe("ADDED")
      break
    }
    expect(ended).toBe(1)
    await expect(Array.fromAsync(watchEvents(frames("what\n")))).rejects.toMatchObject({ code: "PROTOCOL" })
    expect(ended).toBe(2)
  })

  test("managedFields are dropped with skipManagedFields only", async () => {
    const object = { kind: "Pod", metadata: { name: "ü", managedFields: [{ manager: "kubectl" }] }, spec: {} }
    const line = encoded(`${JSON.stringify({ type: "ADDED", object })}\n`)
    expect(await Array.fromAsync(watchEvents(bytes(line)))).toEqual([{ type: "ADDED", object }])
    const [event] = await Array.fromAsync(watchEvents(bytes(line), { skipManagedFields: true }))
    expect(event).toEqual({ type: "ADDED", object: { ...object, metadata: { name: "ü" } } })
  })

  test("what is not JSON is said", async () => {
    await expect(Array.fromAsync(watchEvents(bytes(encoded("<html>\n"))))).rejects.toMatchObject({
      code: "PROTOCOL",
      message: 'expected a watch event as one line of JSON, found "<html>"',
    })
  })
})

test("a line that never ends is refused after 16 MiB, and many long lines are not", () => {
  const chunk = new Uint8Array(1024 * 1024).fill(0x61)
  const endless = new LineSplitter()
  for (let at = 0; at < 16; at++) endless.push(chunk)
  expect(() => endless.push(chunk)).toThrow("expected a watch event of at most 16777216 bytes, found a line that goes on after them")
  const lines = new LineSplitter()
  const ended = Uint8Array.from([...chunk, 0x0a])
  let count = 0
  for (let at = 0; at < 40; at++) count += lines.push(ended).length
  expect(count).toBe(40)
})
