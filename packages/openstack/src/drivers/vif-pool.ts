import type { Alarm } from "@pilothouse/runtime"
import { abortable, type Clock, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import { isRefusal } from "../clients/errors.ts"
import type { PoolSizes } from "../configuration/configuration.ts"
import { type KnownPod, sortPorts } from "./found-ports.ts"
import type { Identity } from "./identity.ts"
import { OrphanPorts } from "./orphan-ports.ts"
import type { PodName, PodPort, PodVifDriver, PortWish } from "./pod-vif.ts"
import { largestBatch } from "./port-batches.ts"
import { PortChores } from "./port-chores.ts"
import { PortMaker } from "./port-maker.ts"
import { PortRemovals } from "./port-removals.ts"
import { likeOf, poolKey, poolKeyOf, SparePorts } from "./spare-ports.ts"
import { TwinPorts } from "./twin-ports.ts"

export interface VifPoolOptions {
  readonly driver: PodVifDriver
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
  /** Undefined: no spare ports, each pod's is made for it and removed with it. */
  readonly sizes?: PoolSizes
  /** Nothing is done in the background. */
  readonly dryRun?: boolean
}

export type PodWish = PortWish & { readonly pod: PodName }

const usualBeat = 20_000
/** Milliseconds after which ports that were given out get their pods' names: a burst of pods is served first, and many live no longer than that. */
const namesAfter = 2_000

/**
 * The ports of pods. Requests and releases are safe to repeat, and a port is never made twice for a pod.
 *
 * Always true between calls, once loaded: every port of this cluster is a pod's (#of), spare, on its way to being spare (in #chores), or an orphan.
 */
export class VifPool {
  readonly #options: VifPoolOptions
  readonly #maker: PortMaker
  readonly #spare: SparePorts
  readonly #chores: PortChores
  readonly #removals: PortRemovals
  readonly #of = new Map<string, PodPort>()
  readonly #new = new Set<string>()
  readonly #orphans = new OrphanPorts()
  readonly #twins: TwinPorts
  readonly #wishes = new Map<string, PodWish>()
  #loading: Promise<void> | undefined
  #loaded = false
  #loadedAt = 0
  #namesSoon = false
  #life = new AbortController()

  constructor(options: VifPoolOptions) {
    this.#options = options
    this.#maker = new PortMaker(options.driver)
    this.#twins = new TwinPorts(options.identity)
    this.#spare = new SparePorts(options.sizes ?? { min: 0, max: 0, batch: 0, updateFrequency: usualBeat })
    this.#chores = new PortChores({
      log: options.log,
      name: async (uid, { port, wish }, signal) => {
        const named = await options.driver.assign(port, wish, signal)
        if (this.#of.get(uid) === port) this.#of.set(uid, { ...port, port: { ...named.port, status: port.port.status } })
      },
      keeps: ({ port, wish }) => this.#keeps(port, wish),
      recycle: ({ port, wish }, signal) => this.#recycle(port, wish, signal),
      remove: (ports, signal) => options.driver.remove(ports, signal),
    })
    this.#removals = new PortRemovals((ports, signal) => options.driver.remove(ports, signal))
  }

  /** Runs what is done in the background, while somebody listens. */
  get background(): Alarm {
    return {
      listen: () => {
        this.#life = new AbortController()
        const beat = this.#options.sizes?.updateFrequency ?? usualBeat
        if (!this.#options.dryRun) void this.#beats(beat, this.#life.signal)
        return { [Symbol.dispose]: () => this.#life.abort(new PilothouseError("ABORTED", "the pool is closed")) }
      },
    }
  }

  /** Whether it knows what was there at the start. */
  get isLoaded(): boolean {
    return this.#loaded
  }

  /** Finds what is there, once: ports of pods, spare ones, and those of pods that went while nobody looked. */
  load(pods: () => readonly KnownPod[], signal: AbortSignal): Promise<void> {
    this.#loading ??= this.#load(pods, signal).catch((error: unknown) => {
      this.#loading = undefined
      throw error
    })
    return abortable(this.#loading, signal)
  }

  portOf(uid: string): PodPort | undefined {
    return this.#of.get(uid)
  }

  /** Whether the pod's port was made for it, here: a spare one may be active already. */
  isNew(uid: string): boolean {
    return this.#new.has(uid)
  }

  /** The port of a pod: the one it has, a spare one, or a new one. Whoever stops waiting finds it when he asks again: it is made all the same. */
  async request(wish: PodWish, signal: AbortSignal): Promise<PodPort> {
    const { uid } = wish.pod
    this.#wishes.set(uid, wish)
    const recovered = await this.#maker.recover(wish.pod, signal)
    // In one go from here: of two requests at once the second finds what the first was given, or what is made for it.
    const known = this.#known(uid, recovered) ?? this.#maker.underWay(uid) ?? this.#taken(wish)
    const port = known ?? this.#maker.make(wish, this.#life.signal, (made) => this.#made(uid, made))
    return abortable(Promise.resolve(port), signal)
  }

  /** Gives the port of a pod back. Nothing happens where it has none. Whoever stops waiting may ask again. */
  async release(pod: PodName, signal: AbortSignal): Promise<void> {
    await abortable(this.#maker.settled(pod.uid), signal)
    const port = this.#known(pod.uid, await this.#maker.recover(pod, signal))
    if (port !== undefined) {
      if (this.#options.sizes === undefined) await abortable(this.#removals.remove(port, this.#life.signal), signal)
      else this.#chores.returned(port, this.#wishes.get(pod.uid))
    }
    this.#of.delete(pod.uid)
    this.#new.delete(pod.uid)
    this.#chores.gone(pod.uid)
    this.#wishes.delete(pod.uid)
  }

  async #load(pods: () => readonly KnownPod[], signal: AbortSignal): Promise<void> {
    const { driver, identity, sizes, clock } = this.#options
    const ports = await driver.list(signal)
    // The pods are read last: what was annotated while we asked is known then.
    const found = sortPorts(ports, pods(), identity, sizes !== undefined)
    const since = clock.elapsed()
    for (const [uid, port] of found.of) this.#of.set(uid, port)
    for (const port of found.spare) this.#spare.add(poolKeyOf(port), port)
    for (const port of found.orphans) this.#orphans.add(port, since)
    this.#loaded = true
    this.#loadedAt = since
  }

  /** The port that a pod has, whoever has made it. */
  #known(uid: string, recovered: PodPort | undefined): PodPort | undefined {
    const port = recovered ?? this.#of.get(uid) ?? this.#orphans.adopt(uid)
    if (port !== undefined) this.#of.set(uid, port)
    return port
  }

  #made(uid: string, port: PodPort): void {
    this.#of.set(uid, port)
    this.#new.add(uid)
  }

  #taken(wish: PodWish): PodPort | undefined {
    if (this.#options.sizes === undefined) return undefined
    const port = this.#spare.take(this.#keyOf(wish))
    this.#fill(wish)
    if (port === undefined) return undefined
    this.#of.set(wish.pod.uid, port)
    // Its name is for people and for a start after a crash, where the pod's annotation says the same: nobody has to wait for it.
    this.#chores.given(wish.pod.uid, { port, wish })
    void this.#nameSoon(this.#life.signal)
    return port
  }

  async #nameSoon(signal: AbortSignal): Promise<void> {
    if (this.#namesSoon) return
    this.#namesSoon = true
    try {
      await this.#options.clock.sleep(namesAfter, { signal, name: "names for ports of the pool" })
      await this.#chores.work(signal)
    } catch {
      // It is closed.
    } finally {
      this.#namesSoon = false
    }
  }

  #keyOf(wish: PortWish): string {
    return poolKey(wish, this.#options.driver.hostOf(wish))
  }

  #fill(wish: PodWish): void {
    const key = this.#keyOf(wish)
    const count = this.#spare.startFill(key, this.#options.clock.elapsed())
    if (count > 0) void this.#filled(key, wish, count)
  }

  /** In calls of a few: what the first has made can be given out while the next is under way. */
  async #filled(key: string, { pod: _, ...spare }: PodWish, count: number): Promise<void> {
    const { driver, log } = this.#options
    try {
      for (let left = count; left > 0; left -= largestBatch) {
        const wishes = Array.from({ length: Math.min(left, largestBatch) }, () => spare)
        for (const port of await driver.create(wishes, this.#life.signal)) this.#spare.add(key, port)
      }
    } catch (error) {
      log.warn("a pool of ports could not be filled", { host: spare.node, error: messageOf(error) })
    } finally {
      this.#spare.fillEnded(key)
    }
  }

  async #beats(beat: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#options.clock.sleep(beat, { signal, name: "pool of ports" })
      } catch {
        return
      }
      this.#gatherOrphans()
      await this.#gatherTwins(signal)
      await this.#chores.work(signal)
    }
  }

  #gatherOrphans(): void {
    for (const port of this.#orphans.takeDue(this.#options.clock.elapsed())) this.#chores.returned(port)
    for (const wish of new Map([...this.#wishes.values()].map((one) => [this.#keyOf(one), one])).values()) this.#fill(wish)
  }

  async #gatherTwins(signal: AbortSignal): Promise<void> {
    const { clock, driver, log } = this.#options
    if (!this.#loaded || !this.#twins.isDue(clock.elapsed() - this.#loadedAt)) return
    try {
      const ports = await driver.list(signal)
      for (const port of this.#twins.among(ports, (uid) => this.#of.get(uid))) this.#chores.returned(port)
    } catch (error) {
      log.warn("ports could not be listed once more after the start", { error: messageOf(error) })
    }
  }

  #keeps(port: PodPort, wish: PortWish | undefined): boolean {
    return this.#options.sizes !== undefined && port.host !== undefined && !this.#spare.isFull(this.#returnKey(port, wish))
  }

  #returnKey(port: PodPort, wish: PortWish | undefined): string {
    return wish === undefined ? poolKeyOf(port) : this.#keyOf(wish)
  }

  async #recycle(port: PodPort, wish: PortWish | undefined, signal: AbortSignal): Promise<void> {
    const spare = await this.#options.driver.recycle(port, wish ?? likeOf(port), signal).catch((error: unknown) => {
      // Somebody has removed it: there is nothing to take back.
      if (!isRefusal(error, "not-found")) throw error
    })
    if (spare !== undefined) this.#spare.add(this.#returnKey(port, wish), spare)
  }
}
