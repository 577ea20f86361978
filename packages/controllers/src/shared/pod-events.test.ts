import { StatusError } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { plan, type Result } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { recordPodEvents } from "./pod-events.ts"

const owner = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "work" } }
const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "work-1" } }
const unnamed: Pod = { ...pod, metadata: { generateName: "work-" } }
const remove = { do: "delete", object: pod, reason: "" } as const
const make = { do: "create", object: unnamed, reason: "" } as const
const revision = { ...make, object: { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name: "one" } } }

function refusal(message: string, causes: readonly { readonly reason: string }[] = []): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 403, details: { causes } })
}

test.each<readonly [string, Result, readonly string[]]>([
  ["made", { operation: make, ok: true, object: pod }, ["Normal SuccessfulCreate Created pod: work-1"]],
  ["deleted", { operation: remove, ok: true, object: pod }, ["Normal SuccessfulDelete Deleted pod: work-1"]],
  ["gone before it was deleted", { operation: remove, ok: true }, []],
  ["not made", { operation: make, ok: false, error: refusal("no") }, ["Warning FailedCreate Error creating: no"]],
  ["not deleted", { operation: remove, ok: false, error: refusal("no") }, ["Warning FailedDelete Error deleting: no"]],
  ["refused by a namespace that goes", { operation: make, ok: false, error: refusal("no", [{ reason: "NamespaceTerminating" }]) }, []],
  ["not tried", { operation: make, ok: "skipped" }, []],
  ["no pod", { operation: revision, ok: true, object: revision.object }, []],
])("a pod that was %s", (_name, result, expected) => {
  const built = plan()
  recordPodEvents(built, owner, [result])
  expect(built.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(expected)
})
