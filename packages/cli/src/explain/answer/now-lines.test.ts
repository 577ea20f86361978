import type { TraceLine } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import type { TracedReconcile } from "../trace.ts"
import { nowLines } from "./now-lines.ts"

const at = "2026-01-05T09:00:00.000000Z"
const afterTwoMinutes = Date.parse("2026-01-05T09:02:00.000Z")

function reconcile(more: Partial<TracedReconcile>): TracedReconcile {
  return { at, controller: "c", key: "default/web", causes: [], observed: [], lines: [], results: [], ...more }
}

function requeue(after: string, reason: string): TraceLine {
  return { kind: "requeue", text: `requeue in ${after}, because ${reason}`, after, reason }
}

const rows: Record<string, { reconcile: Partial<TracedReconcile>; says: readonly string[] }> = {
  "the time that is left, and not what was left when it looked": {
    reconcile: { lines: [requeue("300s", "its time on the node is over then")] },
    says: ["c: requeue in 3m, because its time on the node is over then"],
  },
  "a reconcile that is due": {
    reconcile: { lines: [requeue("1m30s", "its time is over then")] },
    says: ["c: requeue any moment, because its time is over then"],
  },
  "when a failure is tried again, and how often it was tried": {
    reconcile: { error: "no quota", failures: 7, nextAt: "2026-01-05T09:02:41.000000Z" },
    says: ["c (2m ago): failed 7 times in a row, and is tried again in 41s: no quota"],
  },
  "a failure that is retried as soon as a worker is free": {
    reconcile: { error: "no quota", failures: 1, nextAt: "2026-01-05T09:02:00.000000Z" },
    says: ["c (2m ago): failed, and is tried again any moment: no quota"],
  },
  "a failure that only a change can help": {
    reconcile: { error: "no such class", failures: 2, givenUp: true },
    says: ["c (2m ago): failed 2 times in a row, and is not tried again until something changes: no such class"],
  },
  "nothing of what a controller notes for itself": {
    reconcile: {
      lines: [{ kind: "operation", do: "remember-heartbeat", outcome: "done", text: "remember heartbeat of the node node-1: done" }],
    },
    says: ["c (2m ago): nothing more to do"],
  },
}

test("says of a thought that is fresh nothing of its age", () => {
  const now = Date.parse("2026-01-05T09:00:59.000Z")
  expect(nowLines([reconcile({ lines: [{ kind: "summary", state: "idle", text: "nothing to do: its node is ready" }] })], now)).toEqual([
    "c: nothing to do: its node is ready",
  ])
})

test.each(Object.entries(rows))("says %s", (_, { reconcile: one, says }) => {
  expect(nowLines([reconcile(one)], afterTwoMinutes)).toEqual(says)
})
