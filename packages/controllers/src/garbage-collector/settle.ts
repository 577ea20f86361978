import { isConflict } from "@pilothouse/api"
import { type KubeOperation, type Plan, plan, type Result } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/**
 * A delete that was refused because the object changed meanwhile: if its owners are what they were, it was something else that changed, and
 * the object goes whatever it is. One whose status is written all the time would otherwise never be seen as it is.
 */
export function settle({ of, object }: Observed, results: readonly Result[]): Plan {
  const refused = results.map(refusedDelete).find((operation) => operation !== undefined)
  if (refused === undefined) return plan()
  const { uid, ownerReferences } = object.metadata
  const asSeen = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/ownerReferences", value: ownerReferences },
  ]
  const tolerate = ["NotFound"] as const
  return plan()
    .operation({
      do: "patch",
      of,
      object,
      type: "json",
      patch: asSeen,
      tolerate,
      reason: "only its owners matter, and they may not have changed",
    })
    .nextStep()
    .operation({ ...refused, options: { ...refused.options, preconditions: { uid } }, tolerate })
}

type DeleteOperation = Extract<KubeOperation, { readonly do: "delete" }>

function refusedDelete(result: Result): DeleteOperation | undefined {
  if (result.ok !== false || result.operation.do !== "delete" || !isConflict(result.error)) return undefined
  const operation = result.operation as DeleteOperation
  return operation.options?.preconditions?.resourceVersion === undefined ? undefined : operation
}
