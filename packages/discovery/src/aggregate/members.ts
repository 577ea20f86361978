import { type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import type { ClusterRegistry } from "../kube/cluster-registry.ts"
import type { RegistrySubscriber } from "../registry/registry.ts"

/** A cluster of an aggregate registry. */
export interface Member {
  readonly registry: ClusterRegistry
  readonly stop: AbortController
  subscription: Disposable | undefined
}

/** How members are run and what they notify. */
export interface MembersOptions {
  readonly log: Log
  /** A registry has read its first state, or left: `change` puts it in or out. */
  joined(member: Member): void
  /** What a registry tells, once it has joined. */
  listener(member: Member): RegistrySubscriber
}

/**
 * The registries that run.
 *
 * Invariant: a cluster has at most one registry that answers, and at most one that is about to take its place;
 * while run() is under way all of them run, and each that left has been stopped.
 */
export class Members {
  readonly #options: MembersOptions
  readonly #answering = new Map<string, Member>()
  readonly #coming = new Map<string, Member>()
  readonly #order = new Set<string>()
  readonly #running = new Set<Promise<void>>()
  /** Asked for with every question, so made only when it changes. */
  #list: readonly ClusterRegistry[] | undefined
  #signal: AbortSignal | undefined

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** In the order in which their clusters were added, not in that in which they were read: the first says what a service is. */
  get answering(): readonly ClusterRegistry[] {
    this.#list ??= [...this.#order].flatMap((cluster) => this.#answering.get(cluster)?.registry ?? [])
    return this.#list
  }

  /** Every cluster has a registry that answers; one that is to take the place of another holds no other up. */
  get isComplete(): boolean {
    return [...this.#coming.keys()].every((cluster) => this.#answering.has(cluster))
  }

  isAnswering(member: Member): boolean {
    return this.#answering.get(member.registry.cluster) === member
  }

  /** Whether it has what its cluster has; or its time is over, and there is none that it would replace. */
  mayEnter({ registry }: Member): boolean {
    return registry.synced && (registry.hasRead || !this.#answering.has(registry.cluster))
  }

  answeringOf(cluster: string): ClusterRegistry | undefined {
    return this.#answering.get(cluster)?.registry
  }

  add(registry: ClusterRegistry): void {
    const { cluster } = registry
    if (this.#answering.has(cluster) || this.#coming.has(cluster)) {
      throw new PilothouseError("INVALID", `expected a cluster that is not there yet, found ${cluster} twice; swap its registry instead`)
    }
    this.#come(registry)
  }

  /** Takes the place of the registry of the same cluster once it has read its first state. */
  swap(registry: ClusterRegistry): void {
    const before = this.#coming.get(registry.cluster)
    if (before !== undefined) this.#end(before)
    this.#come(registry)
  }

  /** The one that answered left, and so did its replacement. */
  remove(cluster: string): ClusterRegistry | undefined {
    const [there, coming] = [this.#answering.get(cluster), this.#coming.get(cluster)]
    this.#answering.delete(cluster)
    this.#coming.delete(cluster)
    this.#order.delete(cluster)
    this.#list = undefined
    for (const member of [there, coming]) if (member !== undefined) this.#end(member)
    return there?.registry
  }

  /** Lets a registry answer; gives the one that did before. */
  enter(member: Member): ClusterRegistry | undefined {
    const { cluster } = member.registry
    const before = this.#answering.get(cluster)
    this.#coming.delete(cluster)
    this.#answering.set(cluster, member)
    this.#list = undefined
    if (before !== undefined) this.#end(before)
    return before?.registry
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    for (const member of [...this.#answering.values(), ...this.#coming.values()]) this.#start(member, signal)
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true })
      })
    }
    await Promise.all(this.#running)
  }

  #come(registry: ClusterRegistry): void {
    const member: Member = { registry, stop: new AbortController(), subscription: undefined }
    this.#coming.set(registry.cluster, member)
    this.#order.add(registry.cluster)
    this.#list = undefined
    member.subscription = registry.subscribe(this.#options.listener(member))
    if (this.#signal !== undefined) this.#start(member, this.#signal)
    if (this.mayEnter(member)) this.#options.joined(member)
  }

  #start({ registry, stop }: Member, signal: AbortSignal): void {
    const { log } = this.#options
    const running = registry.run(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => {
      log.error(`the registry of cluster ${registry.cluster} ended; what it knew stays`, {
        cluster: registry.cluster,
        error: messageOf(error),
      })
    })
    this.#running.add(running)
    void running.then(() => this.#running.delete(running))
  }

  #end(member: Member): void {
    member.subscription?.[Symbol.dispose]()
    member.stop.abort()
  }
}
