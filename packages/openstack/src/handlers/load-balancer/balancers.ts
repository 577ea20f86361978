import { type Clock, type Duration } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import { isRefusal } from "../../clients/errors.ts"
import { LoadBalancerPolls } from "../../clients/octavia/load-balancer-polls.ts"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { type Identity, isForeign, isOurs, ownerIn } from "../../drivers/identity.ts"
import type { FoundTree } from "./tree.ts"

export interface BalancersOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly identity: Identity
  readonly project: string
  readonly clock: Clock
  /** How long a load balancer may take to become ACTIVE; 300 s unless told otherwise. */
  readonly timeout?: Duration
}

export interface BalancerName {
  readonly uid: string
  /** kuryr's: "namespace/name". */
  readonly name: string
  /** Undefined: any. */
  readonly ip?: string
  /** The id that the state annotation has. */
  readonly id?: string
}

/**
 * The load balancers of this cluster: finds them, and makes one change at a time to each.
 *
 * Always true between calls, once loaded: #ids has the load balancer of every Service that has one, unless somebody else made or removed it since;
 * #doubtful has the Services of which an answer was lost.
 */
export class Balancers {
  readonly #options: BalancersOptions
  readonly #polls: LoadBalancerPolls
  readonly #ids = new Map<string, string>()
  readonly #doubtful = new Set<string>()
  #loaded: Promise<readonly LoadBalancer[]> | undefined

  constructor(options: BalancersOptions) {
    this.#options = options
    this.#polls = new LoadBalancerPolls({ octavia: options.cloud.octavia, clock: options.clock })
  }

  /** The load balancer of a Service: the one that is known, the one that carries its UID, or one of kuryr's of that name and address. */
  async find(wanted: BalancerName, signal: AbortSignal): Promise<FoundTree | undefined> {
    const known = await this.#idOf(wanted, signal)
    if (known === undefined) return undefined
    const balancer = await this.#options.cloud.octavia.loadBalancers.find(known, { signal })
    if (balancer === undefined || balancer.provisioning_status === "DELETED") {
      this.#ids.delete(wanted.uid)
      return undefined
    }
    this.#ids.set(wanted.uid, balancer.id)
    return this.#treeOf(balancer, signal)
  }

  made(uid: string, id: string): void {
    this.#ids.set(uid, id)
    this.#doubtful.delete(uid)
  }

  /** Nobody knows whether it was made. */
  doubt(uid: string): void {
    this.#doubtful.add(uid)
  }

  /** Those of this cluster, as they were at the start. */
  async all(signal: AbortSignal): Promise<readonly LoadBalancer[]> {
    const { cloud, project } = this.#options
    return cloud.octavia.loadBalancers.list({ project_id: project }, { signal })
  }

  async untilActive(id: string, signal: AbortSignal): Promise<LoadBalancer> {
    return this.#polls.untilActive(id, { signal, timeout: this.#options.timeout ?? "300s" })
  }

  async untilGone(id: string, signal: AbortSignal): Promise<void> {
    await this.#polls.untilGone(id, { signal, timeout: this.#options.timeout ?? "300s" })
  }

  /** Changes something below a load balancer, and ends when it is ACTIVE again. Busy means that somebody else is at it: wait, and try again. */
  async change<T>(id: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const done = await work()
        await this.untilActive(id, signal)
        return done
      } catch (error) {
        if (!isRefusal(error, "busy") || tries === 5) throw error
        await this.untilActive(id, signal)
      }
    }
  }

  async #idOf({ uid, name, ip, id }: BalancerName, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#ids.get(uid)
    if (known !== undefined) return known
    if (this.#doubtful.has(uid)) this.#loaded = undefined
    this.#loaded ??= this.all(signal).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    const all = await this.#loaded
    this.#doubtful.delete(uid)
    const { identity } = this.#options
    const alive = all.filter((one) => !isForeign(one, identity) && one.provisioning_status !== "DELETED")
    const byOwner = alive.find((one) => isOurs(one, identity) && ownerIn(one) === uid)
    const byState = alive.find((one) => one.id === id)
    const byName = alive.find((one) => ownerIn(one) === undefined && one.name === name && (ip === undefined || one.vip_address === ip))
    return (byOwner ?? byState ?? byName)?.id
  }

  async #treeOf(balancer: LoadBalancer, signal: AbortSignal): Promise<FoundTree> {
    const { octavia, neutron } = this.#options.cloud
    const filter = { loadbalancer_id: balancer.id }
    const none = balancer.listeners.length === 0 && balancer.pools.length === 0
    const [listeners, pools, ports, floating] = await Promise.all([
      none ? [] : octavia.listeners.list(filter, { signal }),
      balancer.pools.length === 0 ? [] : octavia.pools.list(filter, { signal }),
      neutron.ports.list({ id: balancer.vip_port_id }, { signal }),
      neutron.floatingIps.list({ port_id: balancer.vip_port_id }, { signal }),
    ])
    const members = new Map(await Promise.all(pools.map(async ({ id }) => [id, await octavia.members(id).list({}, { signal })] as const)))
    const used = new Set(listeners.map(({ default_pool_id }) => default_pool_id))
    return {
      balancer,
      listeners: listeners.map((listener) => ({
        listener,
        pool: pools.find(({ id }) => id === listener.default_pool_id),
        members: members.get(listener.default_pool_id ?? "") ?? [],
      })),
      stray: pools.filter(({ id }) => !used.has(id)),
      floating: floating[0],
      groups: ports[0]?.security_groups,
    }
  }
}
