import { once } from "node:events"
import { connect } from "node:tls"
import type { Random } from "@pilothouse/seams"
import { startOurApiServer } from "../../../real/our-api-server.ts"
import { users } from "../../../real/users.ts"
import { alphabetNames, alphabets } from "./alphabets.ts"
import { type Growth, superLinear } from "./growth.ts"

/** Characters. Headers may have a megabyte in all. */
const sizes = [1, 2000, 16_000, 128_000]

const paths = ["/healthz", "/healthz/log", "/api/v1/pods", "/apis/apps/v1/deployments", "/metrics", "/openapi/v3", "/debug/trace"]
const parameters = [
  "timeout",
  "timeoutSeconds",
  "labelSelector",
  "fieldSelector",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "limit",
  "watch",
  "pretty",
  "verbose",
  "exclude",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "gracePeriodSeconds",
  "sendInitialEvents",
]
const headers = [
  "Accept",
  "Accept-Encoding",
  "Authorization",
  "Content-Type",
  "User-Agent",
  "Impersonate-User",
  "Impersonate-Group",
  "Impersonate-Extra-a",
  "Audit-ID",
  "Cookie",
  "Origin",
  "Upgrade",
  "Sec-WebSocket-Protocol",
  "If-None-Match",
  "X-Forwarded-For",
]

/** Paths, query parameters and headers over real sockets: what only the edge reads. Client and server share the thread, and the client is linear. */
export async function growAtEdge(random: Random, requests: number, found: (fault: string) => void): Promise<number> {
  await using server = await startOurApiServer()
  const counter = { requests: 0 }
  const one = <T>(list: readonly T[]): T => list[random.int(list.length)]!
  const token = users.admin.token
  while (counter.requests < requests) {
    const alphabet = one(alphabetNames)
    const text = (size: number) => alphabets[alphabet]!(size)
    const [path, parameter, header] = [one(paths), one(parameters), one(headers)]
    // As it stands where a request line allows it, which is how an attacker sends it.
    const raw = (size: number) => text(size).replaceAll(/[^!-~]/g, "%20")
    const heads: readonly (readonly [name: string, head: (size: number) => string])[] = [
      [`path ${path}`, (size) => head(`${path}${raw(size)}`)],
      [`path below ${path}`, (size) => head(`${path}/${raw(size)}`, token)],
      [`?${parameter}= of ${path}`, (size) => head(`${path}?${parameter}=${raw(size)}`, token)],
      [
        `?${parameter}= of ${path}, escaped`,
        (size) => head(`${path}?${parameter}=${encodeURIComponent(text(size).toWellFormed())}`, token),
      ],
      ["operations of a JSON patch", (size) => patch(token, size)],
      ["different names of headers", (size) => head(path, token, headerNames(size))],
      [`header ${header}`, (size) => head(path, token, `${header}: ${text(size).replaceAll(/[^ -~]/g, "a")}\r\n`)],
    ]
    const [name, make] = one(heads)
    const growth: Growth = { name: `${name}, ${alphabet}`, sizes, run: (size) => exchange(server, make(size)) }
    const fault = await superLinear(growth, counter)
    if (fault !== undefined) found(fault)
  }
  return counter.requests
}

/** As many operations as so many characters have room for, of which each sees what the one before has made. */
function patch(token: string, size: number): string {
  const operations = Array.from({ length: Math.ceil(size / 60) }, (_, at) => ({
    op: "add",
    path: `/metadata/annotations/a${at}`,
    value: "b",
  }))
  const body = JSON.stringify([{ op: "add", path: "/metadata/annotations", value: {} }, ...operations])
  const headers = `Authorization: Bearer ${token}\r\nContent-Type: application/json-patch+json\r\nContent-Length: ${body.length}\r\n`
  return `PATCH /api/v1/namespaces/default?dryRun=All HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n${body}`
}

/** As many different headers as so many characters have room for. */
function headerNames(size: number): string {
  return Array.from({ length: Math.ceil(size / 10) }, (_, at) => `x-${at.toString(36)}: a\r\n`).join("")
}

/** A request that closes its connection; with a token it is an administrator's. */
export function head(path: string, token?: string, more = ""): string {
  const authorization = token === undefined || more.startsWith("Authorization") ? "" : `Authorization: Bearer ${token}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}${more}Connection: close\r\n\r\n`
}

/** Sends a request. Until the server closes the connection; a watch is not waited for. */
export async function exchange({ port, ca }: { readonly port: number; readonly ca: string }, text: string): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] })
  socket.on("error", () => socket.destroy())
  socket.setTimeout(500, () => socket.destroy())
  socket.resume()
  socket.write(Buffer.from(text, "latin1"))
  if (!socket.closed) await once(socket, "close").catch(() => {})
}
