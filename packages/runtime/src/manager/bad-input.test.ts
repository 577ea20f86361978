import { configMaps } from "@pilothouse/api/core/v1"
import { seededRandom, type Transport, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { createManager, type ManagerOptions } from "./manager.ts"

const idle = (name: string) => controller(name, { for: configMaps, observe: () => undefined, decide: () => plan() })
const lease = "kube-system/mine"

const rows: Record<string, { options: Partial<ManagerOptions>; says: string }> = {
  "two controllers of one name": {
    options: { controllers: [idle("a"), idle("b"), idle("a")] },
    says: 'expected controllers of different names, found two called "a"; rename one',
  },
  "a grace period that is no duration": { options: { grace: "10 s" as "10s" }, says: 'found "10 s"' },
  "a start interval that is none": { options: { startInterval: "soon" as "1s" }, says: 'found "soon"' },
  "a lease without a namespace": {
    options: { leaderElection: { lease: "mine", identity: "one" } },
    says: 'expected namespace/name as the lease, such as kube-system/mine, found "mine"',
  },
  "a candidate without a name": {
    options: { leaderElection: { lease, identity: "" } },
    says: "expected an identity that no other candidate has, found an empty one; use for example the name of the pod",
  },
  "lease timings that are no durations": {
    options: { leaderElection: { lease, identity: "one", retryPeriod: "2 s" as "2s" } },
    says: 'found "2 s"',
  },
  "lease timings with which two may lead": {
    options: { leaderElection: { lease, identity: "one", leaseDuration: "5s" } },
    says: "expected lease duration > renew deadline > 1.2 × retry period, found 5000, 10000 and 2000 ms",
  },
}
test.each(Object.entries(rows))("%s: refused when the manager is made, and not when it is stopped", (_, { options, says }) => {
  const transport: Transport = () => Promise.reject(new Error("no request is expected"))
  const make = () => createManager({ controllers: [], transport, clock: new VirtualClock(), random: seededRandom(1), ...options })
  expect(make).toThrow(expect.objectContaining({ code: "INVALID", message: expect.stringContaining(says) }))
})
