import { AdsClient, type AdsClientOptions } from "./ads-client.ts"
import type { BenchCluster } from "./cluster.ts"
import { clusterName, type Group } from "./objects.ts"
import type { Side } from "./sides.ts"

/** Less than one endpoint has, more than versions and nonces differ in length. */
const clearly = 20
const patience = 60_000

/** Milliseconds from the API server's answer to a write until the first and the last client have the change. */
export interface Times {
  readonly first: number
  readonly last: number
  /** When the API server had answered, as performance.now() counts. */
  readonly acknowledged: number
}

export interface FleetOptions extends Pick<AdsClientOptions, "delta" | "clusters"> {
  readonly count: number
  readonly group: Group
  /** More names that each client wants beside the group's. */
  readonly others?: readonly Group[]
}

/** Clients of one server that all watch the endpoints of one Service. */
export class Fleet implements Disposable {
  readonly #clients: readonly AdsClient[]
  readonly #group: Group
  /** Bytes of the first response. */
  #length = 0
  /** Of one without the endpoint that comes and goes (true), and with it. */
  readonly #lengths = new Map<boolean, number>()

  private constructor(clients: readonly AdsClient[], { group }: FleetOptions) {
    this.#clients = clients
    this.#group = group
  }

  /** Once each client has its first endpoints. */
  static async connect({ port }: Pick<Side, "port">, options: FleetOptions): Promise<Fleet> {
    const { count, group, others = [], delta, clusters } = options
    const names = [group, ...others].map(clusterName)
    const id = (index: number) => `sidecar~10.1.${index >> 8}.${index & 255}~c${index}.bench~bench.svc.cluster.local`
    const clients = Array.from({ length: count }, (_, index) => new AdsClient({ port, id: id(index), names, delta, clusters }))
    const fleet = new Fleet(clients, options)
    const full = (length: number) => {
      fleet.#length = length
      return length > group.endpoints * clearly
    }
    await inTime("the first endpoints", Promise.all(clients.map((client) => client.next(full))))
    return fleet
  }

  /** Bytes of a response for each endpoint in it. */
  get bytesPerEndpoint(): number {
    return this.#length / this.#group.endpoints
  }

  /** Of all responses with endpoints so far, at one client. */
  get bytes(): number {
    return this.#clients[0]!.bytes
  }

  get responses(): number {
    return this.#clients.reduce((sum, { received }) => sum + received, 0)
  }

  /** One change, until the last client has it. */
  async change(cluster: BenchCluster): Promise<Times> {
    // The first two say how long a response is without an endpoint and with it: from then on nothing else counts as the change.
    while (this.#lengths.size < 2) await this.#change(cluster, (length, removed) => void this.#lengths.set(removed, length))
    return this.#change(cluster)
  }

  async #change(cluster: BenchCluster, learn?: (length: number, removed: boolean) => void): Promise<Times> {
    let [first, last] = [Number.POSITIVE_INFINITY, 0]
    const removed = cluster.removesNext(this.#group)
    const expected = this.#lengths.get(removed)
    const is = (length: number) => {
      if (expected !== undefined && Math.abs(length - expected) > clearly) return false
      learn?.(length, removed)
      last = performance.now()
      first = Math.min(first, last)
      return true
    }
    const arrived = Promise.all(this.#clients.map((client) => client.next(is)))
    const acknowledged = await cluster.change(this.#group)
    await inTime(`one endpoint ${removed ? "less" : "more"} of ${this.#group.name}`, arrived)
    return { first: first - acknowledged, last: last - acknowledged, acknowledged }
  }

  async changes(cluster: BenchCluster, count: number): Promise<Times[]> {
    const times: Times[] = []
    for (let turn = 0; turn < count; turn++) times.push(await this.change(cluster))
    return times
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients) client.close()
  }
}

async function inTime<T>(what: string, wanted: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`expected ${what} within ${patience / 1000} s, found nothing`)), patience)
  try {
    return await Promise.race([wanted, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
