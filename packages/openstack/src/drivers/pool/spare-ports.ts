import type { PoolSizes } from "../../configuration/configuration.ts"
import type { PodPort, PortRequest } from "../vif/pod-vif.ts"

/** Returns the key of the pool whose ports a pod can use. */
export function poolKey(request: Pick<PortRequest, "project" | "network" | "groups">, host: string): string {
  return [host, request.project, request.network, ...[...request.groups].sort()].join(" ")
}

function hostIn(key: string): string {
  return key.split(" ", 1)[0] ?? ""
}

export function portPoolKey({ port, host = "" }: PodPort): string {
  return poolKey({ project: port.project_id, network: port.network_id, groups: port.security_groups }, host)
}

/** Ports that no pod has, by what they are good for. The one that came last goes first. */
export class SparePorts {
  readonly #sizes: PoolSizes
  readonly #ports = new Map<string, PodPort[]>()
  /** When each pool was last filled. */
  readonly #filled = new Map<string, number>()
  /** The pools that are being filled: a cloud that is slow must not be asked for more and more. */
  readonly #filling = new Set<string>()

  constructor(sizes: PoolSizes) {
    this.#sizes = sizes
  }

  size(key: string): number {
    return this.#ports.get(key)?.length ?? 0
  }

  add(key: string, port: PodPort): void {
    const known = this.#ports.get(key) ?? []
    this.#ports.set(key, known)
    if (!known.some((one) => one.port.id === port.port.id)) known.push(port)
  }

  /** In whichever pool. */
  get ids(): readonly string[] {
    return [...this.#ports.values()].flatMap((ports) => ports.map(({ port }) => port.id))
  }

  get hosts(): ReadonlySet<string> {
    return new Set([...this.#ports].filter(([, ports]) => ports.length > 0).map(([key]) => hostIn(key)))
  }

  /** Removes and returns all spare ports of a host. */
  takeAll(host: string): readonly PodPort[] {
    const keys = [...this.#ports.keys()].filter((key) => hostIn(key) === host)
    const removed = keys.flatMap((key) => this.#ports.get(key) ?? [])
    for (const key of keys) {
      this.#ports.delete(key)
      this.#filled.delete(key)
    }
    return removed
  }

  /** Whether a pool of the host is being filled now: the cloud may have ports there of which there is no answer yet. Undefined: any host. */
  filling(): (host: string | undefined) => boolean {
    const hosts = new Set([...this.#filling].map(hostIn))
    return (host) => (host === undefined ? hosts.size > 0 : hosts.has(host))
  }

  take(key: string): PodPort | undefined {
    return this.#ports.get(key)?.pop()
  }

  isFull(key: string): boolean {
    return this.#sizes.max > 0 && this.size(key) >= this.#sizes.max
  }

  /** Whether to fill it now: not where there are enough, or it was filled just now. Several that find it empty must not each fill it. Then fillEnded(). */
  startFill(key: string, now: number): boolean {
    const last = this.#filled.get(key)
    if (this.missing(key) === 0 || this.#filling.has(key) || (last !== undefined && now - last < this.#sizes.updateFrequency)) return false
    this.#filled.set(key, now)
    this.#filling.add(key)
    return true
  }

  /** How many to make: none where there are enough. */
  missing(key: string): number {
    const { min, batch } = this.#sizes
    return this.size(key) >= min ? 0 : Math.max(batch, min - this.size(key))
  }

  /** Whether or not anything was made. */
  fillEnded(key: string): void {
    this.#filling.delete(key)
  }
}

/** Returns a request that the port would satisfy. */
export function requestLike({ port, host = "" }: PodPort): PortRequest {
  const { project_id: project, network_id: network, security_groups: groups, fixed_ips } = port
  return { project, network, groups, subnets: fixed_ips.map(({ subnet_id }) => subnet_id), node: host, hostIp: host }
}
