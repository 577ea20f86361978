import type { Session } from "../session/session.ts"
import type { Kind } from "../xds/kinds.ts"
import type { Subscription } from "../xds/step.ts"

/** Sessions by the names that they subscribe to, so that a change visits only those. */
export class SubscriptionIndex {
  /** A session by itself, or several: most of very many names have one subscriber each. */
  readonly #byName: Readonly<Record<Kind, Map<string, Session | Set<Session>>>> = {
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
      if (sessions === undefined) this.#byName[kind].set(name, session)
      else if (sessions instanceof Set) sessions.add(session)
      else if (sessions !== session) this.#byName[kind].set(name, new Set([sessions, session]))
    }
  }

  forget(session: Session): void {
    for (const watch of Object.values(session.watches)) {
      this.#wildcard[watch.kind].delete(session)
      for (const name of watch.names) this.#drop(session, watch.kind, name)
    }
  }

  /** Visits the subscribers of a name, each once. Allocates nothing: a change goes to thousands of clients. */
  visit(kind: Kind, name: string, tell: (session: Session) => void): void {
    const named = this.#byName[kind].get(name)
    const all = this.#wildcard[kind]
    if (named instanceof Set) for (const session of named) tell(session)
    else if (named !== undefined) tell(named)
    if (all.size === 0) return
    for (const session of all) if (named instanceof Set ? !named.has(session) : named !== session) tell(session)
  }

  #drop(session: Session, kind: Kind, name: string): void {
    const sessions = this.#byName[kind].get(name)
    if (sessions instanceof Set) sessions.delete(session)
    if (sessions === session || (sessions instanceof Set && sessions.size === 0)) this.#byName[kind].delete(name)
  }
}
