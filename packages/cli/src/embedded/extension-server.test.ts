import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer, request as httpsRequest, type RequestOptions, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"
import { apiServices } from "@pilothouse/api/apiregistration/v1"
import { configMaps, namespaces, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { ensureServingCertificate } from "@pilothouse/apiserver"
import { createClient } from "@pilothouse/runtime"
import { recordingLog, seededRandom, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, onTestFinished, test } from "vitest"
import { type EmbeddedApi as Api, startEmbeddedApi } from "./api-server.ts"

const prefix = "/apis/wardle.example.com/v1alpha1"

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown

/** An API server of a cluster with an APIService whose server answers so, on a socket of its own that knows clients by the ConfigMap. */
async function setUp(handle: Handle) {
  const [clock, files, random] = [systemClock, virtualFiles(systemClock), seededRandom(7)]
  const api = await startEmbeddedApi(
    { clock, random, files, log: recordingLog().log, dataDirectory: "/data", ephemeral: true, port: 0, nodes: 0 },
    { allowLoopbackEndpoints: true },
  )
  onTestFinished(() => api[Symbol.asyncDispose]())
  const client = createClient(api.server.transport())
  const { data = {} } = await client.get(configMaps, "kube-system/extension-apiserver-authentication")
  const { certificate, key } = await ensureServingCertificate({ clock, files, random, directory: "/extension", name: "api" })
  const ca = data["requestheader-client-ca-file"]
  const server = createServer({ cert: certificate, key, ca, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { authorized } = request.socket as TLSSocket
    if (!authorized) response.writeHead(401).end()
    else if (request.url === prefix) response.writeHead(200).end("{}")
    else if (request.url?.startsWith(`${prefix}/`) !== true) response.writeHead(404).end()
    else handle(request, response)
  })
  const port = await listening(server)
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "wardle" } })
  await client.create(services, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "api", namespace: "wardle" },
    spec: { ports: [{ port: 443 }] },
  })
  const labels = { "kubernetes.io/service-name": "api" }
  await client.create(endpointSlices, {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "api", namespace: "wardle", labels },
    addressType: "IPv4",
    endpoints: [{ addresses: ["127.0.0.1"] }],
    ports: [{ name: "", port }],
  })
  await client.create(apiServices, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1alpha1.wardle.example.com" },
    spec: {
      group: "wardle.example.com",
      version: "v1alpha1",
      groupPriorityMinimum: 2000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { name: "api", namespace: "wardle" },
    },
  })
  await available(client)
  const send = (options: RequestOptions) => sent(api, options)
  const { ca: authority, admin } = api.certificates
  const tls = { ca: authority.certificate, cert: admin.certificate, key: admin.key }
  return { client, server, send, port: api.port, tls, stop: () => api[Symbol.asyncDispose]() }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function available(client: ReturnType<typeof createClient>): Promise<void> {
  const read = async () => {
    const { items } = await client.list(apiServices)
    return items.find(({ spec }) => spec?.service !== undefined)?.status?.conditions?.[0]
  }
  await expect.poll(read, { timeout: 10_000 }).toMatchObject({ status: "True", message: "all checks passed" })
}

/** The beginning of an answer over a connection of its own, as an administrator. */
function sent({ port, certificates: { ca, admin } }: Api, options: RequestOptions): Promise<IncomingMessage> {
  const tls = { ca: ca.certificate, cert: admin.certificate, key: admin.key }
  return new Promise((resolve, reject) => {
    const request = httpsRequest({ host: "127.0.0.1", port, agent: false, ...tls, ...options }, resolve)
    request.once("error", reject)
    request.end()
  })
}

test("requests carry the certificate of the front proxy and the user, and their answers come back unchanged", async () => {
  const { send } = await setUp(({ headers, method, url, socket }, response) => {
    const { subject } = (socket as TLSSocket).getPeerCertificate()
    response
      .writeHead(418, { "content-type": "application/json", "x-own": "1" })
      .end(JSON.stringify({ headers, method, url, by: subject.CN }))
  })
  const response = await send({ path: `${prefix}/flunders?pretty=true&a=b%20c`, headers: { "x-remote-user": "root", "audit-id": "one" } })
  const { headers, ...rest } = JSON.parse(await text(response)) as { readonly headers: object }
  expect([response.statusCode, response.headers["x-own"], response.headers["audit-id"]]).toEqual([418, "1", "one"])
  expect(rest).toEqual({ method: "GET", url: `${prefix}/flunders?pretty=true&a=b+c`, by: "front-proxy-client" })
  expect(headers).toMatchObject({
    "x-remote-user": "kubernetes-admin",
    "x-remote-group": "system:masters, system:authenticated",
    "x-forwarded-for": "127.0.0.1",
    "audit-id": "one",
  })
})

test("events of a watch come as they are sent, and the extension server sees a client that leaves", async () => {
  const left = Promise.withResolvers<void>()
  const more = Promise.withResolvers<void>()
  const { send } = await setUp((_, response) => {
    response.once("close", () => left.resolve())
    response.writeHead(200, { "content-type": "application/json" })
    response.write('{"type":"ADDED"}\n')
    void more.promise.then(() => response.write('{"type":"DELETED"}\n'))
  })
  const response = await send({ path: `${prefix}/flunders?watch=true` })
  const chunks = response[Symbol.asyncIterator]()
  expect(String((await chunks.next()).value)).toBe('{"type":"ADDED"}\n')
  more.resolve()
  expect(String((await chunks.next()).value)).toBe('{"type":"DELETED"}\n')
  response.destroy()
  await left.promise
})

test("a watch whose extension server dies is cut, and does not end as if it were whole", async () => {
  const { send } = await setUp((request, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.write('{"type":"ADDED"}\n', () => request.socket.destroy())
  })
  const response = await send({ path: `${prefix}/flunders?watch=true` })
  await expect(text(response)).rejects.toThrow("aborted")
})

test("a client that reads nothing holds up the extension server, and not our memory", { timeout: 30_000 }, async () => {
  let written = 0
  const [chunk, chunks] = [Buffer.alloc(1024 * 1024), 96]
  const { send } = await setUp(({ url }, response) => {
    if (url?.endsWith("/small") === true) return response.end("small")
    const fill = () => {
      while (written < chunks) {
        written++
        if (!response.write(chunk)) return response.once("drain", fill)
      }
      return response.end()
    }
    response.writeHead(200, { "content-type": "application/octet-stream" })
    return fill()
  })
  const response = await send({ path: `${prefix}/flunders` })
  // Other requests are answered meanwhile, each after what could have been passed on before.
  for (let other = 0; other < 20; other++) expect(await text(await send({ path: `${prefix}/flunders/small` }))).toBe("small")
  expect(written).toBeLessThan(chunks)
  let read = 0
  for await (const data of response) read += (data as Buffer).length
  expect(read).toBe(chunks * chunk.length)
})

test("a server that stops waits neither for a client that reads nothing nor for the extension server", async () => {
  const left = Promise.withResolvers<void>()
  const chunk = Buffer.alloc(1024 * 1024)
  const { send, stop } = await setUp((_, response) => {
    response.once("close", () => left.resolve())
    const fill = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.writeHead(200, { "content-type": "application/octet-stream" }).on("drain", fill)
    fill()
  })
  const response = await send({ path: `${prefix}/flunders` })
  await stop()
  await left.promise
  response.destroy()
})

test("a connection that is upgraded is a tunnel of bytes, with the user in its headers", async () => {
  const { server, port, tls } = await setUp((_, response) => response.writeHead(204).end())
  const heads: string[] = []
  server.on("upgrade", ({ headers }: IncomingMessage, socket: Duplex) => {
    heads.push(`${String(headers["x-remote-user"])} ${String(headers.upgrade)}`)
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Own: 1\r\n\r\nhello")
    socket.on("data", (data: Buffer) => (String(data) === "end" ? socket.end("bye") : socket.write(data)))
    socket.on("error", () => socket.destroy())
  })
  const request = httpsRequest({
    host: "127.0.0.1",
    port,
    agent: false,
    ...tls,
    path: `${prefix}/namespaces/default/flunders/a/connect`,
    headers: { connection: "Upgrade", upgrade: "websocket", "x-remote-user": "root" },
  })
  request.end()
  const refused = once(request, "response").then(async ([answer]) => Promise.reject(new Error(await text(answer as IncomingMessage))))
  const [response, socket, head] = (await Promise.race([once(request, "upgrade"), refused])) as [IncomingMessage, Duplex, Buffer]
  expect([response.statusCode, response.headers["x-own"], heads]).toEqual([101, "1", ["kubernetes-admin websocket"]])
  const read = async () => String(((await once(socket, "data")) as [Buffer])[0])
  expect(head.length > 0 ? String(head) : await read()).toBe("hello")
  const large = "x".repeat(10_000)
  socket.write(large)
  let echoed = ""
  while (echoed.length < large.length) echoed += await read()
  expect(echoed).toBe(large)
  socket.write("end")
  expect(await read()).toBe("bye")
  await once(socket, "close")
})

test("an upgrade that the extension server refuses is answered as it answers", async () => {
  const { send } = await setUp((_, response) => response.writeHead(403, { "content-type": "text/plain" }).end("no"))
  const headers = { connection: "Upgrade", upgrade: "websocket" }
  const response = await send({ path: `${prefix}/namespaces/default/flunders/a/connect`, headers })
  expect([response.statusCode, await text(response)]).toEqual([403, "no"])
})

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
