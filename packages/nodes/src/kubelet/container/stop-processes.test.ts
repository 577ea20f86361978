import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { PodProcesses, ProcessFacts } from "./process-facts.ts"
import { stopOrders } from "./stop-processes.ts"

const now = Date.UTC(2026, 0, 5, 9)
const running: ProcessFacts = { startedAt: 0, started: true, ready: true }
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", uid: "u", deletionTimestamp: "2026-01-05T09:00:20Z", deletionGracePeriodSeconds: 30 },
  status: { containerStatuses: [{ name: "a", image: "process", imageID: "", ready: true, restartCount: 0 }] },
}

/** What is known of the process, whether slices still offer its pod; what is ordered, and when it is requeued. */
const rows: readonly [string, Partial<ProcessFacts>, boolean, string, number | undefined][] = [
  ["a pod that was just deleted is noted", {}, false, "warn-process", 100],
  ["one that no slice lists any more too", {}, true, "warn-process", 100],
  ["while slices offer it, it runs on", { stopWantedAt: now - 400 }, false, "", 600],
  ["that they do not any more is noted", { stopWantedAt: now - 400 }, true, "warn-process", 100],
  ["balancers have a moment to observe it", { stopWantedAt: now - 400, unlistedAt: now - 40 }, true, "", 60],
  [
    "then it is stopped, with what is left of the grace",
    { stopWantedAt: now - 400, unlistedAt: now - 100 },
    true,
    "stop-process 20000",
    undefined,
  ],
  ["it is stopped after a second whatever slices say", { stopWantedAt: now - 1000 }, false, "stop-process 20000", undefined],
  ["once is enough", { stopWantedAt: now - 1000, killAt: now + 20_000 }, false, "", undefined],
  ["one that has less time left keeps it", { stopWantedAt: now - 1000, killAt: now + 5000 }, false, "", undefined],
  [
    "shortens the grace of a process that is stopping",
    { stopWantedAt: now - 1000, killAt: now + 600_000 },
    false,
    "stop-process 20000",
    undefined,
  ],
  [
    "a process that stops for another reason has no more time than its pod",
    { killAt: now + 600_000, unlistedAt: now },
    false,
    "stop-process 20000",
    undefined,
  ],
  ["one that has ended is left alone", { ended: { at: now, exitCode: 0 } }, false, "", undefined],
]

/** The grace that a deletion gave, and how many milliseconds ago it was over. */
test.each([
  ["a grace of a second was none once the notice was over", 1, 0, 2000],
  ["nothing of the grace was left when its turn came", 30, 5000, 2000],
  ["who is forced has no time at all", 0, 1000, -1000],
])("%s", (_name, deletionGracePeriodSeconds, ago, left) => {
  const metadata = { ...pod.metadata, deletionTimestamp: new Date(now - ago).toISOString(), deletionGracePeriodSeconds }
  const facts = { ...running, stopWantedAt: now - 1000 }
  const { orders } = stopOrders({ ...pod, metadata }, { isUnlisted: false, run: (_container, run) => (run === 0 ? facts : undefined) }, now)
  expect(orders).toMatchObject([{ do: "stop-process", killAt: now + left }])
})

test.each(rows)("%s", (_name, facts, isUnlisted, ordered, wait) => {
  const processes: PodProcesses = { isUnlisted, run: (_container, run) => (run === 0 ? { ...running, ...facts } : undefined) }
  const { orders, due } = stopOrders(pod, processes, now)
  const words = orders.map((order) => (order.do === "stop-process" ? `${order.do} ${order.killAt - now}` : order.do))
  expect([words.join(), due === undefined ? undefined : due - now]).toEqual([ordered, wait])
})
