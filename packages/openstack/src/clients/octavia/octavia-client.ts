import type { Query } from "@pilothouse/seams"
import { readMember, readText } from "../calls/answer.ts"
import type { CallOptions } from "../calls/collection.ts"
import type { ServiceCalls } from "../calls/service-calls.ts"
import type { LoadBalancers, Members, Octavia } from "./octavia.ts"
import { PartCalls } from "./part-calls.ts"
import type * as wire from "./types.ts"

export interface OctaviaClientOptions {
  readonly calls: ServiceCalls
  readonly pageSize: number
}

const base = "/v2/lbaas"

/** Creates a client of Octavia's API v2. */
export function octaviaClient({ calls, pageSize }: OctaviaClientOptions): Octavia {
  const place = (path: string, one: string, many = `${one}s`) => ({ calls, path: `${base}/${path}`, one, many, pageSize })
  return {
    flavour: "octavia",
    loadBalancers: new LoadBalancerCalls(place("loadbalancers", "loadbalancer")),
    listeners: new PartCalls<wire.Listener, wire.NewListener, wire.ListenerSettings>(place("listeners", "listener")),
    pools: new PartCalls<wire.Pool, wire.NewPool, wire.PoolSettings>(place("pools", "pool")),
    members: (pool) => new MemberCalls(place(`pools/${encodeURIComponent(pool)}/members`, "member")),
    healthMonitors: new PartCalls<wire.HealthMonitor, wire.NewHealthMonitor, wire.HealthMonitorSettings>(
      place("healthmonitors", "healthmonitor"),
    ),
    ...octaviaQuota(calls, base),
    minorVersion: (options) => newestMinor(calls, options),
  }
}

/** The calls on load balancers: those of a collection, the status tree and cascading deletion. */
export class LoadBalancerCalls
  extends PartCalls<wire.LoadBalancer, wire.NewLoadBalancer, wire.LoadBalancerChange>
  implements LoadBalancers
{
  override delete(id: string, options: CallOptions & { readonly cascade?: boolean } = {}): Promise<boolean> {
    return this.remove(id, options.cascade ? { cascade: "true" } : {}, options)
  }

  async statusTree(id: string, options?: CallOptions): Promise<wire.StatusTree> {
    const { value } = await this.place.calls.send({ verb: "GET", path: `${this.at(id)}/status`, repeatable: true, options })
    return readMember(value, "statuses") as wire.StatusTree
  }
}

class MemberCalls extends PartCalls<wire.Member, wire.NewMember, wire.MemberChange> implements Members {
  async replaceAll(members: readonly wire.NewMember[], options: CallOptions & { readonly additive?: boolean } = {}): Promise<void> {
    const { calls, path } = this.place
    const query: Query = options.additive ? { additive_only: "true" } : {}
    await calls.send({ verb: "PUT", path, query, body: { members }, repeatable: true, options })
  }
}

/** Reads and writes the limits of a project; names without a number are left out. */
export function octaviaQuota(calls: ServiceCalls, at: string): Pick<Octavia, "quota" | "setQuota"> {
  return {
    async quota(project, options) {
      const path = `${at}/quotas/${encodeURIComponent(project)}`
      const quota = readMember((await calls.send({ verb: "GET", path, repeatable: true, options })).value, "quota")
      const entries = Object.entries((quota ?? {}) as Record<string, unknown>)
      return Object.fromEntries(entries.flatMap(([name, limit]) => (typeof limit === "number" ? [[name, limit]] : [])))
    },
    async setQuota(project, quota, options) {
      await calls.send({ verb: "PUT", path: `${at}/quotas/${encodeURIComponent(project)}`, body: { quota }, repeatable: true, options })
    },
  }
}

/** "v2.26" is 26. */
async function newestMinor(calls: ServiceCalls, options?: CallOptions): Promise<number> {
  const { value } = await calls.send({ verb: "GET", path: "/", repeatable: true, options })
  const versions = readMember(value, "versions")
  const minors = (Array.isArray(versions) ? versions : []).map((version) => Number(/^v2\.(\d+)$/.exec(readText(version, "id"))?.[1] ?? 0))
  return Math.max(0, ...minors)
}
