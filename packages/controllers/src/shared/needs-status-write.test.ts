import type { KubeOperation, Result } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { needsStatusWrite } from "./needs-status-write.ts"

function operation(kind: string, what: "create" | "delete"): KubeOperation {
  return { do: what, object: { apiVersion: "v1", kind, metadata: { name: "a" } }, reason: "of the test" }
}

const failed = (of: KubeOperation): Result => ({ operation: of, ok: false, error: new Error("refused") })
const status: KubeOperation = { do: "status", object: operation("Pod", "create").object, status: {}, reason: "of the test" }
const adoption: KubeOperation = { do: "patch", object: operation("Pod", "create").object, patch: {}, reason: "of the test" }

test.each<{ name: string; results: readonly Result[]; expected: boolean }>([
  { name: "nothing was done", results: [], expected: false },
  { name: "all went well", results: [{ operation: operation("Pod", "create"), ok: true }], expected: false },
  { name: "a pod was refused", results: [failed(operation("Pod", "create"))], expected: true },
  {
    name: "a pod was refused, and the status skipped",
    results: [failed(operation("Pod", "delete")), { operation: status, ok: "skipped" }],
    expected: true,
  },
  {
    name: "a pod was refused, and the status written all the same",
    results: [failed(operation("Pod", "delete")), { operation: status, ok: true }],
    expected: false,
  },
  { name: "the status itself was refused: the next reconcile tries again", results: [failed(status)], expected: false },
  { name: "an adoption failed: what is there is unknown", results: [failed(adoption)], expected: false },
  { name: "a revision was refused", results: [failed(operation("ControllerRevision", "create"))], expected: false },
  {
    name: "a revision and a pod were refused",
    results: [failed(operation("ControllerRevision", "create")), failed(operation("Pod", "create"))],
    expected: false,
  },
])("$name: $expected", ({ results, expected }) => {
  expect(needsStatusWrite(results, ["Pod"])).toBe(expected)
})
