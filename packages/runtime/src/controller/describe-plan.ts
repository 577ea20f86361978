import { type KubeObject, keyOf } from "@pilothouse/api"
import { formatDuration, messageOf } from "@pilothouse/seams"
import {
  isKubeOperation,
  isRememberOperation,
  type KubeOperation,
  type ObjectRef,
  type Operation,
  type Plan,
  type Result,
} from "./plan/plan.ts"

/**
 * One line of a plan: `text` is for people, the other fields are for programs. A program that needs to know what a line is about reads a field; the
 * wording of `text` is no part of any contract.
 */
export type PlanLine =
  | {
      readonly kind: "operation"
      readonly text: string
      /** "create", "remember-heartbeat". */
      readonly do: Operation["do"]
      /** Left out of a plan whose results are not known. "overtaken": not done, because of a conflict that the operation tolerates. */
      readonly outcome?: "done" | "overtaken" | "failed" | "skipped"
    }
  | { readonly kind: "event"; readonly text: string }
  | { readonly kind: "wait"; readonly text: string }
  /** `after` is the delay, counted from the reconcile. */
  | { readonly kind: "requeue"; readonly text: string; readonly after: string; readonly reason: string }
  /** `state` is left out where the plan has operations. "stuck": it is idle because of a failure that someone has to mend. */
  | { readonly kind: "summary"; readonly text: string; readonly state?: "idle" | "stuck" }

/** The text of each of `planLines`, for logs. */
export function describePlan(plan: Plan, results: readonly Result[] = []): readonly string[] {
  return planLines(plan, results).map(({ text }) => text)
}

/** A plan as lines, for traces and `pilothouse explain`: operations (equal ones once, with their number), summary, waits, events, requeue. */
export function planLines(plan: Plan, results: readonly Result[] = []): readonly PlanLine[] {
  const found = new Map(results.map((result) => [result.operation, result]))
  const operations = plan.steps.flatMap((step) => step.operations)
  return [
    ...counted(operations.map((operation) => operationLine(operation, found.get(operation)))),
    ...(plan.summary === undefined ? [] : [summaryLine(plan.summary, plan, operations.every(isRememberOperation))]),
    ...plan.waitingFor.map((what) => ({ kind: "wait", text: `wait for ${what}` }) as const),
    ...(hasFailed(operations, results) ? [] : hereafter(plan)),
  ]
}

function operationLine(operation: Operation, result: Result | undefined): OperationLine {
  const text = `${describeOperation(operation)}, because ${operation.reason}`
  const line: OperationLine = { kind: "operation", text, do: operation.do }
  if (result === undefined) return line
  const outcome = outcomeOf(result)
  return { ...line, text: `${text}: ${outcome === "failed" ? `failed, ${errorIn(result)}` : outcomeTexts[outcome]}`, outcome }
}

function summaryLine(summary: string, { stuck }: Plan, isIdle: boolean): PlanLine {
  if (!isIdle) return { kind: "summary", text: summary }
  return { kind: "summary", text: `${stuck ? "cannot go on" : "nothing to do"}: ${summary}`, state: stuck ? "stuck" : "idle" }
}

/** What follows once every operation has succeeded. Of a plan that failed the events are not said, and when it is tried again is not the plan's to say. */
function hereafter({ events, requeue }: Plan): readonly PlanLine[] {
  return [
    ...events.map(({ about, type, reason, message }): PlanLine => {
      return { kind: "event", text: `say ${type} ${reason} of ${nameOf(about)}: ${message}` }
    }),
    ...(requeue === undefined ? [] : [requeueLine(requeue)]),
  ]
}

function requeueLine({ after, reason }: NonNullable<Plan["requeue"]>): PlanLine {
  const shown = duration(after)
  return { kind: "requeue", text: `requeue in ${shown}, because ${reason}`, after: shown, reason }
}

/** Of this plan: results may be of another one, too. */
function hasFailed(operations: readonly Operation[], results: readonly Result[]): boolean {
  const failed = new Set(results.filter(({ ok }) => ok !== true).map(({ operation }) => operation))
  return failed.size > 0 && operations.some((operation) => failed.has(operation))
}

/** "create Pod default/web-…", "bind Pod default/web-1 to node-1". */
export function describeOperation(operation: Operation): string {
  if (!isKubeOperation(operation)) return `${operation.do.replaceAll("-", " ")} of ${operation.to}`
  const what = operation.do === "deleteCollection" ? operation.object.kind : nameOf(operation.object)
  return `${verbs[operation.do]} ${what}${detail(operation)}`
}

const verbs: Readonly<Record<KubeOperation["do"], string>> = {
  create: "create",
  ensure: "ensure",
  update: "update",
  status: "write the status of",
  patch: "patch",
  apply: "apply",
  delete: "delete",
  deleteCollection: "delete all",
  evict: "evict",
  bind: "bind",
}

function detail(operation: KubeOperation): string {
  if (operation.do === "bind") return ` to ${operation.node}`
  if (operation.do === "deleteCollection") return ` in ${operation.object.metadata.namespace}`
  return "subresource" in operation && operation.subresource !== undefined ? ` (its ${operation.subresource})` : ""
}

/** An object that the server will name is shown with what its name begins with. */
function nameOf(object: ObjectRef): string {
  const { name, generateName, namespace } = object.metadata
  const shown: Pick<KubeObject, "metadata"> = { metadata: { name: name ?? `${generateName ?? ""}…`, namespace } }
  return `${object.kind} ${keyOf(shown)}`
}

type OperationLine = Extract<PlanLine, { readonly kind: "operation" }>
type OperationOutcome = NonNullable<OperationLine["outcome"]>

const outcomeTexts: Readonly<Record<Exclude<OperationOutcome, "failed">, string>> = {
  done: "done",
  overtaken: "another client was quicker, and it is reconciled again",
  skipped: "not tried",
}

function outcomeOf(result: Result): OperationOutcome {
  if (result.ok === true) return result.overtaken ? "overtaken" : "done"
  return result.ok === "skipped" ? "skipped" : "failed"
}

function errorIn(result: Result): string {
  return result.ok === false ? messageOf(result.error) : ""
}

/** Five hundred equal lines are one line with a number. */
function counted(lines: readonly OperationLine[]): readonly OperationLine[] {
  const counts = new Map<string, { readonly line: OperationLine; readonly count: number }>()
  for (const line of lines) counts.set(line.text, { line, count: (counts.get(line.text)?.count ?? 0) + 1 })
  return Array.from(counts.values(), ({ line, count }) => (count === 1 ? line : { ...line, text: `${count} × ${line.text}` }))
}

/** To the second, where it is long. */
function duration(after: string | number): string {
  if (typeof after === "string") return after
  return formatDuration(after < 10_000 ? Math.round(after) : Math.round(after / 1000) * 1000)
}
