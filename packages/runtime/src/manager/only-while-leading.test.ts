import { noBody, seededRandom, type Transport, type TransportRequest, type Verb, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { retrying } from "../client/middleware/retry.ts"
import { onlyWhileLeading } from "./manager.ts"

const request = (verb: Verb, signal?: AbortSignal): TransportRequest => ({ verb, path: "/api/v1/pods", query: {}, headers: {}, signal })

function layer(isLeading: boolean) {
  const lost = new AbortController()
  const sent: TransportRequest[] = []
  const inner: Transport = async (one) => {
    sent.push(one)
    return { status: 200, headers: {}, body: noBody }
  }
  const leadership = { isLeading, lost: lost.signal }
  return { transport: onlyWhileLeading(inner, leadership), sent, lost, leadership }
}

test("reads pass without leadership", async () => {
  const { transport, sent } = layer(false)
  await transport(request("GET"))
  expect(sent).toHaveLength(1)
})

test.each(["POST", "PUT", "PATCH", "DELETE"] as const)("%s passes while we lead, and is not sent while we do not", async (verb) => {
  const { transport, sent, leadership } = layer(true)
  await transport(request(verb))
  leadership.isLeading = false
  await expect(transport(request(verb))).rejects.toMatchObject({
    code: "LEADERSHIP_LOST",
    message: `expected to lead before a write, found that another may lead: ${verb} /api/v1/pods was not sent`,
  })
  expect(sent).toHaveLength(1)
})

test("a deferred write is not retried once another may lead, even before the loss is detected", async () => {
  const clock = new VirtualClock()
  const leadership = { isLeading: true, lost: new AbortController().signal }
  const sent: Verb[] = []
  const busy: Transport = async ({ verb }) => {
    sent.push(verb)
    return { status: 503, headers: { "retry-after": "5" }, body: noBody }
  }
  const transport = onlyWhileLeading(retrying(busy, { clock, random: seededRandom(1) }), leadership)
  const written = transport(request("PUT")).catch((error: unknown) => error)
  await clock.settle()
  leadership.isLeading = false
  expect(await clock.run(written)).toMatchObject({ code: "LEADERSHIP_LOST" })
  expect(sent).toEqual(["PUT"])
})

test("a write under way is given up when leadership is lost, and when its own signal aborts", async () => {
  const { transport, sent, lost } = layer(true)
  const own = new AbortController()
  await transport(request("POST"))
  await transport(request("POST", own.signal))
  await transport(request("GET", own.signal))
  own.abort()
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([false, true, true])
  lost.abort()
  expect(sent.map(({ signal }) => signal?.aborted)).toEqual([true, true, true])
})
