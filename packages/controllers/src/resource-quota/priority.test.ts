import { configMaps, pods, type ResourceQuota } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { resourceQuotaController } from "./controller.ts"
import { quota } from "./testing/quotas.ts"

function priorityOf(known: ResourceQuota | undefined): number | undefined {
  const read = { get: () => known, kinds: () => [{ of: pods, hasSynced: true }] } as unknown as Reader
  return resourceQuotaController().priority?.("default/quota", read)
}

/** Upstream has two queues; here it is one, and those of the first go before the others. */
describe("AddQuota: which quotas go first", () => {
  const hard = { pods: "5", "requests.cpu": "2" }
  const used = { pods: "0", "requests.cpu": "0" }
  test.each<[name: string, known: ResourceQuota | undefined, expected: number | undefined]>([
    ["no status", quota({ hard }), 100],
    ["status, no usage", quota({ hard }, { hard }), 100],
    ["status, mismatch", quota({ hard }, { hard: { ...hard, pods: "6" }, used }), 100],
    ["status, missing usage", quota({ hard }, { hard, used: { pods: "0" } }), 100],
    ["status, missing usage, but don't care: nothing counts it", withOther({ pods: "0" }), undefined],
    ["ready", quota({ hard }, { hard, used }), undefined],
    ["gone", undefined, undefined],
  ])("%s", (_name, known, expected) => {
    expect(priorityOf(known)).toBe(expected)
  })

  function withOther(counted: Record<string, string>): ResourceQuota {
    const limits = { pods: "5", "count/widgets.example.com": "1" }
    return quota({ hard: limits }, { hard: limits, used: counted })
  }
})

test("limits that are the same objects as before are not compared again when the usage changes", () => {
  let reads = 0
  const noted = () =>
    new Proxy<Record<string, string>>(
      { "count/configmaps": "5" },
      {
        ownKeys(target) {
          reads++
          return Reflect.ownKeys(target)
        },
      },
    )
  const [hard, reported] = [noted(), noted()]
  const read = (known: ResourceQuota) => ({ get: () => known, kinds: () => [{ of: configMaps, hasSynced: true }] }) as unknown as Reader
  const priority = (used: Record<string, string>) =>
    resourceQuotaController().priority?.("default/quota", read(quota({ hard }, { hard: reported, used })))
  expect(priority({ "count/configmaps": "1" })).toBeUndefined()
  const first = reads
  expect(first).toBeGreaterThan(0)
  for (let count = 2; count < 10; count++) expect(priority({ "count/configmaps": String(count) })).toBeUndefined()
  expect(priority({})).toBe(100)
  expect(reads).toBe(first)
})
