import type { EventSource } from "@pilothouse/runtime"
import { abortable, type Clock, type Duration, type Log, milliseconds, PilothouseError, Semaphore } from "@pilothouse/seams"
import { withCallTimeout } from "../../clients/calls/call-timeout.ts"
import type { PoolSizes } from "../../configuration/configuration.ts"
import { type ClusterMarks, markedOwner } from "../creation/cluster-marks.ts"
import { maxInFlightCreates, queueTimeout } from "../creation/timeouts.ts"
import type { PodName, PodPort, PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import { DuplicatePorts, type KnownPorts } from "./duplicate-ports.ts"
import { sortPorts } from "./found-ports.ts"
import { OrphanPorts } from "./orphan-ports.ts"
import { type PodPortRequest, PodPorts } from "./pod-ports.ts"
import { PoolFills } from "./pool-fills.ts"
import { poolMaintenance } from "./pool-maintenance.ts"
import { type ClusterView, PoolReconciler } from "./pool-reconciler.ts"
import { PortCreator } from "./port-creator.ts"
import type { PortMaintenance } from "./port-maintenance.ts"
import { PortMarks } from "./port-marks.ts"
import { PortRemovals } from "./port-removals.ts"
import { RemovedNodes } from "./removed-nodes.ts"
import { poolKey, portPoolKey, SparePorts } from "./spare-ports.ts"

export interface VifPoolOptions {
  readonly driver: PodVifDriver
  readonly clusterMarks: ClusterMarks
  readonly clock: Clock
  readonly log: Log
  /** Undefined: no spare ports, each pod's is made for it and removed with it. */
  readonly sizes?: PoolSizes
  /** How long an object has to be without an owner before it is deleted; 5 min by default. */
  readonly grace?: Duration
  /** Nothing is done in the background. */
  readonly dryRun?: boolean
}

const defaultPeriod = 20_000
/** How long a node has to be gone before its spare ports go. */
const defaultGrace = "5m"

/**
 * The ports of pods. Requests and releases are safe to repeat, and a pod never has two: what came about twice on a slow cloud goes.
 *
 * Invariant, once loaded: every port of this cluster is a pod's (#ports), spare, on its way to being spare (in #maintenance), or an orphan.
 */
export class VifPool {
  readonly #options: VifPoolOptions
  readonly #creator: PortCreator
  readonly #spare: SparePorts
  readonly #fills: PoolFills
  readonly #maintenance: PortMaintenance
  readonly #removals: PortRemovals
  readonly #marks: PortMarks
  readonly #reconciler: PoolReconciler
  readonly #ports = new PodPorts()
  /** Pods whose port is being created and for which no caller waits. */
  readonly #abandoned = new Set<string>()
  readonly #orphans = new OrphanPorts()
  readonly #duplicates: DuplicatePorts
  #view: ClusterView = { pods: () => [] }
  #loading: Promise<void> | undefined
  #loaded = false
  #enqueue: (key: string, reason: string) => void = () => {}
  #life = new AbortController()

  constructor(options: VifPoolOptions) {
    this.#options = options
    const { driver, clock, log } = options
    const slots = new Semaphore(maxInFlightCreates)
    const lost = () => this.#duplicates.suspect()
    const isNeeded = ({ pod }: PortRequest) => pod === undefined || (this.#view.exists?.(pod) ?? true)
    this.#creator = new PortCreator({ driver, clock, slots, lost, isNeeded, late: (request, port) => this.#onLatePort(request, port) })
    this.#duplicates = new DuplicatePorts({
      ...options,
      podPort: (uid) => this.#ports.of(uid),
      known: () => this.#knownPorts(),
      annotated: () => new Set(this.#view.pods().flatMap(({ port }) => port ?? [])),
    })
    this.#spare = new SparePorts(options.sizes ?? { min: 0, max: 0, batch: 0, updateFrequency: defaultPeriod })
    this.#fills = new PoolFills({ driver, spare: this.#spare, clock, log, slots, lost })
    this.#removals = new PortRemovals((ports, signal) => options.driver.remove(ports, signal))
    const removedNodes = new RemovedNodes({ driver, grace: milliseconds(options.grace ?? defaultGrace) })
    const as = (before: PodPort, { port }: PodPort) => ({ ...before, port: { ...port, status: before.port.status } })
    this.#maintenance = poolMaintenance({
      ...options,
      spare: this.#spare,
      removals: this.#removals,
      isGone: (host) => removedNodes.isGone(host, clock.elapsed()),
      named: (uid, port, named) => this.#ports.changed(uid, port, as(port, named)),
    })
    const mark = async (uid: string, port: PodPort, signal: AbortSignal) =>
      this.#ports.changed(uid, port, as(port, await driver.mark(port, uid, signal)))
    this.#marks = new PortMarks({ log, mark })
    this.#reconciler = new PoolReconciler({
      ...options,
      ports: this.#ports,
      spare: this.#spare,
      fills: this.#fills,
      maintenance: this.#maintenance,
      marks: this.#marks,
      orphans: this.#orphans,
      duplicates: this.#duplicates,
      removedNodes,
      view: () => this.#view,
      returnSurplus: (port) => this.#returnSurplus(port),
    })
  }

  /** Runs the background work while it has a listener. */
  get background(): EventSource {
    return {
      listen: (enqueue) => {
        this.#life = new AbortController()
        this.#enqueue = enqueue
        const period = this.#options.sizes?.updateFrequency ?? defaultPeriod
        if (!this.#options.dryRun) void this.#reconciler.run(period, this.#life.signal)
        return { [Symbol.dispose]: () => this.#life.abort(new PilothouseError("ABORTED", "the pool is closed")) }
      },
    }
  }

  /** Whether it knows what was there at the start. */
  get isLoaded(): boolean {
    return this.#loaded
  }

  /** Loads the existing ports, once: of pods, spare ones, and those of pods that were deleted while no controller ran. Keeps the view for later. */
  load(view: ClusterView, signal: AbortSignal): Promise<void> {
    this.#view = view
    this.#loading ??= this.#load(signal).catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return abortable(this.#loading, signal)
  }

  podPort(uid: string): PodPort | undefined {
    return this.#ports.of(uid)
  }

  /** Whether another pod has the port. */
  belongsToOther(id: string, uid: string): boolean {
    return this.#ports.belongsToOther(id, uid)
  }

  /** Whether the pod's port was made for it, here: a spare one may be active already. */
  isNew(uid: string): boolean {
    return this.#ports.isNew(uid)
  }

  /** Whether a call is unanswered that makes a port for the pod: it may have one already, and the cloud may still be at it. */
  isCreating(uid: string): boolean {
    return this.#creator.isCreating(uid)
  }

  /** Returns the port of a pod: the one it has, a spare one, or a new one. A caller that stops waiting gets it with its next request. */
  async request(request: PodPortRequest, signal: AbortSignal): Promise<PodPort> {
    const { uid } = request.pod
    this.#ports.remember(request)
    const left = await this.#creator.find(request.pod, signal)
    // In one go from here: of two requests at once the second finds what the first was given, or what is made for it.
    const found = this.#portFor(uid, left)
    if (found !== undefined) return this.#complete(found, request, signal)
    const under = this.#creator.inProgress(uid) ?? this.#takeSpare(request)
    const port = under ?? this.#creator.create(request, this.#life.signal, (made) => this.#onCreated(uid, made))
    return this.#awaitPort(request, Promise.resolve(port), signal)
  }

  /** Releases the port of a pod; without effect where it has none. A caller that stops waiting may call again. */
  async release(pod: PodName, signal: AbortSignal): Promise<void> {
    await abortable(this.#creator.settled(pod.uid), signal)
    const incomplete = this.#creator.incompleteReason(pod.uid)
    if (incomplete !== undefined) throw incomplete
    await abortable(this.#marks.gone(pod.uid), signal)
    const port = this.#portFor(pod.uid, await this.#creator.find(pod, signal))
    if (port !== undefined) {
      if (this.#options.sizes === undefined) await abortable(this.#removals.remove(port, this.#life.signal), signal)
      else this.#maintenance.returned(port, this.#ports.requestFor(pod.uid))
    }
    this.#ports.forget(pod.uid)
    this.#abandoned.delete(pod.uid)
    this.#maintenance.gone(pod.uid)
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { driver, clusterMarks, sizes, clock } = this.#options
    const ports = await driver.list(signal)
    // The pods are read last: annotations written during the list are seen then.
    const found = sortPorts(ports, this.#view.pods(), clusterMarks, sizes !== undefined)
    const since = clock.elapsed()
    for (const [uid, port] of found.of) this.#ports.give(uid, port)
    for (const [uid, port] of found.unmarked) this.#marks.add(uid, port)
    // One that is on no host, because it was left half-made, is of no use to any pod.
    for (const port of found.spare) if (port.host === undefined) this.#maintenance.returned(port)
    for (const port of found.spare) if (port.host !== undefined) this.#spare.add(portPoolKey(port), port)
    for (const port of found.orphans) this.#orphans.add(port, since)
    this.#loaded = true
    this.#duplicates.suspect()
  }

  /** Returns the port that a pod has, whichever process created it. Ports found beside it are surplus. */
  #portFor(uid: string, found: readonly PodPort[]): PodPort | undefined {
    const its = this.#ports.of(uid) ?? found[0] ?? this.#orphans.adopt(uid)
    if (its !== undefined) this.#ports.give(uid, its)
    for (const one of found) if (one.port.id !== its?.port.id) this.#returnSurplus(one)
    return its
  }

  /** Returns the port, unless it is in use: it may have been found, released and assigned again before its create was answered. */
  #returnSurplus(port: PodPort, request?: PortRequest): void {
    if (!this.#knownPorts().has(port)) this.#maintenance.returned(port, request)
  }

  /** A caller that aborts, or exceeds the queue timeout, is enqueued again when the port exists. */
  async #awaitPort({ pod: { uid } }: PodPortRequest, port: Promise<PodPort>, signal: AbortSignal): Promise<PodPort> {
    const { clock } = this.#options
    const what = "POST /v2.0/ports, with the ports of others before it"
    this.#abandoned.delete(uid)
    try {
      return await withCallTimeout({ clock, timeout: queueTimeout, signal, what }, (end) => abortable(port, end))
    } catch (error) {
      if (this.#creator.inProgress(uid) !== undefined) this.#abandoned.add(uid)
      throw error
    }
  }

  /** What was made here is whole. */
  async #complete(found: PodPort, request: PodPortRequest, signal: AbortSignal): Promise<PodPort> {
    const { uid } = request.pod
    const { driver } = this.#options
    if (this.#ports.isNew(uid) || driver.complete === undefined) return found
    const whole = await driver.complete(found, request, signal)
    this.#ports.changed(uid, found, whole)
    return whole
  }

  /** One that has a port by now keeps it: what was made for it when its answer was late is one too many. */
  #onCreated(uid: string, port: PodPort): PodPort {
    const its = this.#ports.of(uid)
    if (its !== undefined && its.port.id !== port.port.id) {
      this.#returnSurplus(port)
      return its
    }
    this.#ports.giveNew(uid, port)
    const pod = this.#ports.requestFor(uid)?.pod
    if (this.#abandoned.delete(uid) && pod !== undefined) this.#enqueue(`${pod.namespace}/${pod.name}`, "its port is there")
    return port
  }

  /** No caller waits for the port any more: its pod is deleted, or is enqueued. */
  #onLatePort(request: PortRequest, port: PodPort): void {
    const { pod } = request
    if (pod === undefined || this.#ports.requestFor(pod.uid) === undefined) return this.#returnSurplus(port, request)
    // The pod has released this port in the meantime, and waits for another.
    if (this.#ports.of(pod.uid) === undefined && this.#knownPorts().has(port)) return
    this.#onCreated(pod.uid, port)
    this.#enqueue(`${pod.namespace}/${pod.name}`, "the cloud has made its port after all")
  }

  #takeSpare(request: PodPortRequest): PodPort | undefined {
    if (this.#options.sizes === undefined) return undefined
    const port = this.#spare.take(poolKey(request, this.#options.driver.hostFor(request)))
    this.#reconciler.fill(request, this.#life.signal)
    if (port === undefined) return undefined
    this.#ports.give(request.pod.uid, port)
    // The name serves people and a restart after a crash, where the pod's annotation says the same: no caller has to wait for it.
    this.#maintenance.given(request.pod.uid, { port, request })
    void this.#reconciler.nameSoon(this.#life.signal)
    return port
  }

  /** Every port that is a pod's, spare, or on its way to being spare; and where more are being made, now. */
  #knownPorts(): KnownPorts {
    const ids = new Set([...this.#ports.ids, ...this.#spare.ids, ...this.#maintenance.ids])
    const isFilling = this.#spare.filling()
    return {
      has: ({ port }) => ids.has(port.id),
      mayHave: ({ port, host }) => isFilling(host) || this.#creator.isCreating(markedOwner(port) ?? ""),
    }
  }
}
