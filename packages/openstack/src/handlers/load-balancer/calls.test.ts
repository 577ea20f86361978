import { endpoints } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decodeState } from "../../versioned-objects/annotations.ts"
import { stateAnnotation } from "../annotations.ts"
import { readyPod, type TestCluster, testCluster, testPod, testService } from "../testing/cluster.ts"

async function served(run: TestCluster, name: string, members: number): Promise<void> {
  await run.cluster.until(async () => {
    const text = (await run.cluster.client.get(endpoints, `default/${name}`).catch(() => undefined))?.metadata.annotations?.[
      stateAnnotation
    ]
    return text !== undefined && decodeState(text).members.length === members
  })
}

async function withPods(count: number): Promise<TestCluster> {
  const run = await testCluster()
  for (let at = 0; at < count; at++) await run.cluster.apply(testPod(`web-${at}`))
  for (let at = 0; at < count; at++) await readyPod(run, `web-${at}`)
  await run.cluster.advance("30s")
  return run
}

/** Calls to Octavia from now until the Service is served. */
async function callsFor(run: TestCluster, name: string, members: number): Promise<readonly string[]> {
  const from = run.cloud.calls.length
  await run.cluster.apply(testService(name))
  await served(run, name, members)
  await run.cluster.advance("5s")
  return run.cloud.calls.slice(from).flatMap(({ service, verb, path }) => (service === "octavia" ? [`${verb} ${path}`] : []))
}

test.each([1000, 3000])(
  "a Service with 10 endpoints is ACTIVE with 10 members after at most 8 calls to Octavia that takes %s ms",
  async (takes) => {
    await using run = await withPods(10)
    run.cloud.knobs.loadBalancerDelay = takes
    const first = await callsFor(run, "first", 10)
    expect(first.length, first.join("\n")).toBeLessThanOrEqual(8)
    // By now it is known how long they take.
    const since = run.cluster.clock.elapsed()
    const second = await callsFor(run, "second", 10)
    expect(second.length, second.join("\n")).toBeLessThanOrEqual(8)
    expect(second.filter((call) => !call.startsWith("GET"))).toEqual(["POST /v2/lbaas/loadbalancers"])
    expect(run.cluster.clock.elapsed() - since - 5000).toBeLessThan(1.2 * takes)
  },
)
