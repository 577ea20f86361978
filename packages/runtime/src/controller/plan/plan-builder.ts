import type { KubeObject, StatusReason } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { DeleteOptions, PatchType } from "../../client/options.ts"
import type { ObjectRef, Operation, Plan, PlannedEvent, Step } from "./plan.ts"
import type { PatchOf, StatusOf } from "./typed-patch.ts"

/** Begins a plan. Each call adds to it and gives it back, so that a decision can be one expression. */
export function plan(): PlanBuilder {
  return new PlanBuilder()
}

interface OpenStep extends Step {
  readonly operations: Operation[]
  onFailure?: Step["onFailure"]
}

/** A plan that can still be added to. It is a Plan at every moment. */
export class PlanBuilder implements Plan {
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

  /** `tolerate: ["AlreadyExists"]` leaves alone what somebody else has made under that name. */
  create<T extends KubeObject>(object: T, reason: string, options: { readonly tolerate?: readonly StatusReason[] } = {}): this {
    return this.#add({ do: "create", object, reason, ...options })
  }

  update<T extends KubeObject>(object: T, reason: string): this {
    return this.#add({ do: "update", object, reason })
  }

  /** Writes the status of the object at the resourceVersion that was observed: a conflict means looking again. */
  status<T extends ObjectRef>(object: T, status: StatusOf<T>, reason: string): this {
    return this.#add({ do: "status", object, status, reason })
  }

  /** A merge patch unless `type` says otherwise. `tolerate: ["NotFound"]` where an object that is gone needs no word any more. */
  patch<T extends ObjectRef, Type extends PatchType = "merge">(
    object: T,
    patch: PatchOf<T, Type>,
    reason: string,
    options: { readonly type?: Type; readonly subresource?: string; readonly tolerate?: readonly StatusReason[] } = {},
  ): this {
    return this.#add({ do: "patch", object, patch, reason, ...options })
  }

  delete(object: ObjectRef, reason: string, options?: DeleteOptions): this {
    return this.#add({ do: "delete", object, reason, options })
  }

  /** Deletes a pod if its disruption budget allows it. */
  evict(pod: ObjectRef, reason: string, options?: DeleteOptions): this {
    return this.#add({ do: "evict", object: pod, reason, options })
  }

  /** Gives a pod to a node. */
  bind(pod: ObjectRef, node: string, reason: string): this {
    return this.#add({ do: "bind", object: pod, node, reason })
  }

  /** An operation that was made elsewhere, by a claim, say; or one of the controller's own kinds, which it brings the executor of. */
  operation(operation: Operation): this {
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

  /** Begins a step whose operations run 1, 2, 4 … at a time, and no more after a batch with a failure. */
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
