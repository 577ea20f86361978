import type { HealthCheck } from "@pilothouse/runtime"
import { type Clock, type Log, type Metrics, messageOf, noMetrics, silentLog } from "@pilothouse/seams"
import { withCallTimeout } from "../clients/calls/call-timeout.ts"
import type { OpenStack } from "../clients/cloud.ts"

/** The cloud and the project whose quota is checked. */
export interface CloudHealthOptions {
  readonly cloud: Pick<OpenStack, "keystone" | "neutron" | "octavia">
  readonly project: string
  readonly clock: Clock
  readonly log?: Log
  readonly metrics?: Metrics
  /** Whether the ports that were there at the start are known. */
  readonly poolsLoaded: () => boolean
}

/** Milliseconds between two looks. */
const every = 30_000
const checkTimeout = "1m"

/**
 * Whether the cloud can be used: Keystone issues a token, there is quota left, and the pools are loaded.
 * It decides readiness, never liveness: a cloud that is away comes back, and a restart would not help it.
 * Invariant: #checks is the result of the last check.
 */
export class CloudHealth {
  readonly #options: CloudHealthOptions
  #checks: readonly HealthCheck[] = [{ name: "keystone", ok: false, reason: "not asked yet", readyOnly: true }]

  constructor(options: CloudHealthOptions) {
    this.#options = options
  }

  checks(): readonly HealthCheck[] {
    const loaded = this.#options.poolsLoaded()
    const reason = loaded ? undefined : "the ports that were there at the start are not known yet"
    return [...this.#checks, { name: "pools", ok: loaded, reason, readyOnly: true }]
  }

  /** Looks from time to time, until the signal ends. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#checks = await this.check(signal)
      // Ends early, and without a word, when all is over.
      await this.#options.clock.sleep(every, { signal, name: "the next check of the cloud" }).catch(() => {})
    }
  }

  async check(signal: AbortSignal): Promise<readonly HealthCheck[]> {
    const { cloud, log = silentLog } = this.#options
    try {
      await cloud.keystone.token({ signal })
    } catch (error) {
      if (!signal.aborted) log.warn("Keystone does not let us in", { error: messageOf(error) })
      return [{ name: "keystone", ok: false, reason: messageOf(error), readyOnly: true }]
    }
    return [{ name: "keystone", ok: true, readyOnly: true }, await this.#quota(signal)]
  }

  async #quota(signal: AbortSignal): Promise<HealthCheck> {
    const { cloud, project, clock, metrics = noMetrics } = this.#options
    const gauge = metrics.gauge({ name: "kuryr_quota_free_count", help: "How many more of a resource the project may have; -1: no limit." })
    try {
      // Behind other calls, and asked again, it could take many minutes, and all would seem well.
      const limit = { clock, timeout: checkTimeout, signal, what: "the question for quotas" } as const
      const all = await withCallTimeout(limit, (end) => freeQuotas(cloud, project, end))
      for (const { resource, free } of all) gauge.set(free ?? -1, { resource })
      const none = all.filter(({ free }) => free === 0).map(({ resource, limit }) => `all ${limit} of ${resource} are used`)
      return { name: "quota", ok: none.length === 0, reason: none.join(", ") || undefined, readyOnly: true }
    } catch (error) {
      return { name: "quota", ok: false, reason: messageOf(error), readyOnly: true }
    }
  }
}

/** How much of one quota of the project is left. */
export interface FreeQuota {
  readonly resource: string
  readonly limit: number
  /** Undefined: no limit. */
  readonly free?: number
}

/** What pods and Services are made of. */
const ofNeutron = ["port", "security_group", "security_group_rule", "floatingip"]

/** Returns how many more of each resource the project may have. Octavia does not report what is used: its load balancers are counted. */
export async function freeQuotas(
  { neutron, octavia }: Pick<OpenStack, "neutron" | "octavia">,
  project: string,
  signal: AbortSignal,
): Promise<readonly FreeQuota[]> {
  const [network, balancing, balancers] = await Promise.all([
    neutron.quota(project, { signal }),
    octavia.quota(project, { signal }),
    octavia.loadBalancers.list({ project_id: project }, { signal }),
  ])
  const used = ofNeutron.flatMap((resource) => {
    const found = network[resource]
    return found === undefined ? [] : [toFreeQuota(resource, found.limit, found.used + found.reserved)]
  })
  return [...used, toFreeQuota("load_balancer", balancing.load_balancer ?? -1, balancers.length)]
}

function toFreeQuota(resource: string, limit: number, used: number): FreeQuota {
  return limit < 0 ? { resource, limit } : { resource, limit, free: Math.max(0, limit - used) }
}
