import { type KubeObject, keyOf } from "@pilothouse/api"
import { formatDuration, messageOf } from "@pilothouse/seams"
import { isKubeOperation, isRememberOperation, type KubeOperation, type ObjectRef, type Operation, type Plan, type Result } from "./plan.ts"

/** A plan in words, a line for each thing: for logs, traces and `pilothouse explain`. With results, also what became of it. */
export function describePlan(plan: Plan, results: readonly Result[] = []): readonly string[] {
  const outcomes = new Map(results.map((result) => [result.operation, outcome(result)]))
  const operations = plan.steps.flatMap((step) => step.operations)
  const lines = operations.map(
    (operation) => `${describeOperation(operation)}, because ${operation.reason}${outcomes.get(operation) ?? ""}`,
  )
  return [
    ...counted(lines),
    ...(plan.summary === undefined ? [] : [operations.every(isRememberOperation) ? atRest(plan.summary, plan) : plan.summary]),
    ...plan.waitingFor.map((what) => `wait for ${what}`),
    ...(hasFailed(operations, results) ? [] : hereafter(plan)),
  ]
}

/** What people are warned of is no rest: somebody has to mend something before there is anything to do. */
function atRest(summary: string, { events, stuck }: Plan): string {
  const isWarned = stuck === true || events.some(({ type, message }) => type === "Warning" && summary.includes(message))
  return `${isWarned ? "cannot go on" : "nothing to do"}: ${summary}`
}

/** What follows once every operation has succeeded. Of a plan that failed the events are not said, and when it is tried again is not the plan's to say. */
function hereafter({ events, requeue }: Plan): readonly string[] {
  return [
    ...events.map(({ about, type, reason, message }) => `say ${type} ${reason} of ${nameOf(about)}: ${message}`),
    ...(requeue === undefined ? [] : [`look again in ${duration(requeue.after)}, because ${requeue.reason}`]),
  ]
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
  update: "update",
  status: "write the status of",
  patch: "patch",
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

function outcome(result: Result): string {
  if (result.ok === true) return result.overtaken ? ": somebody was quicker, and it is looked at again" : ": done"
  return result.ok === "skipped" ? ": not tried" : `: failed, ${messageOf(result.error)}`
}

/** Five hundred equal lines are one line with a number. */
function counted(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return [...counts].map(([line, count]) => (count === 1 ? line : `${count} × ${line}`))
}

/** To the second, where it is long. */
function duration(after: string | number): string {
  if (typeof after === "string") return after
  return formatDuration(after < 10_000 ? Math.round(after) : Math.round(after / 1000) * 1000)
}
