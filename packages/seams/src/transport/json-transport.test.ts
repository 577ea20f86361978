import { describe, expect, test } from "vitest"
import { jsonRoundTrip } from "./json-transport.ts"
import { carrierContract, echoServer, transportContract } from "./transport.contract.ts"
import { noBody, queryValue, type TransportResponse, valueBody } from "./transport.ts"

const direct = echoServer()
transportContract("a handler called directly", () => direct)
carrierContract("a handler called directly", (server) => server)

transportContract("JSON round trip", () => ({ ...direct, transport: jsonRoundTrip(direct.transport) }))
carrierContract("JSON round trip", jsonRoundTrip)

describe("the JSON round trip", () => {
  const post = { ...direct.plain, verb: "POST" } as const
  const valueOf = ({ body }: TransportResponse): unknown => (body.type === "value" ? body.value : body.type)

  test("makes other objects of the same value, both ways", async () => {
    const sent = { a: [1] }
    let served: unknown
    const transport = jsonRoundTrip(async ({ body }) => {
      served = body?.type === "value" ? body.value : undefined
      return { status: 200, headers: {}, body: valueBody(served) }
    })
    const answered = valueOf(await transport({ ...post, body: valueBody(sent) }))
    expect([served, answered]).toEqual([sent, sent])
    expect(served).not.toBe(sent)
    expect(answered).not.toBe(served)
  })

  test.each([
    ["undefined fields are dropped", { a: undefined, b: 1 }, { b: 1 }],
    ["undefined items become null", [undefined], [null]],
    ["dates become text", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
  ])("%s, as on a wire", async (_, sent, got) => {
    expect(valueOf(await jsonRoundTrip(direct.transport)({ ...post, body: valueBody(sent) }))).toStrictEqual(got)
  })

  test("leaves bytes and no body alone", async () => {
    const bytes = { type: "bytes", bytes: Uint8Array.of(1), contentType: "application/x" } as const
    const transport = jsonRoundTrip(direct.transport)
    expect((await transport({ ...post, body: bytes })).body).toBe(bytes)
    expect((await transport({ ...post, body: noBody })).body).toEqual(noBody)
  })

  test("refuses what cannot be written as JSON", async () => {
    await expect(jsonRoundTrip(direct.transport)({ ...post, body: valueBody(() => {}) })).rejects.toMatchObject({
      code: "INVALID",
      message: "expected a body that can be written as JSON, found a function",
    })
  })
})

test("queryValue is the first of a repeated name", () => {
  expect([queryValue({ a: "1" }, "a"), queryValue({ a: ["1", "2"] }, "a"), queryValue({}, "a")]).toEqual(["1", "1", undefined])
})
