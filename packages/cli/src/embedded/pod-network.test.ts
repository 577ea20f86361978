import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { request as httpsRequest, type RequestOptions } from "node:https"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { pods, serviceAccounts } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { recordingLog, seededRandom, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, onTestFinished, test } from "vitest"
import { type EmbeddedApi, startEmbeddedApi } from "./api-server.ts"
import { oneAddress } from "./cluster.ts"
import { podNetwork } from "./pod-network.ts"

const address = oneAddress ? "127.0.0.1" : "127.64.17.23"

/** A server of a cluster with one pod, a process at an address of its own, that answers so. */
async function setUp(handle: (request: IncomingMessage, response: ServerResponse) => unknown, isProcess = true) {
  const [clock, files, random] = [systemClock, virtualFiles(systemClock), seededRandom(7)]
  const processes = { oneAddress, running: () => (isProcess ? ({} as never) : undefined) }
  const network = podNetwork({ clock, client: () => client, processes })
  onTestFinished(() => network[Symbol.asyncDispose]())
  const api: EmbeddedApi = await startEmbeddedApi(
    { clock, random, files, log: recordingLog().log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0 },
    { allowLoopbackEndpoints: true, dialPod: network.dial },
  )
  onTestFinished(() => api[Symbol.asyncDispose]())
  const client = createClient(api.server.transport())
  const pod = createServer(handle)
  pod.on("upgrade", ({ headers }, socket, head) => {
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\n\r\n`)
    socket.unshift(head)
    socket.on("data", (bytes: Buffer) => socket.write(bytes.toString().toUpperCase()))
    socket.on("error", () => undefined)
  })
  await new Promise<void>((resolve) => pod.listen(0, address, resolve))
  onTestFinished(() => void (pod.closeAllConnections(), pod.close()))
  const { port } = pod.address() as AddressInfo
  const containers = [{ name: "main", image: "process", ports: [{ containerPort: port }] }]
  await client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "default" } })
  await client.create(pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" }, spec: { containers } })
  await statusOf({ podIP: address, podIPs: [{ ip: address }], phase: "Running" })
  const { ca, admin } = api.certificates
  const ask = (path: string, options: RequestOptions = {}) => {
    const at = `${api.url}/api/v1/namespaces/default/pods/web/proxy/${path}`
    return httpsRequest(at, { ca: ca.certificate, cert: admin.certificate, key: admin.key, agent: false, ...options })
  }
  return { ask, statusOf }

  function statusOf(status: object) {
    const path = "/api/v1/namespaces/default/pods/web/status"
    const headers = { "content-type": "application/merge-patch+json" }
    return api.server.transport()({ verb: "PATCH", path, query: {}, headers, body: { type: "value", value: { status } } })
  }
}

async function answered(request: ReturnType<typeof httpsRequest>, body?: string) {
  request.end(body)
  const [response] = (await once(request, "response")) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString() }
}

test("a pod that is a process gets the request as it is, and its cookies come back one by one", async () => {
  const { ask } = await setUp(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    response.setHeader("set-cookie", ["a=1; expires=Wed, 21 Oct 2026", "b=2"])
    const { authorization, "x-forwarded-for": through } = request.headers
    response.end(JSON.stringify([request.method, request.url, Buffer.concat(parts).toString(), authorization, through]))
  })
  const headers = { "content-type": "application/x-own", authorization: "Basic eA==" }
  const {
    status,
    headers: got,
    text,
  } = await answered(ask("a/?q=1&q=2", { method: "PUT", headers: { ...headers, authorization: "" } }), "{not json")
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual(["PUT", "/a/?q=1&q=2", "{not json", null, "127.0.0.1"])
  expect(got["set-cookie"]).toEqual(["a=1; expires=Wed, 21 Oct 2026", "b=2"])
})

test("an answer goes on as it comes, no faster than it is read, and ends when its client goes away", async () => {
  const gone = Promise.withResolvers<void>()
  let written = 0
  const { ask } = await setUp((_, response) => {
    const piece = Buffer.alloc(64 * 1024)
    const write = () => {
      while (!response.destroyed && written < 1e9) {
        written += piece.length
        if (!response.write(piece)) return void response.once("drain", write)
      }
    }
    response.on("close", () => gone.resolve())
    write()
  })
  const request = ask("endless")
  request.on("error", () => undefined)
  request.end()
  const [response] = (await once(request, "response")) as [IncomingMessage]
  response.on("error", () => undefined)
  await once(response, "readable")
  // Nothing is read: what is under way fills the buffers of the sockets, and the pod waits.
  let before = -1
  while (before !== written) {
    before = written
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(written).toBeLessThan(64 * 1024 * 1024)
  request.destroy()
  await gone.promise
})

test("an upgraded connection is passed on byte by byte", async () => {
  const { ask } = await setUp((_, response) => response.end())
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  const request = ask("echo", { headers })
  request.end()
  const [, socket] = (await once(request, "upgrade")) as [IncomingMessage, Duplex]
  socket.write("hello")
  expect(String((await once(socket, "data"))[0])).toBe("HELLO")
  socket.destroy()
})

test.each([
  ["of no process", false, address],
  ["that no process has", true, oneAddress ? "127.0.0.2" : "127.0.0.1"],
])("a loopback address %s is not asked", async (_, isProcess, ip) => {
  const { ask, statusOf } = await setUp((_request, response) => response.end("secret"), isProcess)
  await statusOf({ podIP: ip, podIPs: [{ ip }] })
  const { status, text } = await answered(ask(""))
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({
    reason: "ServiceUnavailable",
    message: expect.stringContaining("address not allowed: it is of no pod"),
  })
})

test("a pod where nothing listens is a 503 in upstream's words", async () => {
  const { ask } = await setUp((_, response) => response.destroy())
  const { status, text } = await answered(ask(""))
  expect([status, JSON.parse(text).message]).toEqual([503, expect.stringContaining("error trying to reach service: ")])
})
