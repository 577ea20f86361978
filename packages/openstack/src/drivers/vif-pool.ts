import type { Alarm } from "@pilothouse/runtime"
import { type Clock, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import type { PoolSizes } from "../configuration/configuration.ts"
import { type Identity, isOurs, ownerIn } from "./identity.ts"
import { type PodName, type PodPort, type PodVifDriver, type PortWish, spareName } from "./pod-vif.ts"
import { isClearRefusal, PortBatches } from "./port-batches.ts"
import { poolKey, poolKeyOf, SparePorts } from "./spare-ports.ts"

export interface VifPoolOptions {
  readonly driver: PodVifDriver
  readonly identity: Identity
  readonly clock: Clock
  readonly log: Log
  /** Undefined: no spare ports, each pod's is made for it and removed with it. */
  readonly sizes?: PoolSizes
}

/** A pod that exists, and the port that its annotation names. */
export interface KnownPod {
  readonly uid: string
  readonly port?: string
}

export type PodWish = PortWish & { readonly pod: PodName }

/** Milliseconds that a port of a pod nobody knows is kept: the pod may be newer than what we have heard. */
const orphanGrace = 30_000
const usualBeat = 20_000

/**
 * The ports of pods. Requests and releases are safe to repeat, and a port is never made twice for a pod.
 *
 * Always true between calls, once loaded: every port of this cluster is a pod's (#of), spare, on its way to being spare (#returned), or an orphan.
 */
export class VifPool {
  readonly #options: VifPoolOptions
  readonly #batches: PortBatches
  readonly #spare: SparePorts
  readonly #of = new Map<string, PodPort>()
  readonly #making = new Map<string, Promise<PodPort>>()
  /** Pods of which nobody knows whether their port was made: an answer was lost. */
  readonly #doubtful = new Set<string>()
  readonly #returned = new Map<string, { readonly port: PodPort; readonly wish?: PortWish }>()
  readonly #unnamed = new Map<string, { readonly port: PodPort; readonly wish: PodWish }>()
  readonly #orphans = new Map<string, { readonly port: PodPort; readonly since: number }>()
  readonly #wishes = new Map<string, PodWish>()
  #loaded: Promise<void> | undefined
  #life = new AbortController()
  #busy = false

  constructor(options: VifPoolOptions) {
    this.#options = options
    this.#batches = new PortBatches((wishes, signal) => options.driver.create(wishes, signal))
    this.#spare = new SparePorts(options.sizes ?? { min: 0, max: 0, batch: 0, updateFrequency: usualBeat })
  }

  /** Runs what is done in the background, while somebody listens. */
  get background(): Alarm {
    return {
      listen: () => {
        this.#life = new AbortController()
        const { signal } = this.#life
        const beat = this.#options.sizes?.updateFrequency ?? usualBeat
        void this.#beats(beat, signal)
        return { [Symbol.dispose]: () => this.#life.abort(new PilothouseError("ABORTED", "the pool is closed")) }
      },
    }
  }

  /** Finds what is there, once: ports of pods, spare ones, and those of pods that went while nobody looked. */
  load(pods: () => readonly KnownPod[], signal: AbortSignal): Promise<void> {
    this.#loaded ??= this.#load(pods, signal).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }

  portOf(uid: string): PodPort | undefined {
    return this.#of.get(uid)
  }

  /** The port of a pod: the one it has, a spare one, or a new one. */
  async request(wish: PodWish, signal: AbortSignal): Promise<PodPort> {
    const { uid } = wish.pod
    this.#wishes.set(uid, wish)
    if (this.#doubtful.has(uid)) await this.#lookFor(wish.pod, signal)
    const known = this.#of.get(uid) ?? this.#adopted(uid) ?? this.#taken(wish)
    if (known !== undefined) return known
    const making = this.#making.get(uid) ?? this.#make(wish)
    return making
  }

  /** Gives the port of a pod back. Nothing happens where it has none. */
  async release(pod: PodName, signal: AbortSignal): Promise<void> {
    await this.#making.get(pod.uid)?.catch(() => {})
    if (this.#doubtful.has(pod.uid)) await this.#lookFor(pod, signal)
    const port = this.#of.get(pod.uid) ?? this.#adopted(pod.uid)
    const wish = this.#wishes.get(pod.uid)
    if (port !== undefined) {
      if (this.#options.sizes === undefined) await this.#options.driver.remove([port], signal)
      else this.#returned.set(port.port.id, { port, wish })
    }
    this.#of.delete(pod.uid)
    this.#unnamed.delete(pod.uid)
    this.#wishes.delete(pod.uid)
  }

  async #load(pods: () => readonly KnownPod[], signal: AbortSignal): Promise<void> {
    const ports = await this.#options.driver.list(signal)
    // Read last: what was annotated while we asked is known then.
    const known = pods()
    const uids = new Set(known.map(({ uid }) => uid))
    const annotated = new Map(known.flatMap(({ uid, port }) => (port === undefined ? [] : [[port, uid] as const])))
    const since = this.#options.clock.elapsed()
    for (const port of [...ports].sort((one, other) => Number(annotated.has(other.port.id)) - Number(annotated.has(one.port.id)))) {
      const named = ownerIn(port.port) ?? port.port.device_id
      const uid = annotated.get(port.port.id) ?? (uids.has(named) ? named : undefined)
      if (uid !== undefined && !this.#of.has(uid)) this.#of.set(uid, port)
      else if (!isOurs(port.port, this.#options.identity)) continue
      else if (this.#options.sizes !== undefined && named === "" && port.port.name === spareName) this.#spare.add(poolKeyOf(port), port)
      else this.#orphans.set(port.port.id, { port, since })
    }
  }

  #adopted(uid: string): PodPort | undefined {
    for (const [id, { port }] of this.#orphans) {
      if (ownerIn(port.port) !== uid && port.port.device_id !== uid) continue
      this.#orphans.delete(id)
      this.#of.set(uid, port)
      return port
    }
    return undefined
  }

  #taken(wish: PodWish): PodPort | undefined {
    if (this.#options.sizes === undefined) return undefined
    const port = this.#spare.take(this.#keyOf(wish))
    this.#fill(wish)
    if (port === undefined) return undefined
    this.#of.set(wish.pod.uid, port)
    // Its name is for people and for a start after a crash, where the pod's annotation says the same: nobody has to wait for it.
    this.#unnamed.set(wish.pod.uid, { port, wish })
    void this.#work()
    return port
  }

  #make(wish: PodWish): Promise<PodPort> {
    const { uid } = wish.pod
    const making = this.#batches
      .create(wish, this.#life.signal)
      .then((port) => {
        this.#of.set(uid, port)
        return port
      })
      .catch((error: unknown) => {
        if (!isClearRefusal(error)) this.#doubtful.add(uid)
        throw error
      })
      .finally(() => this.#making.delete(uid))
    this.#making.set(uid, making)
    return making
  }

  /** An answer was lost: what it was about is found, and more than one is too many. */
  async #lookFor(pod: PodName, signal: AbortSignal): Promise<void> {
    const [first, ...more] = await this.#options.driver.find(pod, signal)
    if (first !== undefined) this.#of.set(pod.uid, first)
    if (more.length > 0) await this.#options.driver.remove(more, signal)
    this.#doubtful.delete(pod.uid)
  }

  #keyOf(wish: PortWish): string {
    return poolKey(wish, this.#options.driver.hostOf(wish))
  }

  #fill(wish: PodWish): void {
    const count = this.#spare.missing(this.#keyOf(wish), this.#options.clock.elapsed())
    if (count === 0) return
    const { pod: _, ...spare } = wish
    const work = this.#options.driver.create(
      Array.from({ length: count }, () => spare),
      this.#life.signal,
    )
    work.then(
      (ports) => {
        for (const port of ports) this.#spare.add(this.#keyOf(wish), port)
      },
      (error: unknown) => this.#options.log.warn("a pool of ports could not be filled", { host: wish.node, error: messageOf(error) }),
    )
  }

  async #beats(beat: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#options.clock.sleep(beat, { signal, name: "pool of ports" })
      } catch {
        return
      }
      this.#gatherOrphans()
      await this.#work()
    }
  }

  #gatherOrphans(): void {
    const now = this.#options.clock.elapsed()
    for (const [id, { port, since }] of this.#orphans) {
      if (now - since < orphanGrace) continue
      this.#orphans.delete(id)
      this.#returned.set(id, { port })
    }
    for (const wish of new Map([...this.#wishes.values()].map((one) => [this.#keyOf(one), one])).values()) this.#fill(wish)
  }

  /** Names what was given out and takes in what came back, one by one; what fails is left for the next beat. */
  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    const { driver } = this.#options
    for (const [uid, { port, wish }] of this.#unnamed) {
      await this.#try("a port could not be given its pod's name yet", async (signal) => {
        const named = await driver.assign(port, wish, signal)
        if (this.#of.get(uid) === port) this.#of.set(uid, { ...port, port: { ...named.port, status: port.port.status } })
        this.#unnamed.delete(uid)
      })
    }
    for (const [id, { port, wish }] of this.#returned) {
      await this.#try("a port could not be taken back yet", async (signal) => {
        await this.#takeBack(port, wish, signal)
        this.#returned.delete(id)
      })
    }
    this.#busy = false
  }

  async #takeBack(port: PodPort, wish: PortWish | undefined, signal: AbortSignal): Promise<void> {
    const { driver, sizes } = this.#options
    const key = wish === undefined ? poolKeyOf(port) : this.#keyOf(wish)
    if (sizes === undefined || port.host === undefined || this.#spare.isFull(key)) return driver.remove([port], signal)
    const like = wish ?? likeOf(port)
    this.#spare.add(key, await driver.recycle(port, like, signal))
  }

  async #try(failed: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await work(this.#life.signal)
    } catch (error) {
      this.#options.log.warn(failed, { error: messageOf(error) })
    }
  }
}

function likeOf({ port, host = "" }: PodPort): PortWish {
  const { project_id: project, network_id: network, security_groups: groups, fixed_ips } = port
  return { project, network, groups, subnets: fixed_ips.map(({ subnet_id }) => subnet_id), node: host, hostIp: host }
}
