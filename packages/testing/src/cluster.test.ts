import { type ReplicaSet, replicaSets } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { controller, plan } from "@pilothouse/runtime"
import { silentLog, type Transport } from "@pilothouse/seams"
import { describe, expect, test, vi } from "vitest"
import { cluster } from "./cluster.ts"
import type { Cluster } from "./cluster-options.ts"

const web: ReplicaSet = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web" },
  spec: {
    replicas: 7,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

test("restartControllers is a crash: none of the controllers' active work reaches the server afterwards", async () => {
  const writes: number[] = []
  const made = Promise.withResolvers<Cluster>()
  let starts = 0
  const layer = (inner: Transport): Transport => {
    const start = starts++
    return async (request) => {
      if (request.verb !== "POST" || !request.path.endsWith("/pods")) return inner(request)
      writes.push(start)
      await (await made.promise).clock.sleep(5_000, { name: "slow server" })
      return inner(request)
    }
  }
  await using open = await cluster({ controllers: ["replicaset"], layer })
  made.resolve(open)
  await open.apply(web)
  await open.advance("6s")
  // 1 pod, then 2 at a time: these are under way, and 4 more are planned.
  expect(writes).toEqual([0, 0, 0])
  await open.restartControllers()
  await open.advance("1m")
  expect(writes.filter((start) => start === 0)).toHaveLength(3)
  expect(await open.list(pods)).toHaveLength(7)
  expect((await open.client.get(replicaSets, "default/web")).status?.readyReplicas).toBe(7)
})

describe("a controller that throws", () => {
  const broken = controller("broken", {
    for: replicaSets,
    observe: (key, read) => read.get(replicaSets, key),
    decide: ({ spec }) => {
      if (spec?.replicas === 7) throw new TypeError("seven is too many")
      return plan().nothing()
    },
  })

  async function printed(log?: typeof silentLog): Promise<string> {
    const write = vi.spyOn(process.stderr, "write").mockImplementation(() => true)
    try {
      await using c = await cluster({ nodes: 0, controllers: [], extra: [broken], log, expectFailure: /seven is too many/ })
      await c.apply(web)
      await c.settled()
      expect(c.trace.entries().findLast((entry) => entry.controller === "broken")?.error).toBe("seven is too many")
      return write.mock.calls.map(([text]) => String(text)).join("")
    } finally {
      write.mockRestore()
    }
  }

  test("is printed unless a log is given, with its name, the key and where it threw", async () => {
    expect(await printed()).toMatch(
      /^error reconcile threw.* controller=broken key=default\/web error="seven is too many" stack=.*cluster\.test\.ts/,
    )
  })

  test("is not printed where a log is given", async () => {
    expect(await printed(silentLog)).toBe("")
  })
})

test("a start that is no time is refused", async () => {
  await expect(cluster({ start: "yesterday" })).rejects.toMatchObject({
    code: "INVALID",
    message: expect.stringContaining('found "yesterday"'),
  })
})

describe("until", () => {
  test("takes a condition that is no promise", async () => {
    await using running = await cluster({ controllers: [] })
    const started = running.clock.now()
    await running.until(() => running.clock.now() > started)
    expect(running.clock.now()).toBeGreaterThan(started)
  })

  test("asks at every instant at which something happens, not once a second", async () => {
    await using running = await cluster({ controllers: [] })
    const started = running.clock.now()
    let rung = false
    running.clock.timer(1_250, "bell", () => {
      rung = true
    })
    await running.until(async () => rung)
    expect(running.clock.now() - started).toBe(1_250)
  })

  test("gives up after an hour, and says so where no controller waits for anything", async () => {
    await using running = await cluster({ controllers: [] })
    const message =
      "the condition did not come true within an hour; who waits for what:\n  no controller waits for anything, and none has done anything"
    await expect(running.until(async () => false)).rejects.toMatchObject({ code: "CLOCK_LIMIT", message })
  })

  test("says who waits for what, and nothing of watches, Leases and heartbeats", async () => {
    await using running = await cluster({ seed: 1 })
    const { template } = web.spec!
    const unplaced = { ...template, spec: { ...template!.spec!, nodeSelector: { disk: "ssd" } } }
    await running.apply({ ...web, kind: "Deployment", spec: { ...web.spec, replicas: 1, template: unplaced } } as never)
    running.clock.timer(7_000_000, "the bell of the test", () => {})
    const error: unknown = await running.until(() => false).catch((one: unknown) => one)
    const lines = String((error as Error).message).split("\n")
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(
        /^ {2}default-scheduler default\/web-\S+ \(\S+ ago\): 0\/1 nodes are available: .*; waits for a node that fits/,
      ),
      "  deployment-controller default/web (49m59s ago): 0 of 1 pods available, 1 with the current template; waits for pods to become available",
      expect.stringMatching(/^ {2}replicaset-controller default\/web-\S+ \(1h ago\): write the status of /),
      "  the bell of the test in 3400000 ms",
    ])
    expect(lines.join("\n")).not.toMatch(/watch|bookmark|Lease|heartbeat/)
  })
})
