import {
  type Endpoint,
  Hub,
  type ServedXds,
  type ServeXdsOptions,
  type Service,
  StaticRegistry,
  serveXds,
  type TlsPair,
} from "@pilothouse/discovery"
import { type MemoryMetrics, memoryMetrics } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"

export interface DiscoveryOptions {
  readonly registry?: StaticRegistry
  /** Milliseconds for which a cluster outlives its service. */
  readonly grace?: number
  /** Milliseconds after which clients forget what they do not receive again. */
  readonly ttl?: number
}

/** The real server on a port of loopback, over a registry that the test fills. */
export class Discovery implements AsyncDisposable {
  readonly registry: StaticRegistry
  readonly hub: Hub
  readonly metrics: MemoryMetrics
  #served: ServedXds | undefined
  #port = 0

  constructor({ registry = new StaticRegistry(), grace = 300, ttl }: DiscoveryOptions = {}) {
    this.registry = registry
    this.metrics = memoryMetrics()
    this.hub = new Hub({ registry, clock: systemClock, metrics: this.metrics, grace, ttl })
  }

  async start(port = 0, tls?: ServeXdsOptions["tls"]): Promise<this> {
    this.#served = await serveXds({ hub: this.hub, port, tls })
    this.#port = Number(this.#served.address.split(":").at(-1))
    return this
  }

  /** Another certificate for connections from now on. */
  renew(pair: TlsPair): void {
    this.#served?.renew(pair)
  }

  get port(): number {
    return this.#port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served?.close()
    this.hub[Symbol.dispose]()
  }
}

export function service(name: string, rest: Partial<Service> = {}): Service {
  return {
    hostname: `${name}.shop.svc.cluster.local`,
    name,
    namespace: "shop",
    addresses: {},
    ports: [{ name: "http", port: 8080, protocol: "HTTP" }],
    resolution: "client-side",
    labels: {},
    selector: { app: name },
    exportTo: ["*"],
    accounts: [],
    publishNotReady: false,
    nodeLocal: false,
    distribution: "any",
    created: 0,
    ...rest,
  }
}

export function endpoint(port: number, rest: Partial<Endpoint> = {}): Endpoint {
  return {
    addresses: ["127.0.0.1"],
    port,
    portName: "http",
    health: "healthy",
    locality: { region: "r1", zone: "z1", subzone: "" },
    network: "",
    cluster: "test",
    weight: 1,
    labels: {},
    identity: "",
    namespace: "shop",
    pod: `web-${port}`,
    workload: "web",
    ...rest,
  }
}
