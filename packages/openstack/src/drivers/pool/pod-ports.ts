import type { PodName, PodPort, PortRequest } from "../vif/pod-vif.ts"

export type PodPortRequest = PortRequest & { readonly pod: PodName }

/** The port and the port request of each pod, by UID. Invariant: nothing is kept of a pod after forget(). */
export class PodPorts {
  readonly #of = new Map<string, PodPort>()
  readonly #new = new Set<string>()
  readonly #requests = new Map<string, PodPortRequest>()

  of(uid: string): PodPort | undefined {
    return this.#of.get(uid)
  }

  give(uid: string, port: PodPort): void {
    this.#of.set(uid, port)
  }

  /** It was made for the pod, here. */
  giveNew(uid: string, port: PodPort): void {
    this.#of.set(uid, port)
    this.#new.add(uid)
  }

  /** The same port as the cloud has it now. Nothing happens where the pod has another by now. */
  changed(uid: string, before: PodPort, now: PodPort): void {
    if (this.#of.get(uid) === before) this.#of.set(uid, now)
  }

  isNew(uid: string): boolean {
    return this.#new.has(uid)
  }

  /** Whether another pod has the port. */
  belongsToOther(id: string, uid: string): boolean {
    return this.#of.get(uid)?.port.id !== id && [...this.#of.values()].some(({ port }) => port.id === id)
  }

  get ids(): readonly string[] {
    return [...this.#of.values()].map(({ port }) => port.id)
  }

  remember(request: PodPortRequest): void {
    this.#requests.set(request.pod.uid, request)
  }

  requestFor(uid: string): PodPortRequest | undefined {
    return this.#requests.get(uid)
  }

  get requests(): Iterable<PodPortRequest> {
    return this.#requests.values()
  }

  forget(uid: string): void {
    this.#of.delete(uid)
    this.#new.delete(uid)
    this.#requests.delete(uid)
  }
}
