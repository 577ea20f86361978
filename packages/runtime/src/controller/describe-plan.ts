import { type KubeObject, keyOf } from "@pilothouse/api"
import { messageOf } from "@pilothouse/seams"
import { isKubeOperation, isRememberOperation, type KubeOperation, type ObjectRef, type Operation, type Plan, type Result } from "./plan.ts"

/** A plan in words, a line for each thing: for logs, traces and `pilothouse explain`. With results, also what became of it. */
export function describePlan(plan: Plan, results: readonly Result[] = []): readonly string[] {
  const outcomes = new Map(results.map((result) => [result.operation, outcome(result)]))
  const operations = plan.steps.flatMap((step) => step.operations)
  const lines = operations.map(
    (operation) => `${describeOperation(operation)}, because ${operation.because}${outcomes.get(operation) ?? ""}`,
  )
  return [
    ...counted(lines),
    ...(plan.summary === undefined ? [] : [operations.every(isRememberOperation) ? `nothing to do: ${plan.summary}` : plan.summary]),
    ...plan.waitingFor.map((what) => `wait for ${what}`),
    ...plan.events.map(({ about, type, reason, message }) => `say ${type} ${reason} of ${nameOf(about)}: ${message}`),
    ...(plan.again === undefined ? [] : [`look again in ${duration(plan.again.after)}, because ${plan.again.because}`]),
  ]
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
  if (result.ok === true) return ": done"
  return result.ok === "skipped" ? ": not tried" : `: failed, ${messageOf(result.error)}`
}

/** Five hundred equal lines are one line with a number. */
function counted(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return [...counts].map(([line, count]) => (count === 1 ? line : `${count} × ${line}`))
}

function duration(after: string | number): string {
  return typeof after === "string" ? after : `${Math.round(after) / 1000}s`
}
