import type { VolumeAttributesClass } from "@pilothouse/api/storage/v1"
import { describePlan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { decide, finalizer } from "./controller.ts"
import { volumeClass } from "./testing/classes.ts"

const deleted = { deletionTimestamp: "2026-01-05T09:00:00Z" }
const ours = { finalizers: ["example.com/mine", finalizer] }
const claim = "the claim default/data"

test.each<[name: string, metadata: VolumeAttributesClass["metadata"], user: string | undefined, finalizers: readonly string[] | undefined]>(
  [
    ["a class without the finalizer gets it", {}, undefined, [finalizer]],
    ["a class that is used and has no finalizer gets it", {}, claim, [finalizer]],
    ["ours comes last", { finalizers: ["example.com/mine"] }, undefined, ["example.com/mine", finalizer]],
    ["a class that has it stays as it is", ours, undefined, undefined],
    ["a deleted class without users loses it, and only it", { ...deleted, ...ours }, undefined, ["example.com/mine"]],
    ["a deleted class with a user keeps it", { ...deleted, ...ours }, claim, undefined],
    ["a deleted class without it does not get it", { ...deleted, finalizers: ["example.com/mine"] }, undefined, undefined],
  ],
)("%s", (_name, metadata, user, finalizers) => {
  const operations = decide({ volumeClass: volumeClass("gold", metadata), user }).steps.flatMap((step) => step.operations)
  expect(operations).toHaveLength(finalizers === undefined ? 0 : 1)
  if (finalizers !== undefined) expect(operations[0]).toMatchObject({ do: "update", object: { metadata: { finalizers } } })
})

test("it says who keeps a class that was deleted", () => {
  const told = describePlan(decide({ volumeClass: volumeClass("gold", { ...deleted, ...ours }), user: claim })).join("\n")
  expect(told).toContain("it is deleted, but the claim default/data names it")
})
