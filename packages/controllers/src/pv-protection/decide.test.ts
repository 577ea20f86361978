import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { volume } from "../persistent-volume/testing/objects.ts"
import { decide, finalizer } from "./controller.ts"

const deleted = { deletionTimestamp: "2026-01-05T09:00:00Z" }
const ours = { finalizers: ["example.com/mine", finalizer] }

test.each<[name: string, volume: PersistentVolume, finalizers: readonly string[] | undefined]>([
  ["PV without finalizer -> finalizer is added", volume("v"), [finalizer]],
  [
    "PV with finalizers of others -> ours comes last",
    volume("v", { metadata: { finalizers: ["example.com/mine"] } }),
    ["example.com/mine", finalizer],
  ],
  ["PV with finalizer -> no action", volume("v", { metadata: ours }), undefined],
  ["deleted PV with finalizer -> finalizer is removed", volume("v", { metadata: { ...deleted, ...ours } }), ["example.com/mine"]],
  [
    "deleted PV that is released -> finalizer is removed",
    volume("v", { phase: "Released", metadata: { ...deleted, ...ours } }),
    ["example.com/mine"],
  ],
  [
    "deleted PV with finalizer + PV is bound -> finalizer is not removed",
    volume("v", { phase: "Bound", metadata: { ...deleted, ...ours } }),
    undefined,
  ],
  ["deleted PV without finalizer -> no action", volume("v", { metadata: { ...deleted, finalizers: ["example.com/mine"] } }), undefined],
])("%s", (_name, given, finalizers) => {
  const operations = decide(given).steps.flatMap((step) => step.operations)
  expect(operations).toHaveLength(finalizers === undefined ? 0 : 1)
  if (finalizers !== undefined) expect(operations[0]).toMatchObject({ do: "update", object: { metadata: { finalizers } } })
})
