import type { ClientRequest } from "node:http"
import type { Outgoing, Received, Requester } from "./requester.ts"

type NodeHttp = typeof import("node:http")

export interface PlainTimes {
  /** How long a connection may take to open. */
  readonly connect: number
  /** How long one that nobody uses stays open. */
  readonly keepAlive: number
}

/**
 * Speaks with a server that has no TLS, and so only HTTP/1.1 (`kubectl proxy`, a sidecar), by Node's own client: its parser is native, and a
 * list of 44 MB comes in for 0.4 of the CPU that undici's takes. Each watch has a connection of its own.
 */
export function plainRequester(http: NodeHttp, server: string, times: PlainTimes): Requester {
  const { hostname, port } = new URL(server)
  // Node wants IPv6 addresses without their brackets.
  const target = { host: hostname.replace(/^\[|\]$/g, ""), port: port || "80" }
  const agent = new http.Agent({ keepAlive: true, timeout: times.keepAlive })
  const underWay = new Set<ClientRequest>()
  const idle = Promise.withResolvers<void>()
  let closing = false
  const ended = (request: ClientRequest) => {
    underWay.delete(request)
    if (closing && underWay.size === 0) idle.resolve()
  }
  return {
    // Each request has a connection of its own: one that closes concerns no other.
    isLeaving: false,
    request: ({ path, method, headers, body, signal }) =>
      new Promise<Received>((resolve, reject) => {
        if (closing) throw new Error("the connections are closed; ask for new ones")
        const request = http.request({ ...target, agent, path, method, headers: withLength(headers, body), signal })
        underWay.add(request)
        request.once("close", () => ended(request))
        limitConnecting(request, times.connect)
        request.on("error", reject)
        request.once("response", (response) => resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response }))
        request.end(body ?? undefined)
      }),
    async close() {
      closing = true
      if (underWay.size > 0) await idle.promise
      agent.destroy()
    },
    async destroy() {
      closing = true
      for (const request of underWay) request.destroy()
      agent.destroy()
    },
  }
}

function withLength(headers: Outgoing["headers"], body: Uint8Array | null): Outgoing["headers"] {
  return body === null ? headers : { ...headers, "content-length": String(body.length) }
}

/** Real timers, and no Clock: a socket is never part of virtual time. */
function limitConnecting(request: ClientRequest, limit: number): void {
  request.once("socket", (socket) => {
    if (!socket.connecting) return
    const late = Object.assign(new Error(`no connection within ${limit} ms`), { code: "ETIMEDOUT" })
    const timer = setTimeout(() => request.destroy(late), limit)
    socket.once("connect", () => clearTimeout(timer))
    socket.once("close", () => clearTimeout(timer))
  })
}
