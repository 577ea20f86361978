import { apiVersionOf, type Descriptor, deepEqual, type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import { isRememberOperation, type KubeOperation, type Operation } from "./plan.ts"
import type { Outcome } from "./reconcile.ts"

/** What a status write made of an object. */
interface Move {
  /** The resourceVersion that it was written at. */
  readonly from: string
  /** The object as the server answered. */
  readonly to: KubeObject
}

type Update = Change & { readonly type: "updated" }

/** A change that came while its key was in hand, and how to wake the key for it. */
interface Held {
  readonly change: Update
  wake(): void
}

/**
 * Tells the changes that a controller's own status writes bring back to it from all others, for controllers that say `ownStatus: "is no news"`.
 * A status is written at the version that was observed, or refused: between that version and the one that the server answered there is nothing but
 * our write. Dropped is only a change from the one to the other that shows just what was answered; so nobody else's change ever is.
 *
 * Always true between calls: of a key in hand at most one change is held, and none once it is given back; of a key at most one is expected.
 */
export class Echoes {
  readonly #of: Descriptor
  readonly #heard: (key: string) => void
  /** The keys in hand. A second change of one of them says that somebody else writes too: then nothing is held any more. Nor once it is gone. */
  readonly #inHand = new Map<string, Held | "nothing yet" | "woken">()
  readonly #expected = new Map<string, Move>()

  /** `heard` is told of each key whose echo was dropped: its cache shows what was written. */
  constructor(of: Descriptor, heard: (key: string) => void) {
    this.#of = of
    this.#heard = heard
  }

  taken(key: string): void {
    this.#inHand.set(key, "nothing yet")
  }

  /** True: the change is an echo, or may be one; then `wake` is called as soon as it is known that it is none. */
  isOurs(key: string, change: Change, wake: () => void): boolean {
    if (change.type !== "updated") return false
    if (this.#isExpected(key, change)) return true
    const held = this.#inHand.get(key)
    if (held === undefined || held === "woken") return false
    this.#inHand.set(key, held === "nothing yet" ? { change, wake } : "woken")
    if (held === "nothing yet") return true
    held.wake()
    return false
  }

  /** What became of the look at a key that is still in hand: what was held and is no echo of it wakes the key. */
  looked(key: string, outcome: Outcome): void {
    const move = this.#moveOf(key, outcome)
    const held = this.#inHand.get(key)
    if (held === "nothing yet" && move !== undefined) this.#expected.set(key, move)
    if (typeof held !== "object") return
    this.#inHand.set(key, "woken")
    if (move !== undefined && isEchoOf(move, held.change)) this.#heard(key)
    else held.wake()
  }

  /** Before the key is given back, looked at or not. */
  givenBack(key: string): void {
    const held = this.#inHand.get(key)
    this.#inHand.delete(key)
    if (typeof held === "object") held.wake()
  }

  /** The object is gone. Where its key is in hand a write may still be answered: nobody will ever see what it made. */
  forget(key: string): void {
    this.#expected.delete(key)
    if (this.#inHand.get(key) === "nothing yet") this.#inHand.set(key, "woken")
  }

  /** Changes come in order: where another one comes first, the expected one was skipped. */
  #isExpected(key: string, change: Update): boolean {
    const expected = this.#expected.get(key)
    if (expected === undefined) return false
    this.#expected.delete(key)
    if (!isEchoOf(expected, change)) return false
    this.#heard(key)
    return true
  }

  /** Undefined: it wrote something else too, or failed, or changed nothing; then every change is news. */
  #moveOf(key: string, { error, results }: Outcome): Move | undefined {
    const written = results.filter(({ operation }) => !isRememberOperation(operation))
    const [only] = written
    if (error !== undefined || written.length !== 1 || only?.ok !== true || !this.#isOwnStatus(only.operation, key)) return undefined
    const [from, to] = [only.operation.object.metadata.resourceVersion, only.object]
    return from === undefined || to === undefined || to.metadata.resourceVersion === from ? undefined : { from, to }
  }

  #isOwnStatus(operation: Operation, key: string): operation is KubeOperation {
    if (operation.do !== "status") return false
    const { object } = operation as KubeOperation
    return object.kind === this.#of.kind && object.apiVersion === apiVersionOf(this.#of) && keyOf(object) === key
  }
}

/** The versions alone would do, but that a server which was restored gives them away a second time. */
function isEchoOf({ from, to }: Move, { old, object }: Update): boolean {
  const isFromTo = old.metadata.resourceVersion === from && object.metadata.resourceVersion === to.metadata.resourceVersion
  return isFromTo && deepEqual(withoutManagedFields(object), withoutManagedFields(to))
}

/** Caches drop them. */
function withoutManagedFields(object: KubeObject): KubeObject {
  return object.metadata.managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}
