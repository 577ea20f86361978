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

  /** Who wants one name: each once. Nothing is made for it: a change goes to thousands of clients. */
  visit(kind: Kind, name: string, tell: (session: Session) => void): void {
    const named = this.#byName[kind].get(name)
    const all = this.#wildcard[kind]
    if (named !== undefined) for (const session of named) tell(session)
    if (all.size > 0) for (const session of all) if (named === undefined || !named.has(session)) tell(session)
  }

  #drop(session: Session, kind: Kind, name: string): void {
    const sessions = this.#byName[kind].get(name)
    sessions?.delete(session)
    if (sessions?.size === 0) this.#byName[kind].delete(name)
  }
}
