import { apiVersionOf, type Descriptor, deepEqual, type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../../cache/change.ts"
import { isRememberOperation, type KubeOperation, type Operation, type Result } from "../plan/plan.ts"

/** What a reconcile wrote, and the error that it ended with. */
interface Outcome {
  readonly results: readonly Result[]
  readonly error?: unknown
}

/** A status write and its result. */
interface StatusWrite {
  /** The resourceVersion before the write. */
  readonly from: string
  /** The object in the server's response. */
  readonly to: KubeObject
}

type Update = Change & { readonly type: "updated" }

/** A change that came while its key was active, and how to enqueue the key for it. */
interface HeldChange {
  readonly change: Update
  enqueue(): void
}

/**
 * Separates the changes that a controller's own status writes cause from all others, for `ignoreOwnStatusWrites`.
 * A status is written at the observed version, or refused: between that version and the one in the response there is only
 * this write. Only a change between exactly these versions with exactly that content is dropped, so no other client's change ever is.
 *
 * Invariant: at most one change of an active key is held, and none once it is finished; at most one write of a key is expected.
 */
export class OwnStatusFilter {
  readonly #of: Descriptor
  readonly #onObserved: (key: string) => void
  /** The active keys. A second change of one of them comes from another client: then nothing is held any more, nor once the object is deleted. */
  readonly #active = new Map<string, HeldChange | "unchanged" | "enqueued">()
  readonly #expected = new Map<string, StatusWrite>()

  /** `onObserved` is called with each key whose own change was dropped: its cache shows the write. */
  constructor(of: Descriptor, onObserved: (key: string) => void) {
    this.#of = of
    this.#onObserved = onObserved
  }

  begin(key: string): void {
    this.#active.set(key, "unchanged")
  }

  /** True: the change comes from an own write, or may; then `enqueue` is called as soon as it is known that it does not. */
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

  /** Called with the outcome of an active key: a held change that is not its own write enqueues the key. */
  reconciled(key: string, outcome: Outcome): void {
    const write = this.#ownStatusWrite(key, outcome)
    const held = this.#active.get(key)
    if (held === "unchanged" && write !== undefined) this.#expected.set(key, write)
    if (typeof held !== "object") return
    this.#active.set(key, "enqueued")
    if (write !== undefined && isResultOf(write, held.change)) this.#onObserved(key)
    else held.enqueue()
  }

  /** Called before the key is released, reconciled or not. */
  finish(key: string): void {
    const held = this.#active.get(key)
    this.#active.delete(key)
    if (typeof held === "object") held.enqueue()
  }

  /** Called when the object is deleted. A write of an active key may still be answered: no cache will show it. */
  forget(key: string): void {
    this.#expected.delete(key)
    if (this.#active.get(key) === "unchanged") this.#active.set(key, "enqueued")
  }

  /** Changes are ordered: where another one comes first, the expected one was skipped. */
  #isExpected(key: string, change: Update): boolean {
    const expected = this.#expected.get(key)
    if (expected === undefined) return false
    this.#expected.delete(key)
    if (!isResultOf(expected, change)) return false
    this.#onObserved(key)
    return true
  }

  /** Returns the only write of the reconcile if it was the own status; undefined where it wrote something else too, failed, or changed nothing. */
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

/** Versions alone are not enough: a restored server uses them a second time. */
function isResultOf({ from, to }: StatusWrite, { old, object }: Update): boolean {
  const isFromTo = old.metadata.resourceVersion === from && object.metadata.resourceVersion === to.metadata.resourceVersion
  return isFromTo && deepEqual(withoutManagedFields(object), withoutManagedFields(to))
}

/** Caches drop managedFields. */
function withoutManagedFields(object: KubeObject): KubeObject {
  return object.metadata.managedFields === undefined ? object : { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}
