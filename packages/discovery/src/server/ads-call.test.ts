import * as grpc from "@grpc/grpc-js"
import { expect, test } from "vitest"
import { AdsCall } from "./ads-call.ts"
import type { Stream } from "./streams.ts"

type Inner = grpc.ServerInterceptingCallInterface
type Listener = Parameters<Inner["start"]>[0]

/** A call of the library, played by hand. */
function setUp(authenticate: () => Promise<string | undefined>) {
  let listener: Listener | undefined
  const said: string[] = []
  let opened = 0
  const inner = {
    start: (given: Listener) => void (listener = given),
    sendStatus: ({ code = grpc.status.UNKNOWN, details }: Partial<grpc.StatusObject>) => void said.push(`${grpc.status[code]}: ${details}`),
    startRead: () => said.push("reads"),
  } as unknown as Inner
  const stream: Stream = { message: () => undefined, end: () => void said.push("stream ended"), blocked: false }
  const open = () => {
    opened++
    return stream
  }
  new AdsCall(inner, { open, authenticate }).start()
  return { listener: listener!, said, opened: () => opened }
}

test.each([
  ["goes", (listener: Listener) => listener.onCancel()],
  ["ends its side", (listener: Listener) => listener.onReceiveHalfClose()],
])("a client that %s while it is asked who it is leaves no stream behind", async (_how, leave) => {
  const asked = Promise.withResolvers<undefined>()
  const { listener, said, opened } = setUp(() => asked.promise)
  listener.onReceiveMetadata(new grpc.Metadata())
  leave(listener)
  const saidBefore = [...said]
  asked.resolve(undefined)
  await asked.promise
  await Promise.resolve()
  expect(opened()).toBe(0)
  expect(said).toEqual(saidBefore)
})

test("a client that is known is read from, and its stream ends with it", async () => {
  const { listener, said, opened } = setUp(async () => undefined)
  listener.onReceiveMetadata(new grpc.Metadata())
  await Promise.resolve()
  await Promise.resolve()
  expect([opened(), said]).toEqual([1, ["reads"]])
  listener.onCancel()
  expect(said).toEqual(["reads", "stream ended"])
})
