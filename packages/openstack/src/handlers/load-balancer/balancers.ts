import type { Clock, Duration } from "@pilothouse/seams"
import { isRefusal } from "../../clients/calls/errors.ts"
import type { OpenStack } from "../../clients/cloud.ts"
import { LoadBalancerPolls } from "../../clients/octavia/load-balancer-polls.ts"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { type ClusterMarks, isOfCluster, isOfOtherCluster, markedOwner } from "../../drivers/creation/cluster-marks.ts"
import { InFlightCreates } from "../../drivers/creation/in-flight-creates.ts"
import { treeInFlightGrace } from "../../drivers/creation/timeouts.ts"
import { freshListeners, readAround, readTree } from "./read-tree.ts"
import type { DesiredTree, FoundTree } from "./tree.ts"

export interface BalancersOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly clusterMarks: ClusterMarks
  readonly project: string
  readonly clock: Clock
  /** How long a load balancer may take to become ACTIVE; 300 s by default. */
  readonly timeout?: Duration
}

/**
 * The load balancers of this cluster: finds them, and makes one change at a time to each.
 *
 * Invariant, once loaded: #ids has the load balancer of every Service that has one, unless another client created or deleted it since;
 * #doubtful has the Services whose response was lost, #fresh those whose load balancer was created here and has not been read since.
 * Nothing is kept of a load balancer that is known to be gone.
 */
export class Balancers {
  readonly #options: BalancersOptions
  readonly #polls: LoadBalancerPolls
  readonly #ids = new Map<string, string>()
  readonly #doubtful = new Set<string>()
  readonly #inFlight: InFlightCreates
  readonly #fresh = new Map<string, { readonly balancer: LoadBalancer; readonly tree: DesiredTree }>()
  /** Load balancers whose provider does not let the groups of their ports be read. */
  readonly #fixedGroups = new Set<string>()
  /** Load balancers whose provider refuses owner marks on them, or on their parts, or does not store them. */
  readonly #fixedMarks = new Set<string>()
  #loaded: Promise<readonly LoadBalancer[]> | undefined

  constructor(options: BalancersOptions) {
    this.#options = options
    this.#inFlight = new InFlightCreates(options.clock, treeInFlightGrace)
    this.#polls = new LoadBalancerPolls({ octavia: options.cloud.octavia, clock: options.clock })
  }

  /** The load balancer of a Service: the one that is known, the one that carries its UID, or one of kuryr's of that name and address. */
  async find(desired: BalancerName, signal: AbortSignal): Promise<FoundTree | undefined> {
    const fresh = await this.#freshTree(desired.uid, signal)
    if (fresh !== undefined) return fresh
    const known = await this.#balancerId(desired, signal)
    if (known === undefined) return undefined
    const balancer = await this.#options.cloud.octavia.loadBalancers.find(known, { signal })
    if (balancer === undefined || balancer.provisioning_status === "DELETED") {
      this.gone(known)
      return undefined
    }
    this.#ids.set(desired.uid, balancer.id)
    this.#inFlight.found(desired.uid)
    return this.#withoutFixed(await readTree(this.#options, balancer, signal))
  }

  made(uid: string, id: string): void {
    this.#ids.set(uid, id)
    this.#doubtful.delete(uid)
  }

  /** Whether the Service had a load balancer when it was last looked at. */
  knows(uid: string): boolean {
    return this.#ids.has(uid)
  }

  /** It became ACTIVE as it was asked for. */
  completed(tree: DesiredTree, balancer: LoadBalancer): void {
    this.#fresh.set(tree.owner, { balancer, tree })
  }

  /** The provider does not let the groups of its port be read: they are not read again. */
  leaveGroups(id: string): void {
    this.#fixedGroups.add(id)
  }

  /** The provider refuses owner marks, or does not store them: they are not written again. */
  leaveUnmarked(id: string): void {
    this.#fixedMarks.add(id)
  }

  /** It was deleted. Its Service, which may be deleted too, is not read again. */
  gone(id: string): void {
    for (const [uid, known] of this.#ids) if (known === id) this.#ids.delete(uid)
    this.#fixedGroups.delete(id)
    this.#fixedMarks.delete(id)
  }

  /** It is unknown whether it was created. */
  doubt(uid: string): void {
    this.#doubtful.add(uid)
  }

  /** Fails while Octavia may still create one for a Service that needs none any more: it would never be deleted. */
  throwIfInFlight(uid: string): void {
    const notYet = this.waitReason(uid)
    if (notYet === undefined) return
    this.doubt(uid)
    throw notYet
  }

  /** Octavia has not answered in time, and may still be at it. */
  inFlight(uid: string, error: unknown): void {
    this.#inFlight.add([uid], error)
  }

  /** Why no other may be asked for yet. */
  waitReason(uid: string): Error | undefined {
    return this.#inFlight.of(uid)
  }

  /** Those of this cluster, as they were at the start. */
  async all(signal: AbortSignal): Promise<readonly LoadBalancer[]> {
    const { cloud, project } = this.#options
    return cloud.octavia.loadBalancers.list({ project_id: project }, { signal })
  }

  async untilActive(id: string, signal: AbortSignal, fresh = false): Promise<LoadBalancer> {
    return this.#polls.untilActive(id, { signal, timeout: this.#options.timeout ?? "300s", fresh })
  }

  async untilGone(id: string, signal: AbortSignal): Promise<void> {
    await this.#polls.untilGone(id, { signal, timeout: this.#options.timeout ?? "300s" })
  }

  /** Changes something below a load balancer, and resolves when it is ACTIVE again. Busy means another change in progress: wait, and retry. */
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

  async #balancerId(desired: BalancerName, signal: AbortSignal): Promise<string | undefined> {
    const { uid } = desired
    const known = this.#ids.get(uid)
    if (known !== undefined) return known
    if (this.#doubtful.has(uid)) this.#loaded = undefined
    this.#loaded ??= this.all(signal).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    const all = await this.#loaded
    this.#doubtful.delete(uid)
    return ownedBalancer(all, desired, this.#options.clusterMarks)?.id
  }

  /** Once: from then on it is read as the cloud has it. */
  async #freshTree(uid: string, signal: AbortSignal): Promise<FoundTree | undefined> {
    const made = this.#fresh.get(uid)
    if (made === undefined) return undefined
    this.#fresh.delete(uid)
    const { octavia } = this.#options.cloud
    const statuses = await octavia.loadBalancers.statusTree(made.balancer.id, { signal }).catch((error: unknown) => {
      if (!isRefusal(error, "not-found")) throw error
      return undefined
    })
    const listeners = statuses && freshListeners(made.balancer, made.tree, statuses)
    if (listeners === undefined) return undefined
    const around = await readAround(this.#options.cloud, made.balancer, signal)
    return this.#withoutFixed({ balancer: made.balancer, listeners, orphanPools: [], unmarked: [], ...around })
  }

  /** What a provider does not let be read counts as not read: nothing is done about it. */
  #withoutFixed(found: FoundTree): FoundTree {
    const { id } = found.balancer
    return {
      ...found,
      groups: this.#fixedGroups.has(id) ? undefined : found.groups,
      unmarked: this.#fixedMarks.has(id) ? [] : found.unmarked,
    }
  }
}

/** Everything by which the load balancer of a Service may be recognized in a project. */
export interface BalancerName {
  readonly uid: string
  /** kuryr's: "namespace/name". */
  readonly name: string
  /** The address of the Service; undefined: it has none. */
  readonly ip?: string
  /** The subnet of that address; undefined: unknown. */
  readonly subnet?: string
  /** The id that the state annotation has. */
  readonly id?: string
}

/**
 * Pure: which of these is the Service's. A marked one belongs to its owner alone, whatever annotations say: annotations get copied. Of those without
 * a mark, kuryr's, a name alone is no proof: another cluster in the project, or a person, may have used it. Nor are an id and a name: a backup that
 * was restored into another cluster brings both, and only the address is new.
 */
export function ownedBalancer(
  all: readonly LoadBalancer[],
  { uid, name, ip, subnet, id }: BalancerName,
  clusterMarks: ClusterMarks,
): LoadBalancer | undefined {
  const alive = all.filter((one) => !isOfOtherCluster(one, clusterMarks) && one.provisioning_status !== "DELETED")
  const byOwner = alive.find((one) => isOfCluster(one, clusterMarks) && markedOwner(one) === uid)
  const unmarked = alive.filter((one) => markedOwner(one) === undefined)
  const isThere = (one: LoadBalancer) => one.vip_address === ip && (subnet === undefined || one.vip_subnet_id === subnet)
  const byState = unmarked.find((one) => one.id === id && (ip === undefined ? one.name === name : isThere(one)))
  const byName = unmarked.find((one) => one.name === name && isThere(one))
  return byOwner ?? byState ?? byName
}
