import { pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { EmbeddedCall } from "../embedded/embedded-open-stack.ts"
import { podPorts, podVif, type TestCluster, testCluster, testPod } from "./testing/cluster.ts"

const isListOfAll = ({ verb, path, query }: EmbeddedCall) =>
  verb === "GET" && path === "/v2.0/ports" && query.project_id !== undefined && query.device_owner !== undefined

test("pools that are filled for a quarter of an hour: all ports are not listed again and again meanwhile", async () => {
  const sections = {
    kubernetes: { vif_pool_driver: "neutron" },
    vif_pool: { ports_pool_min: 20, ports_pool_batch: 20, ports_pool_update_frequency: 20 },
  }
  await using run = await testCluster({ sections })
  run.cloud.fault = ({ verb, path }) => (verb === "POST" && path === "/v2.0/ports" ? { takes: 60_000 } : undefined)
  for (let at = 0; at < 14; at++) {
    await run.cluster.apply({ apiVersion: "v1", kind: "Node", metadata: { name: `host${at}` } })
    await run.cluster.apply(testPod(`web-${at}`, { nodeName: `host${at}` }))
  }
  const lists: number[] = []
  for (let quarter = 0; quarter < 3; quarter++) {
    const before = run.cloud.calls.length
    await run.cluster.advance("5m")
    lists.push(run.cloud.calls.slice(before).filter(isListOfAll).length)
  }
  // Those that follow the start, and what the sweep does every ten minutes.
  expect([lists[0]! <= 5, lists[1]! <= 2, lists[2]! <= 2], lists.join()).toEqual([true, true, true])
  expect(podPorts(run).length).toBeGreaterThan(200)
})

const small = { kubernetes: { vif_pool_driver: "neutron" }, vif_pool: { ports_pool_min: 3, ports_pool_batch: 4 } }
const isSpareCreate = ({ verb, path, body }: EmbeddedCall) =>
  verb === "POST" && path === "/v2.0/ports" && JSON.stringify(body).includes('"available-port"')

async function portIds(run: TestCluster, names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(names.map(async (name) => (await podVif(run, name))?.id ?? "none"))
}

test("spare ports that are there long before Neutron says so are not taken for lost ones: each is given to one pod", async () => {
  await using run = await testCluster({ sections: small })
  run.cloud.fault = (call) => (isSpareCreate(call) ? { answersAfter: 70_000 } : undefined)
  await run.cluster.apply(testPod("web"))
  // Meanwhile all ports are listed, twice.
  await run.cluster.advance("65s")
  const names = Array.from({ length: 8 }, (_, at) => `web-${at}`)
  for (const name of names.slice(0, 4)) await run.cluster.apply(testPod(name))
  await run.cluster.advance("10s")
  for (const name of names.slice(4)) await run.cluster.apply(testPod(name))
  await run.cluster.advance("2m")
  const ids = await portIds(run, ["web", ...names])
  expect([new Set(ids).size, ids.includes("none")]).toEqual([9, false])
})

test("spare ports of one host whose answer was lost are found while the pool of another is filled", async () => {
  await using run = await testCluster({ sections: small })
  let lost = 0
  run.cloud.fault = (call) => {
    if (call.verb !== "POST" || call.path !== "/v2.0/ports") return undefined
    if (JSON.stringify(call.body).includes('"node2"')) return isSpareCreate(call) ? { takes: 290_000 } : undefined
    // Of node1: one port for its first pod, the spare ones, and nothing else.
    if (!isSpareCreate(call)) return JSON.stringify(call.body).includes('"first"') ? undefined : { status: 503 }
    return lost++ === 0 ? { loseAnswer: true } : { status: 503 }
  }
  await run.cluster.apply(testPod("other", { nodeName: "node2" }))
  await run.cluster.apply(testPod("first"))
  await run.cluster.advance("2m")
  const names = ["web-0", "web-1", "web-2", "web-3"]
  for (const name of names) await run.cluster.apply(testPod(name))
  await run.cluster.advance("20s")
  expect(await portIds(run, names)).not.toContain("none")
})

test("a port that was found, released and assigned again before its create was answered: one pod has it, and no other", async () => {
  await using run = await testCluster({ sections: small })
  run.cloud.fault = (call) => {
    if (call.verb !== "POST" || call.path !== "/v2.0/ports") return undefined
    // There is only this one.
    return JSON.stringify(call.body).includes('"short"') ? { answersAfter: 95_000 } : { status: 503 }
  }
  await run.cluster.apply(testPod("short"))
  await run.cluster.advance("65s")
  const [only] = podPorts(run)
  expect(await portIds(run, ["short"])).toEqual([only?.id])
  await run.cluster.client.delete(pods, "default/short", { gracePeriodSeconds: 0 })
  await run.cluster.advance("21s")
  await run.cluster.apply(testPod("web-0"))
  await run.cluster.advance("3s")
  expect(await portIds(run, ["web-0"])).toEqual([only?.id])
  // The answer comes, and what came back is dealt with.
  await run.cluster.advance("1m")
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.advance("30s")
  expect([await portIds(run, ["web-0", "web-1"]), podPorts(run).map(({ name }) => name)]).toEqual([[only?.id, "none"], ["web-0"]])
})

test("spare ports whose answer was lost long after the start are looked for then, and found", async () => {
  await using run = await testCluster({ sections: small })
  await run.cluster.apply(testPod("early"))
  await run.cluster.advance("7m")
  let lost = 0
  run.cloud.fault = (call) => {
    if (call.verb !== "POST" || call.path !== "/v2.0/ports") return undefined
    // What is refused is not in doubt, and needs no list.
    return isSpareCreate(call) && lost++ === 0 ? { loseAnswer: true } : { status: 409 }
  }
  const names = Array.from({ length: 8 }, (_, at) => `web-${at}`)
  for (const name of names.slice(0, 2)) await run.cluster.apply(testPod(name))
  await run.cluster.advance("1m")
  expect([lost > 0, podPorts(run).length]).toEqual([true, 9])
  for (const name of names.slice(2)) await run.cluster.apply(testPod(name))
  await run.cluster.advance("1m")
  expect(await portIds(run, names)).not.toContain("none")
})
