import { forbidden } from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import { describeOperation, type Result } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { claim as fullClaim } from "../persistent-volume/testing/objects.ts"
import { decide, settle } from "./decide.ts"
import { ephemeralVolumes } from "./observe.ts"

const template = {
  metadata: { labels: { app: "db" } },
  spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
}
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "db", namespace: "default", uid: "uid-db" },
  spec: {
    containers: [{ name: "main", image: "example/db:1" }],
    volumes: [
      { name: "scratch", ephemeral: { volumeClaimTemplate: template } },
      { name: "plain", emptyDir: {} },
    ],
  },
}
const owner = { apiVersion: "v1", kind: "Pod", name: "db", uid: "uid-db", controller: true, blockOwnerDeletion: true }
const owned = fullClaim("db-scratch", { metadata: { ownerReferences: [owner] } })

function plan(of: Pod, claim?: PersistentVolumeClaim) {
  return decide({ pod: of, volumes: ephemeralVolumes(of).map((volume) => ({ volume, claim })) })
}

test.each<[name: string, pod: Pod, claim: PersistentVolumeClaim | undefined, operations: readonly string[], events: readonly string[]]>([
  ["create; create-with-other-PVC", pod, undefined, ["create PersistentVolumeClaim default/db-scratch"], []],
  ["pod-deleted", { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } }, undefined, [], []],
  ["no-volumes", { ...pod, spec: { ...pod.spec!, volumes: [] } }, undefined, [], []],
  ["it is there", pod, owned, [], []],
  [
    "wrong-PVC-owner",
    pod,
    fullClaim("db-scratch"),
    [],
    ["FailedBinding: ephemeral volume scratch: PVC default/db-scratch was not created for pod default/db (pod is not owner)"],
  ],
])("%s", (_name, of, claim, operations, events) => {
  const decided = plan(of, claim)
  expect(decided.steps.flatMap((step) => step.operations).map(describeOperation)).toEqual(operations)
  expect(decided.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(events)
})

test("the claim is what the template says, and the pod's own", () => {
  const [operation] = plan(pod).steps.flatMap((step) => step.operations)
  expect(operation).toMatchObject({ object: { metadata: { labels: { app: "db" }, ownerReferences: [owner] }, spec: template.spec } })
})

test("create-conflict: a refusal is reported", () => {
  const [operation] = plan(pod).steps.flatMap((step) => step.operations)
  const error = forbidden({ group: "", plural: "persistentvolumeclaims" }, "db-scratch", "exceeded quota")
  const results: Result[] = [{ operation: operation!, ok: false, error }]
  const settled = settle({ pod, volumes: ephemeralVolumes(pod).map((volume) => ({ volume })) }, results)
  expect(settled.events).toMatchObject([
    {
      type: "Warning",
      reason: "FailedBinding",
      message: expect.stringMatching(/^ephemeral volume scratch: create PVC db-scratch: .*exceeded quota/),
    },
  ])
})
