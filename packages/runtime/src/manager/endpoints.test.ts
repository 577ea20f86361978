import type { ConfigMap, Secret } from "@pilothouse/api/core/v1"
import { configMaps, secrets } from "@pilothouse/api/core/v1"
import { memoryMetrics, type Query, type Verb } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { controller } from "../controller/controller.ts"
import { plan } from "../controller/plan/plan-builder.ts"
import { type TestManager, type TestManagerOptions, testManager } from "./testing/manager.ts"

const secret: Secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "default", annotations: { applied: "hunter2" } },
  stringData: { password: "hunter2" },
}

const copier = controller<ConfigMap>("copier", {
  for: configMaps,
  observe: (key, read) => (key.startsWith("default/a") ? read.get(configMaps, key) : undefined),
  decide: (found) => plan().create(secret, "there is none").event(found, "Normal", "Copied", "it was copied"),
})

async function running(options: TestManagerOptions = {}): Promise<TestManager> {
  const made = await testManager([copier], { metrics: memoryMetrics(), ...options })
  for (const name of ["a", "ab"])
    await made.server.apply<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } })
  await made.server.settled()
  return made
}

async function ask({ manager }: TestManager, path: string, query: Query = {}, verb: Verb = "GET") {
  const { status, headers, body } = await manager.endpoints({ verb, path, query, headers: {} })
  return { status, type: headers["content-type"], text: body.type === "bytes" ? new TextDecoder().decode(body.bytes) : "" }
}

describe("health", () => {
  const rows: Record<string, { path: string; query?: Query; status: number; text: string }> = {
    "is one word when all is well": { path: "/healthz", status: 200, text: "ok" },
    "of the process, in words": { path: "/livez", query: { verbose: "" }, status: 200, text: "[+]ping ok\nlivez check passed\n" },
    "of the work, in words": {
      path: "/readyz",
      query: { verbose: "" },
      status: 200,
      text: "[+]caches ok\n[+]copier ok\nreadyz check passed\n",
    },
    "of one part": { path: "/readyz/copier", query: { verbose: "" }, status: 200, text: "[+]copier ok\nreadyz check passed\n" },
    "without a part": {
      path: "/readyz",
      query: { verbose: "", exclude: "copier" },
      status: 200,
      text: "[+]caches ok\nreadyz check passed\n",
    },
    "without several parts": {
      path: "/readyz",
      query: { verbose: "", exclude: ["copier", "caches"] },
      status: 200,
      text: "readyz check passed\n",
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { path, query, status, text }) => {
    await using made = await running()
    expect(await ask(made, path, query)).toEqual({ status, text, type: "text/plain; charset=utf-8" })
  })

  test("says which part is not well without being asked", async () => {
    await using made = await running()
    await made.stop()
    expect(await ask(made, "/readyz")).toMatchObject({
      status: 503,
      text: "[+]caches ok\n[-]copier failed: not started yet, or stopped\nreadyz check failed\n",
    })
    expect(await ask(made, "/healthz")).toMatchObject({ status: 200 })
  })

  test("a part that only says whether there is work to be done does not end the process", async () => {
    const checks = () => [
      { name: "cloud", ok: false, reason: "it is away", readyOnly: true },
      { name: "disk", ok: true },
    ]
    await using made = await running({ checks })
    expect(await ask(made, "/readyz")).toMatchObject({ status: 503, text: expect.stringContaining("[-]cloud failed: it is away") })
    expect(await ask(made, "/livez", { verbose: "" })).toMatchObject({ status: 200, text: "[+]ping ok\n[+]disk ok\nlivez check passed\n" })
  })

  test("shows the leader", async () => {
    await using made = await running({ leaderElection: { lease: "kube-system/pilothouse", identity: "one" } })
    expect((await ask(made, "/livez/leader-election", { verbose: "" })).text).toBe("[+]leader-election ok: leading\nlivez check passed\n")
  })
})

test.each(["/healthz/%", "/readyz/copier/%zz", "/%", "/debug/%e0%a4"])("%s threw instead of not being found", async (path) => {
  await using made = await running()
  expect(await ask(made, path)).toMatchObject({ status: 404, text: expect.stringContaining(`${path} is not here`) })
})

test("metrics are Prometheus' text", async () => {
  await using made = await running()
  const { type, text } = await ask(made, "/metrics")
  expect(type).toBe("text/plain; version=0.0.4; charset=utf-8")
  expect(text).toContain('workqueue_adds_total{name="copier"}')
})

test("the configuration is what is in effect", async () => {
  await using made = await running()
  const { type, text } = await ask(made, "/configz")
  expect(type).toBe("application/json")
  expect(JSON.parse(text)).toEqual({
    "pilothouse.dev": {
      controllers: [{ name: "copier", maxConcurrentReconciles: 5, reconcileTimeout: 300_000 }],
      grace: "10s",
      startInterval: 0,
      dryRun: false,
    },
  })
})

test("the configuration has the timings of the lease, including defaults", async () => {
  await using made = await running({ leaderElection: { lease: "kube-system/pilothouse", identity: "one", leaseDuration: "20s" } })
  const { leaderElection } = JSON.parse((await ask(made, "/configz")).text)["pilothouse.dev"]
  expect(leaderElection).toEqual({
    lease: "kube-system/pilothouse",
    identity: "one",
    leaseDuration: 20_000,
    renewDeadline: 10_000,
    retryPeriod: 2000,
  })
})

function secretNamed(name: string): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default" } }
}

describe("the trace", () => {
  test("lists each reconcile, newest first", async () => {
    await using made = await running()
    const { entries } = JSON.parse((await ask(made, "/debug/trace")).text)
    const about = entries.filter(({ key }: { key: string }) => key.startsWith("default/a"))
    expect(about.length).toBeGreaterThanOrEqual(2)
    expect(about.at(-1)).toMatchObject({
      controller: "copier",
      key: "default/a",
      at: "2026-01-05T09:00:00.000000Z",
      causes: ["ConfigMap added"],
      observed: [expect.stringContaining("ConfigMap default/a@")],
      lines: [
        { kind: "operation", do: "create", outcome: "done", text: "create Secret default/s, because there is none: done" },
        { kind: "event", text: "say Normal Copied of ConfigMap default/a: it was copied" },
      ],
      plan: { steps: [{ operations: [{ do: "create", reason: "there is none" }] }], events: [{ reason: "Copied" }] },
      results: [{ do: "create", ok: true, name: "s" }],
    })
  })

  test("shows the next reconcile, and the number of failures in a row", async () => {
    const waiting = controller<Secret>("waiting", {
      for: secrets,
      observe: (key, read) => read.get(secrets, key),
      decide: ({ metadata }) => {
        const again = plan().requeueAfter("1m", "test")
        return metadata.name === "bad" ? again.update(secretNamed("none"), "test") : again
      },
    })
    await using made = await testManager([waiting])
    for (const name of ["good", "bad"]) await made.server.apply(secretNamed(name))
    await made.server.settled()
    const entryOf = async (name: string) => JSON.parse((await ask(made, "/debug/trace", { key: `default/${name}` })).text).entries[0]
    expect(await entryOf("good")).toMatchObject({ nextAt: "2026-01-05T09:01:00.000000Z" })
    expect(await entryOf("good")).not.toHaveProperty("failures")
    const error = 'secrets "none" not found'
    expect(await entryOf("bad")).toMatchObject({
      nextAt: "2026-01-05T09:00:00.005000Z",
      failures: 1,
      error,
      lines: [
        {
          kind: "operation",
          do: "update",
          outcome: "failed",
          tellsFailure: true,
          text: `update Secret default/none, because test: failed, ${error}`,
        },
      ],
    })
  })

  test("can be asked about one key, and about one controller", async () => {
    await using made = await running()
    const keys = async (query: Query) =>
      new Set(JSON.parse((await ask(made, "/debug/trace", query)).text).entries.map(({ key }: { key: string }) => key))
    expect(await keys({ key: "default/ab" })).toEqual(new Set(["default/ab"]))
    expect(await keys({ controller: "unknown" })).toEqual(new Set())
    expect((await keys({ controller: "copier" })).size).toBeGreaterThan(1)
  })

  test("does not show the contents of Secrets", async () => {
    await using made = await running()
    expect((await ask(made, "/debug/trace")).text).not.toContain("hunter2")
  })

  test("showed what a Secret holds that an event is about: only says which it is", async () => {
    const data = { password: Buffer.from("hunter2").toString("base64") }
    const teller = controller<Secret>("teller", {
      for: secrets,
      observe: (key, read) => read.get(secrets, key),
      decide: (found) => plan().event(found, "Normal", "Seen", "it was seen", { action: "Look", related: found }),
    })
    await using made = await testManager([teller])
    await made.server.apply<Secret>({ apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "default" }, data })
    await made.server.settled()
    const { text } = await ask(made, "/debug/trace", { key: "default/s" })
    const about = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "s", uid: expect.any(String) }
    expect(JSON.parse(text).entries[0].plan.events[0]).toMatchObject({ about, related: about, reason: "Seen" })
    expect(text).not.toContain(data.password)
  })

  test("of a dry run says of nothing that it was done", async () => {
    await using made = await running({ dryRun: true })
    const { entries } = JSON.parse((await ask(made, "/debug/trace", { key: "default/a" })).text)
    expect(entries.at(-1)).toMatchObject({
      dryRun: "nothing was sent",
      lines: [
        { kind: "operation", do: "create", text: "create Secret default/s, because there is none" },
        { kind: "event", text: "say Normal Copied of ConfigMap default/a: it was copied" },
      ],
    })
    expect(entries.at(-1).lines[0]).not.toHaveProperty("outcome")
    expect(entries.at(-1).results).toBeUndefined()
  })
})

test("what is not there says what is", async () => {
  await using made = await running({ metrics: undefined })
  for (const path of ["/", "/metrics", "/flagz", "/debug/pprof", "/readyz/unknown", "/nothing"]) {
    const { status, text } = await ask(made, path)
    expect({ path, status }).toEqual({ path, status: 404 })
    expect(text).toContain("there are /healthz, /livez, /readyz, /configz and /debug/trace")
  }
  await using whole = await running({ flags: () => ({}) })
  expect((await ask(whole, "/")).text).toContain("there are /healthz, /livez, /readyz, /metrics, /configz, /flagz and /debug/trace")
})

test("only questions are answered", async () => {
  await using made = await running()
  expect(await ask(made, "/healthz", {}, "POST")).toMatchObject({ status: 405, text: "POST is not allowed here; use GET\n" })
})

test("flagz shows the flags it was given, for people", async () => {
  const flags = () => ({ "kube-api-qps": 20, controllers: ["*", "-job"], "leader-elect": true })
  await using made = await running({ flags })
  expect(await ask(made, "/flagz")).toEqual({
    status: 200,
    type: "text/plain; charset=utf-8",
    text: `
pilothouse flagz
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.

controllers=*,-job
kube-api-qps=20
leader-elect=true
`,
  })
})

test("the requests of a manager are counted, and timed by its own clock", async () => {
  await using made = await running({ host: "10.0.0.1:6443" })
  const { text } = await ask(made, "/metrics")
  expect(text).toMatch(/^rest_client_requests_total\{code="200",host="10.0.0.1:6443",method="GET"\} \d+$/m)
  expect(text).toMatch(/^rest_client_request_duration_seconds_sum\{.*verb="GET"\} 0$/m)
})
