import type { Kind } from "../xds/kinds.ts"
import type { Subscription } from "../xds/step.ts"
import type { Session } from "./session.ts"

/** Who wants what, so that a change visits only those. */
export class Interest {
  readonly #byName: Readonly<Record<Kind, Map<string, Set<Session>>>> = {
    cluster: new Map(),
    endpoint: new Map(),
    listener: new Map(),
    route: new Map(),
  }
  readonly #wildcard: Readonly<Record<Kind, Set<Session>>> = {
    cluster: new Set(),
    endpoint: new Set(),
    listener: new Set(),
    route: new Set(),
  }

  note(session: Session, kind: Kind, { wildcard, added, dropped }: Subscription): void {
    if (wildcard) this.#wildcard[kind].add(session)
    else this.#wildcard[kind].delete(session)
    for (const name of dropped) this.#drop(session, kind, name)
    for (const name of added) {
      const sessions = this.#byName[kind].get(name)
      if (sessions === undefined) this.#byName[kind].set(name, new Set([session]))
      else sessions.add(session)
    }
  }

  forget(session: Session): void {
    for (const watch of Object.values(session.watches)) {
      this.#wildcard[watch.kind].delete(session)
      for (const name of watch.names) this.#drop(session, watch.kind, name)
    }
  }

  /** Each once. */
  in(kind: Kind, names: Iterable<string>): Map<Session, string[]> {
    const found = new Map<Session, string[]>()
    const add = (session: Session, name: string) => {
      const known = found.get(session)
      if (known === undefined) found.set(session, [name])
      else if (known.at(-1) !== name) known.push(name)
    }
    for (const name of names) {
      for (const session of this.#byName[kind].get(name) ?? []) add(session, name)
      for (const session of this.#wildcard[kind]) add(session, name)
    }
    return found
  }

  #drop(session: Session, kind: Kind, name: string): void {
    const sessions = this.#byName[kind].get(name)
    sessions?.delete(session)
    if (sessions?.size === 0) this.#byName[kind].delete(name)
  }
}
