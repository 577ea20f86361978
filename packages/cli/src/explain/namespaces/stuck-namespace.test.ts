import type { Namespace } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { unemptiedLines } from "./namespace-holders.ts"

const now = Date.parse("2026-01-05T09:00:03Z")
const going: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "going", deletionTimestamp: "2026-01-05T09:00:00Z" } }

test.each<[what: string, namespace: Namespace, controllers: readonly string[] | undefined, expected: readonly string[]]>([
  [
    "its controller is left out",
    going,
    ["job-controller"],
    ["namespace-controller does not run here: nothing empties it, so that it stays"],
  ],
  ["its controller runs, and has messages of its own", going, ["namespace-controller"], []],
  ["it is unknown which controllers run", going, undefined, []],
  ["it is not deleted", { ...going, metadata: { name: "going" } }, ["job-controller"], []],
])("of a namespace: %s", (_what, namespace, controllers, expected) => {
  expect(unemptiedLines(namespace, { now, controllers })).toEqual(expected)
})
