import { placedAt, podOf, type XdsClient } from "../generators/client.ts"
import { type Place, samePlace } from "../model/endpoint.ts"
import type { Session } from "../session/session.ts"

/** Where the places of clients are found. */
export interface ClientPlacesOptions {
  placeOf(pod: string, cluster: string): Place | undefined
  /** Called with the number of clients that name an unknown pod, when it changes. */
  onStrangers(count: number): void
}

/**
 * Which pods the clients are, and where those run.
 *
 * Invariant: a session is under the pod that its client names, and among the strangers exactly where that pod was not known when last
 * looked at. A client whose pod has gone stays where it was: it is about to go too.
 */
export class ClientPlaces {
  readonly #options: ClientPlacesOptions
  readonly #byPod = new Map<string, Set<Session>>()
  readonly #strangers = new Set<Session>()

  constructor(options: ClientPlacesOptions) {
    this.#options = options
  }

  /** The client where its pod is, which beats what its bootstrap says: a bootstrap is written before the pod is scheduled. */
  placed(client: XdsClient): XdsClient {
    const place = this.#options.placeOf(podOf(client), client.cluster)
    return place === undefined ? client : placedAt(client, place)
  }

  add(session: Session): void {
    const pod = podOf(session.client)
    if (pod === "") return
    const known = this.#byPod.get(pod)
    if (known === undefined) this.#byPod.set(pod, new Set([session]))
    else known.add(session)
    this.#note(session, this.#options.placeOf(pod, session.client.cluster) === undefined)
  }

  remove(session: Session): void {
    const pod = podOf(session.client)
    const known = this.#byPod.get(pod)
    if (known?.delete(session) && known.size === 0) this.#byPod.delete(pod)
    this.#note(session, false)
  }

  /** Something about a pod or its node changed: moves its clients, and gives those that are elsewhere now. */
  refresh(pod: string): readonly Session[] {
    return [...(this.#byPod.get(pod) ?? [])].filter((session) => {
      const { client } = session
      const place = this.#options.placeOf(pod, client.cluster)
      this.#note(session, place === undefined)
      if (place === undefined) return false
      const next = placedAt(session.asked, place)
      if (samePlace(client, next)) return false
      session.move(next)
      return true
    })
  }

  #note(session: Session, isStranger: boolean): void {
    if (this.#strangers.has(session) === isStranger) return
    if (isStranger) this.#strangers.add(session)
    else this.#strangers.delete(session)
    this.#options.onStrangers(this.#strangers.size)
  }
}
