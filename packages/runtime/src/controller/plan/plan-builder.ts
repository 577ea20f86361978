import type { KindMap, KubeObject, StatusReason } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { ApplyConfiguration } from "../../client/apply-configuration.ts"
import type { DeleteOptions, PatchType } from "../../client/wire/options.ts"
import type { CustomOperation, KubeOperation, ObjectRef, Operation, Plan, PlannedEvent, Step } from "./plan.ts"

/** Starts a plan. Each call adds to it and returns it, so that a decision can be one expression. */
export function plan(): PlanBuilder<never> {
  return new PlanBuilder()
}

declare const planned: unique symbol

interface OpenStep extends Step {
  readonly operations: Operation[]
  onFailure?: Step["onFailure"]
}

/**
 * Builds a plan. It is a valid Plan at every moment. `Planned` are its custom operations as far as the compiler has seen them added: `controller()` requires an
 * executor of each.
 */
export class PlanBuilder<Planned extends CustomOperation = CustomOperation> implements Plan {
  /** For the compiler alone. */
  declare readonly [planned]?: Planned
  readonly #steps: OpenStep[] = []
  readonly #events: PlannedEvent[] = []
  readonly #waitingFor: string[] = []
  #requeue: Plan["requeue"]
  #summary: string | undefined
  #stuck: true | undefined

  get steps(): readonly Step[] {
    return this.#steps
  }

  get events(): readonly PlannedEvent[] {
    return this.#events
  }

  get requeue(): Plan["requeue"] {
    return this.#requeue
  }

  get waitingFor(): readonly string[] {
    return this.#waitingFor
  }

  get summary(): string | undefined {
    return this.#summary
  }

  get stuck(): true | undefined {
    return this.#stuck
  }

  /** `tolerate: ["AlreadyExists"]` accepts an existing object of that name. */
  create<A extends string, K extends string, T extends KubeObject>(
    object: KindLiteral<A, K> & CheckedObject<A, K, T>,
    reason: string,
    options: { readonly tolerate?: readonly StatusReason[] } = {},
  ): this {
    return this.#add({ do: "create", object, reason, ...options })
  }

  /**
   * Creates the object where the cache has none, and merge-patches the fields of it that differ; fields that it does not name stay. controller-runtime's
   * CreateOrPatch, without a request where nothing differs. The kind has to be one that the controller declares.
   */
  ensure<A extends string, K extends string, T extends KubeObject>(
    object: KindLiteral<A, K> & CheckedObject<A, K, T>,
    reason: string,
  ): this {
    return this.#add({ do: "ensure", object, reason })
  }

  update<A extends string, K extends string, T extends KubeObject>(
    object: KindLiteral<A, K> & CheckedObject<A, K, T>,
    reason: string,
  ): this {
    return this.#add({ do: "update", object, reason })
  }

  /** Writes the status of the object at the observed resourceVersion: a conflict means another reconcile. */
  status<T extends ObjectRef>(object: T, status: StatusOf<T>, reason: string): this {
    return this.#add({ do: "status", object, status, reason })
  }

  /** A merge patch by default. `tolerate: ["NotFound"]` where a deleted object needs no patch. */
  patch<T extends ObjectRef, Type extends PatchType = "merge">(
    object: T,
    patch: PatchOf<T, Type>,
    reason: string,
    options: { readonly type?: Type; readonly subresource?: string; readonly tolerate?: readonly StatusReason[] } = {},
  ): this {
    return this.#add({ do: "patch", object, patch, reason, ...options })
  }

  /**
   * Server-side apply by the controller's field manager, which is its name by default: `object` has the fields that the controller owns and no others.
   * Creates a missing object. Another manager's field with another value is a Conflict, unless `force` takes it over.
   */
  apply<A extends string, K extends string, T extends ObjectRef>(
    object: KindLiteral<A, K> & CheckedConfiguration<A, K, T>,
    reason: string,
    options: { readonly force?: boolean; readonly subresource?: string; readonly tolerate?: readonly StatusReason[] } = {},
  ): this {
    return this.#add({ do: "apply", object, reason, ...options })
  }

  delete(object: ObjectRef, reason: string, options?: DeleteOptions): this {
    return this.#add({ do: "delete", object, reason, options })
  }

  /** Deletes a pod if its disruption budget allows it. */
  evict(pod: ObjectRef, reason: string, options?: DeleteOptions): this {
    return this.#add({ do: "evict", object: pod, reason, options })
  }

  /** Binds a pod to a node. */
  bind(pod: ObjectRef, node: string, reason: string): this {
    return this.#add({ do: "bind", object: pod, node, reason })
  }

  /** Adds an operation that was built elsewhere, for example by a claim, or a custom operation of the controller. */
  operation<O extends Operation>(operation: O): PlanBuilder<Planned | Exclude<O, KubeOperation>> {
    return this.#add(operation)
  }

  /**
   * Begins a step: its operations run once those of the steps before it have ended. A failure in the step before it stops the plan, unless
   * `onFailure` is "continue". (Not named `then`: that would make a plan look like a promise.)
   */
  nextStep({ onFailure }: Pick<Step, "onFailure"> = {}): this {
    const last = this.#steps.at(-1)
    if (last !== undefined && onFailure !== undefined) last.onFailure = onFailure
    this.#steps.push({ operations: [] })
    return this
  }

  /** Begins a step whose operations run 1, 2, 4 … at a time, and no more after a batch with a failure: upstream's slowStartBatch. */
  slowStart(): this {
    this.#steps.push({ operations: [], slowStart: true })
    return this
  }

  event(
    about: ObjectRef,
    type: PlannedEvent["type"],
    reason: string,
    message: string,
    options: Pick<PlannedEvent, "action" | "related"> = {},
  ): this {
    this.#events.push({ about, type, reason, message, ...options })
    return this
  }

  requeueAfter(after: Duration, reason: string): this {
    this.#requeue = { after, reason }
    return this
  }

  waitFor(what: string): this {
    this.#waitingFor.push(what)
    return this
  }

  /** Says why nothing is done. `stuck` where that is a failure that someone has to mend, whether or not an event warns of it. */
  nothing(summary = "nothing to do", { stuck = false }: { readonly stuck?: boolean } = {}): this {
    this.#summary = summary
    this.#stuck = stuck || undefined
    return this
  }

  #add(operation: Operation): this {
    const last = this.#steps.at(-1)
    if (last === undefined) this.#steps.push({ operations: [operation] })
    else last.operations.push(operation)
    return this
  }
}

/**
 * What a merge patch of a value may say: any part of it, and null where a field is to go. Lists are replaced whole.
 * Of an object whose type says no more than its metadata, anything.
 */
export type MergePatch<T> = [Exclude<keyof T, keyof ObjectRef>] extends [never] ? unknown : Part<T>

type Part<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [Field in keyof T]?: Part<T[Field]> | null } : T

/** The status that an object of this type has; of one whose type says nothing of a status, anything. */
export type StatusOf<T> = T extends { readonly status?: infer Status } ? (unknown extends Status ? unknown : NonNullable<Status>) : unknown

/** A merge patch is checked against the object's type; the other types of patches have directives and paths of their own. */
export type PatchOf<T, Type> = [Type] extends ["merge"] ? MergePatch<T> : unknown

/** What the compiler infers the kind of a literal from. */
interface KindLiteral<ApiVersion extends string, Kind extends string> {
  readonly apiVersion: ApiVersion
  readonly kind: Kind
}

type NameOf<ApiVersion extends string, Kind extends string> = Extract<`${ApiVersion} ${Kind}`, keyof KindMap>

/** The type of a kind of Kubernetes, so that a misspelled field of a literal does not compile; of any other kind, the type of the object itself. */
type CheckedObject<ApiVersion extends string, Kind extends string, T extends KubeObject> = [NameOf<ApiVersion, Kind>] extends [never]
  ? T
  : KindMap[NameOf<ApiVersion, Kind>]

/** The same for a server-side apply: any part of the object. */
type CheckedConfiguration<ApiVersion extends string, Kind extends string, T extends ObjectRef> = [NameOf<ApiVersion, Kind>] extends [never]
  ? T
  : ApplyConfiguration<KindMap[NameOf<ApiVersion, Kind>]>
