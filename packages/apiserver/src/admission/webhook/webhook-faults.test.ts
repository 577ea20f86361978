import { type Dial, PilothouseError, type TransportResponse } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { allowed, configMaps, configurations, dialing, label, labels, patchOf, serverWith, webhook } from "./testing/webhooks.ts"

const secrets = "/api/v1/namespaces/default/secrets"
const configMap = (name: string) => ({ metadata: { name }, data: { a: "b" } })

function bytes(content: Uint8Array, type = "application/json"): TransportResponse {
  return { status: 200, headers: { "content-type": type }, body: { type: "bytes", bytes: content, contentType: type } }
}

/** What a connection comes to. A dialer gives no answer that is longer than its limit. */
type Fault = (maxAnswerSize: number | undefined) => TransportResponse

const huge: Fault = (maxAnswerSize = Number.POSITIVE_INFINITY) => {
  const size = 10 * 1024 * 1024
  if (size > maxAnswerSize)
    throw new PilothouseError("INVALID", `expected an answer to POST /hook of at most ${maxAnswerSize} bytes, found more`)
  return bytes(new Uint8Array(size).fill(0x20))
}

const died: Fault = () => {
  throw new PilothouseError("CONNECTION_LOST", "unexpected EOF")
}

/** A server with one mutating webhook for ConfigMaps, whose connections come to a fault until it is mended. */
async function faulty(fault: Fault, failurePolicy: string) {
  const { dial: working } = dialing({ a: () => patchOf(labels, label("a")) })
  const state = { isMended: false }
  const dial: Dial = (to) => async (request) => (state.isMended ? working(to)(request) : fault(to.maxAnswerSize))
  const api = testServer("in process", { dial })
  objectIn(await api.post(configurations("mutating"), { metadata: { name: "hooks" }, webhooks: [webhook("a", { failurePolicy })] }), 201)
  return { api, state }
}

test.each<[string, Fault, string]>([
  ["dies in the middle of its answer", died, "unexpected EOF"],
  ["answers garbage", () => bytes(new Uint8Array([0, 1, 0xff, 0xfe, 0x7b])), "couldn't get version/kind; json parse error"],
  ["answers with 10 MB", huge, "of at most 3145728 bytes"],
])("a webhook that %s fails its own requests, and those alone until it is mended", async (_, fault, says) => {
  const { api, state } = await faulty(fault, "Fail")
  const refused = statusIn(await api.post(configMaps, configMap("c")))
  expect(refused).toMatchObject({ code: 500, reason: "InternalError" })
  expect(refused.message).toContain('failed calling webhook "a.example.com"')
  expect(refused.message).toContain(says)
  objectIn(await api.post(secrets, { metadata: { name: "s" } }), 201)
  state.isMended = true
  expect(objectIn(await api.post(configMaps, configMap("c")), 201).metadata.labels).toEqual({ a: "yes" })
})

test.each<[string, Fault]>([
  ["dies in the middle of its answer", died],
  ["answers garbage", () => bytes(new TextEncoder().encode("<html>"), "text/html")],
  ["answers with 10 MB", huge],
])("a webhook that %s is passed over with failurePolicy Ignore", async (_, fault) => {
  const { api } = await faulty(fault, "Ignore")
  expect(objectIn(await api.post(configMaps, configMap("c")), 201).metadata.labels).toBeUndefined()
})

test.each(["Fail", "Ignore"])("a patch that does not apply changes nothing, with failurePolicy %s", async (failurePolicy) => {
  const missing = patchOf({ op: "add", path: "/data/early", value: "x" }, { op: "remove", path: "/data/missing" })
  const { api } = await serverWith({ a: () => missing }, { mutating: [webhook("a", { failurePolicy })] })
  const answer = await api.post(configMaps, configMap("c"))
  expect(statusIn(answer)).toMatchObject({ code: 500, reason: "InternalError" })
  expect((await api.get(`${configMaps}/c`)).status).toBe(404)
})

test("two webhooks that undo each other end after the second round", async () => {
  const calls: string[] = []
  const has = (object: { readonly metadata: object }) => "a" in ((object.metadata as { labels?: object }).labels ?? {})
  const hooks = {
    a: ({ request }: { request: { object: { readonly metadata: object } } }) => {
      calls.push("a")
      return has(request.object) ? allowed : patchOf(labels, label("a"))
    },
    b: ({ request }: { request: { object: { readonly metadata: object } } }) => {
      calls.push("b")
      return has(request.object) ? patchOf({ op: "remove", path: "/metadata/labels/a" }) : allowed
    },
  }
  const again = { reinvocationPolicy: "IfNeeded" }
  const { api } = await serverWith(hooks, { mutating: [webhook("a", again), webhook("b", again)] })
  const made = objectIn(await api.post(configMaps, configMap("c")), 201)
  expect(calls).toEqual(["a", "b", "a", "b"])
  expect(made.metadata.labels ?? {}).toEqual({})
})
