import type { Duplex } from "node:stream"
import type { Clock } from "@pilothouse/seams"
import type { Targets } from "../targets/targets.ts"
import { bindExactly } from "./bind.ts"
import type { OpenPort } from "./open-port.ts"
import { listenTcp } from "./tcp-listener.ts"

/** The Service whose local endpoints a health check port reports. */
export interface HealthPortOptions {
  /** "default/web" */
  readonly service: string
  /** The endpoints of the Service on this node. */
  readonly targets: Targets
  readonly clock: Clock
}

/** Bytes of a request; a client that sends more is no health check. */
const maxRequest = 16_384
/** Milliseconds that a connection may take. A check takes much less, and a silent client must not keep a socket for ever. */
const maxCheck = 10_000

/** Answers the health checks of balancers that send traffic to nodes, as kube-proxy does: whether the node has an endpoint of the Service. */
export async function openHealthPort(
  port: number,
  { address, ...options }: HealthPortOptions & { readonly address: string },
): Promise<OpenPort> {
  const checks = new HealthPort(options)
  const listener = await bindExactly(address, port, (free) => listenTcp(address, free, (socket) => checks.accept(socket)))
  const close = async () => {
    await listener.close()
    checks.cut()
  }
  return { address, port, protocol: "TCP", bound: listener.port, targets: options.targets, changed: () => {}, close }
}

/**
 * The health checks of one Service.
 * Invariant between calls: `#open` has every connection that has not ended, none of them for longer than a check may take.
 */
export class HealthPort {
  readonly #options: HealthPortOptions
  readonly #open = new Set<Duplex>()

  constructor(options: HealthPortOptions) {
    this.#options = options
  }

  /** Answers one request per connection; its path does not matter. */
  accept(client: Duplex): void {
    const { clock, service, targets } = this.#options
    const limit = clock.timer(maxCheck, `a health check of ${service}`, () => client.destroy())
    this.#open.add(client)
    client.on("close", () => {
      limit[Symbol.dispose]()
      this.#open.delete(client)
    })
    client.on("error", () => client.destroy())
    let request = ""
    client.on("data", (bytes: Uint8Array) => {
      request += Buffer.from(bytes).toString("latin1")
      if (request.includes("\r\n\r\n")) client.end(healthAnswer(service, targets.all.length))
      else if (request.length > maxRequest) client.destroy()
    })
    client.on("end", () => client.end())
    client.resume()
  }

  cut(): void {
    for (const client of this.#open) client.destroy()
  }
}

/** In kube-proxy's words. */
function healthAnswer(key: string, localEndpoints: number): string {
  const [namespace, name] = key.split("/")
  const body = JSON.stringify({ service: { namespace, name }, localEndpoints, serviceProxyHealthy: true })
  const head = [
    localEndpoints > 0 ? "HTTP/1.1 200 OK" : "HTTP/1.1 503 Service Unavailable",
    "Content-Type: application/json",
    "X-Content-Type-Options: nosniff",
    `X-Load-Balancing-Endpoint-Weight: ${localEndpoints}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ]
  return `${head.join("\r\n")}\r\n\r\n${body}`
}
