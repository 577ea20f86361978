import type { EventSource } from "@pilothouse/runtime"
import { abortable, type Clock, type Duration, type Log, milliseconds, PilothouseError, Semaphore } from "@pilothouse/seams"
import { within } from "../clients/time-limit.ts"
import type { PoolSizes } from "../configuration/configuration.ts"
import { DepartedHosts } from "./departed-hosts.ts"
import { sortPorts } from "./found-ports.ts"
import { type Identity, ownerIn } from "./identity.ts"
import { OrphanPorts } from "./orphan-ports.ts"
import { maxQueue, maxUnanswered } from "./patience.ts"
import { PodPorts, type PodWish } from "./pod-ports.ts"
import type { PodName, PodPort, PodVifDriver, PortWish } from "./pod-vif.ts"
import { poolChores } from "./pool-chores.ts"
import { PoolFills } from "./pool-fills.ts"
import { type ClusterView, PoolUpkeep } from "./pool-upkeep.ts"
import type { PortChores } from "./port-chores.ts"
import { PortMaker } from "./port-maker.ts"
import { PortMarks } from "./port-marks.ts"
import { PortRemovals } from "./port-removals.ts"
import { poolKey, poolKeyOf, SparePorts } from "./spare-ports.ts"
import { type KnownPorts, TwinPorts } from "./twin-ports.ts"

export interface VifPoolOptions {
  readonly driver: PodVifDriver
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
  /** Undefined: no spare ports, each pod's is made for it and removed with it. */
  readonly sizes?: PoolSizes
  /** How long something has to belong to nobody before it goes; 5 min unless told otherwise. */
  readonly grace?: Duration
  /** Nothing is done in the background. */
  readonly dryRun?: boolean
}

const defaultBeat = 20_000
/** How long a node has to be gone before its spare ports go. */
const defaultGrace = "5m"

/**
 * The ports of pods. Requests and releases are safe to repeat, and a pod never has two: what came about twice on a slow cloud goes.
 *
 * Always true between calls, once loaded: every port of this cluster is a pod's (#ports), spare, on its way to being spare (in #chores), or an orphan.
 */
export class VifPool {
  readonly #options: VifPoolOptions
  readonly #maker: PortMaker
  readonly #spare: SparePorts
  readonly #fills: PoolFills
  readonly #chores: PortChores
  readonly #removals: PortRemovals
  readonly #marks: PortMarks
  readonly #upkeep: PoolUpkeep
  readonly #ports = new PodPorts()
  /** Pods whose port is being made and for which nobody waits. */
  readonly #unheard = new Set<string>()
  readonly #orphans = new OrphanPorts()
  readonly #twins: TwinPorts
  #view: ClusterView = { pods: () => [] }
  #loading: Promise<void> | undefined
  #loaded = false
  #wake: (key: string, reason: string) => void = () => {}
  #life = new AbortController()

  constructor(options: VifPoolOptions) {
    this.#options = options
    const { driver, clock, log } = options
    const slots = new Semaphore(maxUnanswered)
    const lost = () => this.#twins.suspect()
    const isWanted = ({ pod }: PortWish) => pod === undefined || (this.#view.exists?.(pod) ?? true)
    this.#maker = new PortMaker({ driver, clock, slots, lost, isWanted, late: (wish, port) => this.#late(wish, port) })
    this.#twins = new TwinPorts({
      ...options,
      portOf: (uid) => this.#ports.of(uid),
      known: () => this.#known(),
      annotated: () => new Set(this.#view.pods().flatMap(({ port }) => port ?? [])),
    })
    this.#spare = new SparePorts(options.sizes ?? { min: 0, max: 0, batch: 0, updateFrequency: defaultBeat })
    this.#fills = new PoolFills({ driver, spare: this.#spare, clock, log, slots, lost })
    this.#removals = new PortRemovals((ports, signal) => options.driver.remove(ports, signal))
    const departed = new DepartedHosts({ driver, grace: milliseconds(options.grace ?? defaultGrace) })
    const as = (before: PodPort, { port }: PodPort) => ({ ...before, port: { ...port, status: before.port.status } })
    this.#chores = poolChores({
      ...options,
      spare: this.#spare,
      removals: this.#removals,
      isGone: (host) => departed.isGone(host, clock.elapsed()),
      named: (uid, port, named) => this.#ports.changed(uid, port, as(port, named)),
    })
    const mark = async (uid: string, port: PodPort, signal: AbortSignal) =>
      this.#ports.changed(uid, port, as(port, await driver.mark(port, uid, signal)))
    this.#marks = new PortMarks({ log, mark })
    this.#upkeep = new PoolUpkeep({
      ...options,
      ports: this.#ports,
      spare: this.#spare,
      fills: this.#fills,
      chores: this.#chores,
      marks: this.#marks,
      orphans: this.#orphans,
      twins: this.#twins,
      departed,
      view: () => this.#view,
      tooMany: (port) => this.#tooMany(port),
    })
  }

  /** Runs what is done in the background, while somebody listens. */
  get background(): EventSource {
    return {
      listen: (wake) => {
        this.#life = new AbortController()
        this.#wake = wake
        const beat = this.#options.sizes?.updateFrequency ?? defaultBeat
        if (!this.#options.dryRun) void this.#upkeep.beats(beat, this.#life.signal)
        return { [Symbol.dispose]: () => this.#life.abort(new PilothouseError("ABORTED", "the pool is closed")) }
      },
    }
  }

  /** Whether it knows what was there at the start. */
  get isLoaded(): boolean {
    return this.#loaded
  }

  /** Finds what is there, once: ports of pods, spare ones, and those of pods that went while nobody looked. The cluster is asked again later. */
  load(view: ClusterView, signal: AbortSignal): Promise<void> {
    this.#view = view
    this.#loading ??= this.#load(signal).catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return abortable(this.#loading, signal)
  }

  portOf(uid: string): PodPort | undefined {
    return this.#ports.of(uid)
  }

  /** Whether another pod has the port. */
  isAnothers(id: string, uid: string): boolean {
    return this.#ports.isAnothers(id, uid)
  }

  /** Whether the pod's port was made for it, here: a spare one may be active already. */
  isNew(uid: string): boolean {
    return this.#ports.isNew(uid)
  }

  /** Whether a call is unanswered that makes a port for the pod: it may have one already, and the cloud may still be at it. */
  isBeingMade(uid: string): boolean {
    return this.#maker.isAtIt(uid)
  }

  /** The port of a pod: the one it has, a spare one, or a new one. Whoever stops waiting finds it when he asks again: it is made all the same. */
  async request(wish: PodWish, signal: AbortSignal): Promise<PodPort> {
    const { uid } = wish.pod
    this.#ports.asked(wish)
    const left = await this.#maker.find(wish.pod, signal)
    // In one go from here: of two requests at once the second finds what the first was given, or what is made for it.
    const found = this.#portFor(uid, left)
    if (found !== undefined) return this.#whole(found, wish, signal)
    const under = this.#maker.underWay(uid) ?? this.#taken(wish)
    const port = under ?? this.#maker.make(wish, this.#life.signal, (made) => this.#made(uid, made))
    return this.#waitedFor(wish, Promise.resolve(port), signal)
  }

  /** Gives the port of a pod back. Nothing happens where it has none. Whoever stops waiting may ask again. */
  async release(pod: PodName, signal: AbortSignal): Promise<void> {
    await abortable(this.#maker.settled(pod.uid), signal)
    const notYet = this.#maker.whyHalfMade(pod.uid)
    if (notYet !== undefined) throw notYet
    await abortable(this.#marks.gone(pod.uid), signal)
    const port = this.#portFor(pod.uid, await this.#maker.find(pod, signal))
    if (port !== undefined) {
      if (this.#options.sizes === undefined) await abortable(this.#removals.remove(port, this.#life.signal), signal)
      else this.#chores.returned(port, this.#ports.wishOf(pod.uid))
    }
    this.#ports.forget(pod.uid)
    this.#unheard.delete(pod.uid)
    this.#chores.gone(pod.uid)
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { driver, identity, sizes, clock } = this.#options
    const ports = await driver.list(signal)
    // The pods are read last: what was annotated while we asked is known then.
    const found = sortPorts(ports, this.#view.pods(), identity, sizes !== undefined)
    const since = clock.elapsed()
    for (const [uid, port] of found.of) this.#ports.give(uid, port)
    for (const [uid, port] of found.unmarked) this.#marks.add(uid, port)
    // One that is on no host, because it was left half-made, is of no use to any pod.
    for (const port of found.spare) if (port.host === undefined) this.#chores.returned(port)
    for (const port of found.spare) if (port.host !== undefined) this.#spare.add(poolKeyOf(port), port)
    for (const port of found.orphans) this.#orphans.add(port, since)
    this.#loaded = true
    this.#twins.suspect()
  }

  /** The port that a pod has, whoever has made it. What was found beside it is too many. */
  #portFor(uid: string, found: readonly PodPort[]): PodPort | undefined {
    const its = this.#ports.of(uid) ?? found[0] ?? this.#orphans.adopt(uid)
    if (its !== undefined) this.#ports.give(uid, its)
    for (const one of found) if (one.port.id !== its?.port.id) this.#tooMany(one)
    return its
  }

  /** It goes back, unless somebody has it: it may have been found, given back and given out again before its create was answered. */
  #tooMany(port: PodPort, wish?: PortWish): void {
    if (!this.#known().has(port)) this.#chores.returned(port, wish)
  }

  /** Whoever goes away, or has waited for so long behind others that he is told so, hears of it when it is there. */
  async #waitedFor({ pod: { uid } }: PodWish, port: Promise<PodPort>, signal: AbortSignal): Promise<PodPort> {
    const { clock } = this.#options
    const what = "POST /v2.0/ports, with the ports of others before it"
    this.#unheard.delete(uid)
    try {
      return await within({ clock, timeout: maxQueue, signal, what }, (end) => abortable(port, end))
    } catch (error) {
      if (this.#maker.underWay(uid) !== undefined) this.#unheard.add(uid)
      throw error
    }
  }

  /** What was made here is whole. */
  async #whole(found: PodPort, wish: PodWish, signal: AbortSignal): Promise<PodPort> {
    const { uid } = wish.pod
    const { driver } = this.#options
    if (this.#ports.isNew(uid) || driver.complete === undefined) return found
    const whole = await driver.complete(found, wish, signal)
    this.#ports.changed(uid, found, whole)
    return whole
  }

  /** One that has a port by now keeps it: what was made for it when its answer was late is one too many. */
  #made(uid: string, port: PodPort): PodPort {
    const its = this.#ports.of(uid)
    if (its !== undefined && its.port.id !== port.port.id) {
      this.#tooMany(port)
      return its
    }
    this.#ports.giveNew(uid, port)
    const pod = this.#ports.wishOf(uid)?.pod
    if (this.#unheard.delete(uid) && pod !== undefined) this.#wake(`${pod.namespace}/${pod.name}`, "its port is there")
    return port
  }

  /** Nobody waits for it any more: its pod is gone, or has to hear of it. */
  #late(wish: PortWish, port: PodPort): void {
    const { pod } = wish
    if (pod === undefined || this.#ports.wishOf(pod.uid) === undefined) return this.#tooMany(port, wish)
    // Its pod has given it back meanwhile, and waits for another.
    if (this.#ports.of(pod.uid) === undefined && this.#known().has(port)) return
    this.#made(pod.uid, port)
    this.#wake(`${pod.namespace}/${pod.name}`, "the cloud has made its port after all")
  }

  #taken(wish: PodWish): PodPort | undefined {
    if (this.#options.sizes === undefined) return undefined
    const port = this.#spare.take(poolKey(wish, this.#options.driver.hostOf(wish)))
    this.#upkeep.fill(wish, this.#life.signal)
    if (port === undefined) return undefined
    this.#ports.give(wish.pod.uid, port)
    // Its name is for people and for a start after a crash, where the pod's annotation says the same: nobody has to wait for it.
    this.#chores.given(wish.pod.uid, { port, wish })
    void this.#upkeep.nameSoon(this.#life.signal)
    return port
  }

  /** Every port that is a pod's, spare, or on its way to being spare; and where more are being made, now. */
  #known(): KnownPorts {
    const ids = new Set([...this.#ports.ids, ...this.#spare.ids, ...this.#chores.ids])
    const isFilling = this.#spare.filling()
    return {
      has: ({ port }) => ids.has(port.id),
      mayHave: ({ port, host }) => isFilling(host) || this.#maker.isAtIt(ownerIn(port) ?? ""),
    }
  }
}
