import type { Executor } from "./executor.ts"
import type { CustomOperation, Plan } from "./plan.ts"
import type { PlanBuilder } from "./plan-builder.ts"

declare const notGiven: unique symbol

/** The executors of a controller that names none. */
export type NotGiven = readonly Executor[] & { readonly [notGiven]?: never }

/** Ties the operations of a plan to the executors of its controller: nothing where each has one, else a property that says what is missing. */
export type RequireExecutors<Decided extends Plan, Executors extends readonly Executor[]> = [Unexecuted<Decided, Executors>] extends [never]
  ? unknown
  : { readonly executors: Missing<Unexecuted<Decided, Executors>["do"], OperationOf<Executors>["do"]> }

/** The compiler prints it: Type '…' is not assignable to type '"expected an executor of put-record among the executors"'. */
type Missing<Do extends string, Known extends string> = Do extends Known
  ? `expected an executor of ${Do} that takes the fields of the planned operation`
  : `expected an executor of ${Do} among the executors`

type Unexecuted<Decided extends Plan, Executors extends readonly Executor[]> =
  PlannedBy<Decided> extends infer O ? (O extends OperationOf<Executors> ? never : Extract<O, CustomOperation>) : never

/** Of a plan that was not built in sight of the compiler, nothing is known. */
type PlannedBy<Decided> = Decided extends PlanBuilder<infer O> ? (CustomOperation extends O ? never : O) : never

type OperationOf<Executors extends readonly Executor[]> = typeof notGiven extends keyof Executors
  ? never
  : Executors[number] extends Executor<infer O>
    ? O
    : never
