import type { ClientRequest } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Connection } from "./connection.ts"
import { type Dial, forwardsRequests, type SocketModules } from "./dial.ts"
import type { Outgoing, Received, Requester } from "./requester.ts"
import { proxyAuthorization } from "./tunnel.ts"

/** How long an unused connection stays open. As long as Go's: shorter than what servers and load balancers keep an idle connection. */
export const keepAlive = 90_000

/**
 * Speaks HTTP/1.1 by Node's own client, whose parser is native. Each request has a connection of its own while it lasts, a watch too; connections
 * are reused. Invariant: a connection that closes ends at most one request.
 */
export class Http1Requester implements Requester {
  readonly #http: SocketModules["http"]
  readonly #dial: Dial
  readonly #agent
  readonly #target
  readonly #absolute: string
  readonly #proxyHeaders: Record<string, string>
  readonly #underWay = new Set<ClientRequest>()
  readonly #idle = Promise.withResolvers<void>()
  readonly #stopped = new AbortController()
  /** Open, and not used for a request yet. */
  #spare: Socket | undefined
  #closing = false

  constructor(http: SocketModules["http"], connection: Connection, dial: Dial) {
    const server = new URL(connection.server)
    const forwards = forwardsRequests(connection)
    this.#http = http
    this.#dial = dial
    this.#agent = new http.Agent({ keepAlive: true, timeout: keepAlive })
    // Only for the Host header: the sockets come from the dialer.
    this.#target = { host: server.hostname, port: server.port, defaultPort: server.protocol === "https:" ? 443 : 80 }
    this.#absolute = forwards ? server.origin : ""
    this.#proxyHeaders = forwards ? proxyAuthorization(new URL(connection.proxy!)) : {}
    Object.assign(this.#agent, { createConnection: this.#connect })
  }

  request({ path, method, headers, body, signal, upgrade }: Outgoing): Promise<Received> {
    return new Promise<Received>((resolve, reject) => {
      if (this.#closing) throw new Error("the connections are closed; ask for new ones")
      const request = this.#http.request({
        ...this.#target,
        agent: this.#agent,
        path: this.#absolute + path,
        method,
        headers: { ...withLength(headers, body), ...this.#proxyHeaders },
        signal,
      })
      this.#underWay.add(request)
      request.once("close", () => this.#ended(request))
      request.on("error", reject)
      request.once("response", (response) => resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response }))
      request.once("upgrade", (response, socket, head) => {
        if (!upgrade) {
          // Node would end the connection and say nothing.
          socket.destroy()
          return reject(
            new Error(`expected an answer in HTTP, found a change of the protocol to ${JSON.stringify(response.headers.upgrade)}`),
          )
        }
        const upgraded = { socket, head, rawHeaders: response.rawHeaders }
        resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response, upgraded })
      })
      request.end(body ?? undefined)
    })
  }

  /** Takes over a connection that is open already: the next request uses it. */
  adopt(socket: Socket): void {
    this.#spare = socket
  }

  async close(): Promise<void> {
    this.#closing = true
    if (this.#underWay.size > 0) await this.#idle.promise
    await this.destroy()
  }

  async destroy(): Promise<void> {
    this.#closing = true
    this.#stopped.abort(new Error("the connections are closed; ask for new ones"))
    for (const request of this.#underWay) request.destroy()
    this.#spare?.destroy()
    this.#agent.destroy()
  }

  readonly #connect = (_: unknown, created: (error: Error | null, socket?: Duplex) => void): void => {
    const spare = this.#spare
    this.#spare = undefined
    if (spare !== undefined && !spare.destroyed) created(null, spare)
    else this.#dial(["http/1.1"], this.#stopped.signal).then((socket) => created(null, socket), created)
  }

  #ended(request: ClientRequest): void {
    this.#underWay.delete(request)
    if (this.#closing && this.#underWay.size === 0) this.#idle.resolve()
  }
}

function withLength(headers: Outgoing["headers"], body: Uint8Array | null): Outgoing["headers"] {
  return body === null ? headers : { ...headers, "content-length": String(body.length) }
}
