import type { Duplex } from "node:stream"
import { bindExactly } from "./bind.ts"
import type { OpenPort } from "./open-port.ts"
import type { Targets } from "./targets.ts"
import { listenTcp } from "./tcp-listener.ts"

export interface HealthPortOptions {
  readonly address: string
  /** "default/web" */
  readonly service: string
  /** The endpoints of the Service on this node. */
  readonly targets: Targets
}

/** Bytes of a question; whoever sends more is no health check. */
const longestQuestion = 16_384

/** Answers the health checks of balancers that send traffic to nodes, as kube-proxy does: whether the node has an endpoint of the Service. */
export async function openHealthPort(port: number, { address, service, targets }: HealthPortOptions): Promise<OpenPort> {
  const listener = await bindExactly(address, port, (free) => listenTcp(address, free, (socket) => answer(socket, service, targets)))
  return { address, port, protocol: "TCP", bound: listener.port, targets, changed: () => {}, close: () => listener.close() }
}

/** One question for each connection; what is asked for does not matter. */
function answer(client: Duplex, service: string, targets: Targets): void {
  let question = ""
  client.on("error", () => client.destroy())
  client.on("data", (bytes: Uint8Array) => {
    question += Buffer.from(bytes).toString("latin1")
    if (question.includes("\r\n\r\n")) client.end(healthAnswer(service, targets.all.length))
    else if (question.length > longestQuestion) client.destroy()
  })
  client.on("end", () => client.end())
  client.resume()
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
