import { pods } from "@pilothouse/api/core/v1"
import { encodeProtobuf, partialProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import { encodeWatchFrame } from "@pilothouse/api/protobuf/testing"
import type { Frame, Transport, TransportRequest, TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { createClient } from "../client.ts"

const form = partialProtobuf({ apiVersion: "v1", kind: "Pod" }, ["metadata.name"])!
const pod = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, uid: `${name}-uid` } })
const events = ["a", "b", "c"].map((name) => ({ type: "ADDED" as const, object: pod(name) }))
const stream = Buffer.concat(events.map((event) => encodeWatchFrame(event)))

test.each([1, 3, 7, 50, 100_000])("a watch in protobuf, in chunks of %i bytes", async (size) => {
  const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) => stream.subarray(at * size, (at + 1) * size))
  const { client, asked } = clientOf(streamOf(protobufContentType, chunks))
  expect(await namesAndIds(client)).toEqual(["a undefined", "b undefined", "c undefined"])
  expect(asked[0]?.headers.accept).toBe(`${protobufContentType};stream=watch,${protobufContentType},application/json`)
})

test("a server that has only JSON is read as JSON", async () => {
  const lines = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(""))
  const { client } = clientOf(streamOf("application/json", [lines]))
  expect(await namesAndIds(client)).toEqual(["a a-uid", "b b-uid", "c c-uid"])
})

test("an event that was cut off by the end is not told", async () => {
  const { client } = clientOf(streamOf(protobufContentType, [stream.subarray(0, -1)]))
  expect(await namesAndIds(client)).toEqual(["a undefined", "b undefined"])
})

test("ending the iteration ends the watch", async () => {
  let ended = 0
  const { client } = clientOf(streamOf(protobufContentType, [stream], () => ended++))
  for await (const event of await client.watch(pods, { form })) {
    expect(event.object.metadata).toEqual({ name: "a" })
    break
  }
  expect(ended).toBe(1)
})

describe("what is no event ends the watch, once and for all", () => {
  const frame = (length: number, ...bytes: readonly number[]) => {
    const whole = Buffer.from([0, 0, 0, 0, ...bytes])
    whole.writeUInt32BE(length)
    return whole
  }
  const tooLong = frame(form.maximumFrame + 1)
  const rows: readonly (readonly [string, readonly Uint8Array[], readonly string[], RegExp])[] = [
    ["bytes that are none", [frame(3, 255, 255, 255)], [], /found other bytes/],
    ["bytes that are none, after events", [stream, frame(3, 255, 255, 255)], ["a", "b", "c"], /found other bytes/],
    ["a length beyond all bounds", [tooLong], [], /at most 67108864 bytes, found one of 67108865$/],
    ["such a length, byte for byte", [...tooLong].map((byte) => Uint8Array.of(byte)), [], /found one of 67108865$/],
    ["such a length behind events", [Buffer.concat([stream, tooLong])], [], /found other bytes/],
  ]
  test.each(rows)("%s", async (_what, chunks, names, message) => {
    let ended = 0
    const { client } = clientOf(streamOf(protobufContentType, [...chunks, stream], () => ended++))
    const watched = (await client.watch(pods, { form }))[Symbol.asyncIterator]()
    for (const name of names) expect(await watched.next()).toMatchObject({ value: { object: { metadata: { name } } } })
    await expect(watched.next()).rejects.toMatchObject({ code: "PROTOCOL", message: expect.stringMatching(message) })
    expect(ended).toBe(1)
    expect(await watched.next()).toEqual({ done: true, value: undefined })
  })

  test("what closing says then is not what has happened", async () => {
    const fails = () => {
      throw new Error("closed already")
    }
    const { client } = clientOf(streamOf(protobufContentType, [tooLong], fails))
    const watched = (await client.watch(pods, { form }))[Symbol.asyncIterator]()
    await expect(watched.next()).rejects.toMatchObject({ code: "PROTOCOL" })
    expect(await watched.return?.()).toEqual({ done: true, value: undefined })
  })
})

test("why a watch was refused is read from protobuf too", async () => {
  const status = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Expired", message: "too old", code: 410 }
  const body = { type: "bytes", bytes: encodeProtobuf(status), contentType: protobufContentType } as const
  const { client } = clientOf({ status: 410, headers: { "content-type": protobufContentType }, body })
  await expect(client.watch(pods, { form })).rejects.toMatchObject({ message: "too old", status: { reason: "Expired" } })
})

describe("a list", () => {
  const list = { apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "7", continue: "more" }, items: ["a", "b"].map(pod) }
  const bytesOf = (bytes: Uint8Array, contentType: string): TransportResponse => ({
    status: 200,
    headers: { "content-type": contentType },
    body: { type: "bytes", bytes, contentType },
  })
  const named = (...names: string[]) => names.map((name) => ({ apiVersion: "v1", kind: "Pod", metadata: { name } }))

  test("in protobuf, whole", async () => {
    const { client, asked } = clientOf(bytesOf(encodeProtobuf(list), protobufContentType))
    expect(await client.list(pods, { form })).toEqual({
      items: named("a", "b"),
      resourceVersion: "7",
      continue: "more",
      remaining: undefined,
    })
    expect(asked[0]?.headers.accept).toBe(`${protobufContentType},application/json`)
    expect(asked[0]?.query).toEqual({})
  })

  test("in protobuf, while it comes; what comes again after a lost connection counts once", async () => {
    const bytes = encodeProtobuf(list)
    const transport: Transport = async ({ reader }) => {
      reader?.(protobufContentType)?.push(bytes.subarray(0, -10))
      const again = reader?.(protobufContentType)
      for (const byte of bytes) again?.push(Uint8Array.of(byte))
      return { status: 200, headers: { "content-type": protobufContentType }, body: { type: "value", value: again?.end() } }
    }
    const kept = await createClient(transport).list(pods, { form, keep: (object) => (object.metadata.name === "a" ? object : undefined) })
    expect(kept.items).toEqual(named("a"))
  })

  test("a server that has only JSON is read as JSON", async () => {
    const { client } = clientOf(bytesOf(Buffer.from(JSON.stringify(list)), "application/json"))
    expect((await client.list(pods, { form })).items.map(({ metadata }) => metadata.uid)).toEqual(["a-uid", "b-uid"])
  })

  test("other bytes are refused as such", async () => {
    const { client } = clientOf(bytesOf(encodeProtobuf(list).subarray(0, -20), protobufContentType))
    await expect(client.list(pods, { form })).rejects.toMatchObject({
      code: "PROTOCOL",
      message: `expected a list of pods in ${protobufContentType}, found other bytes`,
    })
  })

  test("why it was refused is read from protobuf too", async () => {
    const status = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "Forbidden", message: "not you", code: 403 }
    const { client } = clientOf({ ...bytesOf(encodeProtobuf(status), protobufContentType), status: 403 })
    await expect(client.list(pods, { form })).rejects.toMatchObject({ message: "not you", status: { reason: "Forbidden" } })
  })
})

function clientOf(response: TransportResponse) {
  const asked: TransportRequest[] = []
  const transport: Transport = async (request) => {
    asked.push(request)
    return response
  }
  return { client: createClient(transport), asked }
}

function streamOf(contentType: string, chunks: readonly Uint8Array[], onEnd = () => {}): TransportResponse {
  const left = chunks.values()
  const next = async (): Promise<IteratorResult<Frame>> => {
    const { done, value } = left.next()
    return done ? { done, value: undefined } : { done: false, value: { type: "bytes", bytes: value } }
  }
  const end = async (): Promise<IteratorResult<Frame>> => {
    onEnd()
    return { done: true, value: undefined }
  }
  const frames = { [Symbol.asyncIterator]: () => ({ next, return: end }) }
  return { status: 200, headers: { "content-type": contentType }, body: { type: "stream", frames } }
}

async function namesAndIds(client: ReturnType<typeof createClient>): Promise<readonly string[]> {
  const found = await Array.fromAsync(await client.watch(pods, { form }))
  return found.map(({ object }) => {
    const { name, uid } = object.metadata as { name?: string; uid?: string }
    return `${name} ${uid}`
  })
}
