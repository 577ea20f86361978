import { readMember } from "../calls/answer.ts"
import type { CallOptions } from "../calls/collection.ts"
import type { CollectionPlace } from "../calls/collection-calls.ts"
import type { ServiceCalls } from "../calls/service-calls.ts"
import type { LoadBalancerPolls } from "./load-balancer-polls.ts"
import type { Members, Octavia } from "./octavia.ts"
import { LoadBalancerCalls, octaviaQuota } from "./octavia-client.ts"
import { PartCalls } from "./part-calls.ts"
import type * as wire from "./types.ts"

export interface NeutronLbaasOptions {
  readonly calls: ServiceCalls
  readonly pageSize: number
  /** Needed because a tree takes several calls here, each of which makes the load balancer immutable for a while. */
  polls(octavia: Octavia): LoadBalancerPolls
}

const base = "/v2.0/lbaas"

/** neutron-lbaas v2, which knows neither whole trees nor cascades, batches, tags, versions. */
export function neutronLbaasClient({ calls, pageSize, polls }: NeutronLbaasOptions): Octavia {
  const place = (path: string, one: string, many = `${one}s`) => ({ calls, path: `${base}/${path}`, one, many, pageSize })
  const balancers = new OldLoadBalancerCalls(
    place("loadbalancers", "loadbalancer"),
    () => client,
    () => waiting,
  )
  const client: Octavia = {
    flavour: "neutron-lbaas",
    loadBalancers: balancers,
    listeners: new OldCalls<wire.Listener, wire.NewListener, wire.ListenerSettings>(place("listeners", "listener")),
    pools: new OldCalls<wire.Pool, wire.NewPool, wire.PoolSettings>(place("pools", "pool")),
    members: (pool) =>
      new OldMemberCalls(
        place(`pools/${encodeURIComponent(pool)}/members`, "member"),
        pool,
        () => client,
        () => waiting,
      ),
    healthMonitors: new OldCalls<wire.HealthMonitor, wire.NewHealthMonitor, wire.HealthMonitorSettings>(
      place("healthmonitors", "healthmonitor"),
    ),
    ...octaviaQuota(calls, base),
    minorVersion: async () => 0,
  }
  const waiting = polls(client)
  return client
}

/** An unknown attribute is refused: tags are left out. Both names of the project are sent, as old releases require. */
function old<New>(requested: New): New {
  const { tags: _tags, ...rest } = requested as New & { tags?: unknown; project_id?: string }
  return { ...rest, ...(rest.project_id === undefined ? {} : { tenant_id: rest.project_id }) } as New
}

class OldCalls<T extends { readonly tags: readonly string[] }, New, Change> extends PartCalls<T, New, Change> {
  override create(requested: New, options?: CallOptions): Promise<T> {
    return super.create(old(requested), options)
  }

  override update(id: string, change: Change, options?: CallOptions): Promise<T> {
    return super.update(id, old(change), options)
  }
}

class OldLoadBalancerCalls extends LoadBalancerCalls {
  readonly #client: () => Octavia
  readonly #polls: () => LoadBalancerPolls

  constructor(place: LoadBalancerCalls["place"], client: () => Octavia, polls: () => LoadBalancerPolls) {
    super(place)
    this.#client = client
    this.#polls = polls
  }

  override async create({ listeners = [], ...requested }: wire.NewLoadBalancer, options?: CallOptions): Promise<wire.LoadBalancer> {
    const made = await super.create(old(requested), options)
    if (listeners.length === 0) return made
    await buildTree({ octavia: this.#client(), polls: this.#polls(), id: made.id, project: requested.project_id, options }, listeners)
    return this.get(made.id, options)
  }

  override update(id: string, change: wire.LoadBalancerChange, options?: CallOptions): Promise<wire.LoadBalancer> {
    return super.update(id, old(change), options)
  }

  override async delete(id: string, options: CallOptions & { readonly cascade?: boolean } = {}): Promise<boolean> {
    if (options.cascade) await removeTree({ octavia: this.#client(), polls: this.#polls(), id, options })
    return this.remove(id, {}, options)
  }

  override async statusTree(id: string, options?: CallOptions): Promise<wire.StatusTree> {
    const { value } = await this.place.calls.send({ verb: "GET", path: `${this.at(id)}/statuses`, repeatable: true, options })
    return readMember(value, "statuses") as wire.StatusTree
  }
}

class OldMemberCalls extends OldCalls<wire.Member, wire.NewMember, wire.MemberChange> implements Members {
  readonly #pool: string
  readonly #client: () => Octavia
  readonly #polls: () => LoadBalancerPolls

  constructor(place: CollectionPlace, pool: string, client: () => Octavia, polls: () => LoadBalancerPolls) {
    super(place)
    this.#pool = pool
    this.#client = client
    this.#polls = polls
  }

  /** One call per member that differs, each when the load balancer takes changes again. */
  async replaceAll(members: readonly wire.NewMember[], options: CallOptions & { readonly additive?: boolean } = {}): Promise<void> {
    const pool = await this.#client().pools.get(this.#pool, options)
    const balancer = pool.loadbalancers[0]?.id
    const settled = async () => void (balancer !== undefined && (await this.#polls().untilActive(balancer, options)))
    const found = await this.list({}, options)
    const key = ({ address, protocol_port }: Pick<wire.NewMember, "address" | "protocol_port">) => `${address} ${protocol_port}`
    const [have, requestedKeys] = [new Set(found.map(key)), new Set(members.map(key))]
    for (const gone of options.additive ? [] : found.filter((member) => !requestedKeys.has(key(member)))) {
      await settled()
      await this.delete(gone.id, options)
    }
    for (const missing of members.filter((member) => !have.has(key(member)))) {
      await settled()
      await this.create(missing, options)
    }
  }
}

interface Place {
  readonly octavia: Octavia
  readonly polls: LoadBalancerPolls
  /** Of the load balancer. */
  readonly id: string
  /** Of the whole tree. */
  readonly project?: string
  readonly options?: CallOptions
}

/** What one populated POST does, in single calls: between any two the load balancer has to be ACTIVE again. */
async function buildTree(place: Place, listeners: readonly wire.NewListenerTree[]): Promise<void> {
  for (const listener of listeners) await buildListener(place, listener)
}

async function buildListener({ octavia, polls, id, project, options }: Place, tree: wire.NewListenerTree): Promise<void> {
  const { default_pool, ...listener } = tree
  const owner = project === undefined ? {} : { project_id: project }
  await polls.untilActive(id, options)
  const made = await octavia.listeners.create({ ...listener, ...owner, loadbalancer_id: id }, options)
  if (default_pool === undefined) return
  const { members = [], healthmonitor, ...pool } = default_pool
  await polls.untilActive(id, options)
  const { id: poolId } = await octavia.pools.create({ ...pool, ...owner, listener_id: made.id }, options)
  for (const member of members) {
    await polls.untilActive(id, options)
    await octavia.members(poolId).create({ ...member, ...owner }, options)
  }
  if (healthmonitor === undefined) return
  await polls.untilActive(id, options)
  await octavia.healthMonitors.create({ ...healthmonitor, ...owner, pool_id: poolId }, options)
}

/** Deletes as a cascade does, from the leaves up. What another client has deleted in the meantime counts as deleted. */
async function removeTree({ octavia, polls, id, options }: Place): Promise<void> {
  const balancer = await octavia.loadBalancers.find(id, options)
  if (balancer === undefined) return
  const remove = async (work: () => Promise<boolean>) => {
    await polls.untilChangeable(id, options)
    await work()
  }
  for (const pool of balancer.pools) {
    const found = await octavia.pools.find(pool.id, options)
    const monitor = found?.healthmonitor_id
    if (monitor) await remove(() => octavia.healthMonitors.delete(monitor, options))
    await remove(() => octavia.pools.delete(pool.id, options))
  }
  for (const listener of balancer.listeners) await remove(() => octavia.listeners.delete(listener.id, options))
  await polls.untilChangeable(id, options)
}
