import type { KubeObject, StatusReason } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { DeleteOptions, PatchType } from "../client/options.ts"
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
  #again: Plan["again"]
  #summary: string | undefined
  #stuck: true | undefined

  get steps(): readonly Step[] {
    return this.#steps
  }

  get events(): readonly PlannedEvent[] {
    return this.#events
  }

  get again(): Plan["again"] {
    return this.#again
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

  /** `fineIf: ["AlreadyExists"]` leaves alone what somebody else has made under that name. */
  create<T extends KubeObject>(object: T, because: string, options: { readonly fineIf?: readonly StatusReason[] } = {}): this {
    return this.#add({ do: "create", object, because, ...options })
  }

  update<T extends KubeObject>(object: T, because: string): this {
    return this.#add({ do: "update", object, because })
  }

  /** Writes the status of the object at the resourceVersion that was observed: a conflict means looking again. */
  status<T extends ObjectRef>(object: T, status: StatusOf<T>, because: string): this {
    return this.#add({ do: "status", object, status, because })
  }

  /** A merge patch unless `type` says otherwise. `fineIf: ["NotFound"]` where an object that is gone needs no word any more. */
  patch<T extends ObjectRef, Type extends PatchType = "merge">(
    object: T,
    patch: PatchOf<T, Type>,
    because: string,
    options: { readonly type?: Type; readonly subresource?: string; readonly fineIf?: readonly StatusReason[] } = {},
  ): this {
    return this.#add({ do: "patch", object, patch, because, ...options })
  }

  delete(object: ObjectRef, because: string, options?: DeleteOptions): this {
    return this.#add({ do: "delete", object, because, options })
  }

  /** Deletes a pod if its disruption budget allows it. */
  evict(pod: ObjectRef, because: string, options?: DeleteOptions): this {
    return this.#add({ do: "evict", object: pod, because, options })
  }

  /** Gives a pod to a node. */
  bind(pod: ObjectRef, node: string, because: string): this {
    return this.#add({ do: "bind", object: pod, node, because })
  }

  /** An operation that was made elsewhere, by a claim, say; or one of the controller's own kinds, which it brings the executor of. */
  operation(operation: Operation): this {
    return this.#add(operation)
  }

  /** What follows begins only when everything so far has succeeded. (Not named `then`: that would make a plan look like a promise.) */
  afterThat(): this {
    this.#steps.push({ operations: [] })
    return this
  }

  /** What follows begins when everything so far has ended, even if something of the step before it failed. */
  regardless(): this {
    const last = this.#steps.at(-1)
    if (last !== undefined) last.onFailure = "continue"
    return this.afterThat()
  }

  /** Starts a step whose operations begin slowly. */
  slowly(): this {
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

  lookAgain(after: Duration, because: string): this {
    this.#again = { after, because }
    return this
  }

  waitFor(what: string): this {
    this.#waitingFor.push(what)
    return this
  }

  /** Says why nothing is done. `stuck` where that is a failure which no Warning of this plan tells. */
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
