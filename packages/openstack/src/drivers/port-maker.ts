import type { PodName, PodPort, PodVifDriver, PortWish } from "./pod-vif.ts"
import { isClearRefusal, PortBatches } from "./port-batches.ts"

/**
 * Makes the ports of pods, many in one call, and never two for one pod: whoever asks again while one is made waits for that one, and one whose answer
 * was lost is looked for before another is made.
 * Always true between calls: #doubtful has the pods of which nobody knows whether their port was made.
 */
export class PortMaker {
  readonly #driver: PodVifDriver
  readonly #batches: PortBatches
  readonly #making = new Map<string, Promise<PodPort>>()
  readonly #doubtful = new Set<string>()

  constructor(driver: PodVifDriver) {
    this.#driver = driver
    this.#batches = new PortBatches((wishes, signal) => driver.create(wishes, signal))
  }

  /** `made` is told before anybody who waits. */
  make(wish: PortWish & { readonly pod: PodName }, signal: AbortSignal, made: (port: PodPort) => void): Promise<PodPort> {
    const { uid } = wish.pod
    const underWay = this.underWay(uid)
    if (underWay !== undefined) return underWay
    const making = this.#batches
      .create(wish, signal)
      .then((port) => {
        made(port)
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

  /** The port that is being made for the pod. */
  underWay(uid: string): Promise<PodPort> | undefined {
    return this.#making.get(uid)
  }

  /** Ends when nothing is made for the pod any more, however it ended. */
  async settled(uid: string): Promise<void> {
    await this.#making.get(uid)?.catch(() => {})
  }

  /** The port whose answer was lost, if it was made. More than one is too many. */
  async recover(pod: PodName, signal: AbortSignal): Promise<PodPort | undefined> {
    if (!this.#doubtful.has(pod.uid)) return undefined
    const [first, ...more] = await this.#driver.find(pod, signal)
    if (more.length > 0) await this.#driver.remove(more, signal)
    this.#doubtful.delete(pod.uid)
    return first
  }
}
