import { apiVersionOf, type Descriptor, deepEqual, type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../../cache/change.ts"
import { isRememberOperation, type KubeOperation, type Operation } from "../plan/plan.ts"
import type { Outcome } from "../reconcile.ts"

/** What a status write made of an object. */
interface StatusWrite {
  /** The resourceVersion that it was written at. */
  readonly from: string
  /** The object as the server answered. */
  readonly to: KubeObject
}

type Update = Change & { readonly type: "updated" }

/** A change that came while its key was in hand, and how to wake the key for it. */
interface HeldChange {
  readonly change: Update
  enqueue(): void
}

/**
 * Tells the changes that a controller's own status writes bring back to it from all others, for controllers that say `ownStatus: "is no news"`.
 * A status is written at the version that was observed, or refused: between that version and the one that the server answered there is nothing but
 * our write. Dropped is only a change from the one to the other that shows just what was answered; so nobody else's change ever is.
 *
 * Always true between calls: of a key in hand at most one change is held, and none once it is given back; of a key at most one is expected.
 */
export class OwnStatusFilter {
  readonly #of: Descriptor
  readonly #onObserved: (key: string) => void
  /** The keys in hand. A second change of one of them says that somebody else writes too: then nothing is held any more. Nor once it is gone. */
  readonly #active = new Map<string, HeldChange | "unchanged" | "enqueued">()
  readonly #expected = new Map<string, StatusWrite>()

  /** `heard` is told of each key whose echo was dropped: its cache shows what was written. */
  constructor(of: Descriptor, onObserved: (key: string) => void) {
    this.#of = of
    this.#onObserved = onObserved
  }

  begin(key: string): void {
    this.#active.set(key, "unchanged")
  }

  /** True: the change is an echo, or may be one; then `wake` is called as soon as it is known that it is none. */
  isOwnWrite(key: string, change: Change, enqueue: () => void): boolean {
    if (change.type !== "updated") return false
    if (this.#isExpected(key, change)) return true
    const held = this.#active.get(key)
    if (held === undefined || held === "enqueued") return false
    this.#active.set(key, held === "unchanged" ? { change, enqueue } : "enqueued")
    if (held === "unchanged") return true
    held.enqueue()
    return false
  }

  /** What became of the look at a key that is still in hand: what was held and is no echo of it wakes the key. */
  reconciled(key: string, outcome: Outcome): void {
    const write = this.#ownStatusWrite(key, outcome)
    const held = this.#active.get(key)
    if (held === "unchanged" && write !== undefined) this.#expected.set(key, write)
    if (typeof held !== "object") return
    this.#active.set(key, "enqueued")
    if (write !== undefined && isResultOf(write, held.change)) this.#onObserved(key)
    else held.enqueue()
  }

  /** Before the key is given back, looked at or not. */
  finish(key: string): void {
    const held = this.#active.get(key)
    this.#active.delete(key)
    if (typeof held === "object") held.enqueue()
  }

  /** The object is gone. Where its key is in hand a write may still be answered: nobody will ever see what it made. */
  forget(key: string): void {
    this.#expected.delete(key)
    if (this.#active.get(key) === "unchanged") this.#active.set(key, "enqueued")
  }

  /** Changes come in order: where another one comes first, the expected one was skipped. */
  #isExpected(key: string, change: Update): boolean {
    const expected = this.#expected.get(key)
    if (expected === undefined) return false
    this.#expected.delete(key)
    if (!isResultOf(expected, change)) return false
    this.#onObserved(key)
    return true
  }

  /** Undefined: it wrote something else too, or failed, or changed nothing; then every change is news. */
  #ownStatusWrite(key: string, { error, results }: Outcome): StatusWrite | undefined {
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
function isResultOf({ from, to }: StatusWrite, { old, object }: Update): boolean {
  const isFromTo = old.metadata.resourceVersion === from && object.metadata.resourceVersion === to.metadata.resourceVersion
  return isFromTo && deepEqual(withoutManagedFields(object), withoutManagedFields(to))
}

/** Caches drop them. */
function withoutManagedFields(object: KubeObject): KubeObject {
  return object.metadata.managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}
