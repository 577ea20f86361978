import type { Session } from "../session/session.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { Subscription } from "../xds/step.ts"
import { SessionsByName } from "./sessions-by-name.ts"

/** Sessions by the names that they subscribe to, so that a change visits only those. */
export class SubscriptionIndex {
  readonly #byName: Readonly<Record<Kind, SessionsByName>> = {
    cluster: new SessionsByName(),
    endpoint: new SessionsByName(),
    listener: new SessionsByName(),
    route: new SessionsByName(),
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
    for (const name of dropped) this.#byName[kind].delete(name, session)
    for (const name of added) this.#byName[kind].add(name, session)
  }

  /** Each step of the iteration removes one name of a session that is over; until the last step the session may still be visited. */
  *forget(session: Session): IterableIterator<void, void> {
    for (const kind of kinds) this.#wildcard[kind].delete(session)
    for (const kind of kinds)
      for (const name of session.watches[kind].names) {
        this.#byName[kind].delete(name, session)
        yield
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
}
