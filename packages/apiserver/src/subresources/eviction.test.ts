import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
const evict = (api: TestServer, name = "p") => api.post(`${pods}/${name}/eviction`, { metadata: { name } })

async function runningPod(api: TestServer): Promise<void> {
  await api.post(pods, { metadata: { name: "p", labels: { a: "b" } }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } })
  await api.patch(`${pods}/p/status`, "merge", { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } })
}

async function unreadyPod(api: TestServer): Promise<void> {
  await runningPod(api)
  await api.patch(`${pods}/p/status`, "strategic", { status: { conditions: [{ type: "Ready", status: "False" }] } })
}

const evictWith = (api: TestServer, preconditions: object) =>
  api.post(`${pods}/p/eviction`, { metadata: { name: "p" }, deleteOptions: { preconditions } })

async function budget(api: TestServer, name: string, status: object, spec: object = {}): Promise<void> {
  await api.post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } }, ...spec } })
  await api.patch(`${budgets}/${name}/status`, "merge", { status })
}

everyWay("eviction", (testServer) => {
  test("without a budget the pod is marked, with the reason", async () => {
    const api = testServer()
    await runningPod(api)
    expect(objectIn(await evict(api), 201)).toMatchObject({ kind: "Status", status: "Success" })
    expect(objectIn(await api.get(`${pods}/p`))).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: "Ready" }, { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }] },
    })
  })

  test("a budget with nothing left refuses with 429", async () => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "b", { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 })
    expect(statusIn(await evict(api))).toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" }] },
    })
  })

  test("a budget that has not been looked at since it changed asks to come again", async () => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "b", { disruptionsAllowed: 1 })
    const response = await evict(api)
    expect(statusIn(response)).toMatchObject({ code: 429, details: { retryAfterSeconds: 10 } })
    expect(response.headers["retry-after"]).toBe("10")
  })

  test("a budget is spent, and remembers for whom", async () => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "b", { observedGeneration: 1, disruptionsAllowed: 1, desiredHealthy: 1, currentHealthy: 2 })
    objectIn(await evict(api), 201)
    const now = "2026-01-05T09:00:00Z"
    expect(objectIn(await api.get(`${budgets}/b`)).status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: now },
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "False",
          reason: "InsufficientPods",
          message: "",
          observedGeneration: 1,
          lastTransitionTime: now,
        },
      ],
    })
  })

  test("a budget that has more left keeps its condition", async () => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "b", { observedGeneration: 1, disruptionsAllowed: 2, desiredHealthy: 1, currentHealthy: 3 })
    objectIn(await evict(api), 201)
    const { status } = objectIn(await api.get(`${budgets}/b`))
    expect(status).toMatchObject({ disruptionsAllowed: 1 })
    expect(status).not.toHaveProperty("conditions")
  })

  const allowed = { type: "DisruptionAllowed", status: "False", lastTransitionTime: "2026-01-05T09:00:00Z" }

  test.each([
    ["failed sync", 1, { reason: "SyncFailed", message: "no scale" }, "because it failed sync: no scale"],
    ["another reason", 2, { reason: "Paused", message: "by hand" }, "(Paused): by hand"],
    ["no message", 2, { reason: "Paused", message: "" }, undefined],
  ])("a budget with nothing left says why: %s", async (_title, currentHealthy, condition, why) => {
    const api = testServer()
    await runningPod(api)
    const conditions = [{ ...allowed, ...condition }]
    await budget(api, "b", { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy, conditions })
    const message = ["The disruption budget b does not allow evicting pods currently", ...(why === undefined ? [] : [why])].join(" ")
    expect(statusIn(await evict(api))).toMatchObject({ code: 429, details: { causes: [{ reason: "DisruptionBudget", message }] } })
  })

  const tight = { observedGeneration: 1, disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 }

  test("a pod that is not ready goes while enough others are, and spends nothing", async () => {
    const api = testServer()
    await unreadyPod(api)
    await budget(api, "b", tight)
    objectIn(await evict(api), 201)
    expect(objectIn(await api.get(`${pods}/p`)).metadata.deletionTimestamp).toBeDefined()
    expect(objectIn(await api.get(`${budgets}/b`)).status).not.toHaveProperty("disruptedPods")
  })

  test("a pod that is not ready stays where too few are, unless its budget always allows that", async () => {
    const api = testServer()
    await unreadyPod(api)
    await budget(api, "b", { ...tight, currentHealthy: 0 })
    expect((await evict(api)).status).toBe(429)
    await api.patch(`${budgets}/b`, "merge", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } })
    objectIn(await evict(api), 201)
  })

  test.each([
    ["uid", "other"],
    ["resourceVersion", "1"],
  ])("another %s than was meant is a conflict that spends and marks nothing", async (field, value) => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "b", { ...tight, disruptionsAllowed: 1 })
    const [pod, before] = [objectIn(await api.get(`${pods}/p`)), objectIn(await api.get(`${budgets}/b`))]
    expect(statusIn(await evictWith(api, { [field]: value }))).toMatchObject({ code: 409, reason: "Conflict" })
    expect(objectIn(await api.get(`${pods}/p`))).toEqual(pod)
    expect(objectIn(await api.get(`${budgets}/b`))).toEqual(before)
  })

  test("the very pod that was meant goes", async () => {
    const api = testServer()
    await runningPod(api)
    const { uid, resourceVersion } = objectIn(await api.get(`${pods}/p`)).metadata
    objectIn(await evictWith(api, { uid, resourceVersion }), 201)
    expect(objectIn(await api.get(`${pods}/p`)).metadata.deletionTimestamp).toBeDefined()
  })

  test("two budgets for one pod are a 500", async () => {
    const api = testServer()
    await runningPod(api)
    await budget(api, "a", {})
    await budget(api, "b", {})
    expect((await evict(api)).status).toBe(500)
  })

  test("a pod that does not run yet goes without asking", async () => {
    const api = testServer()
    await api.post(pods, { metadata: { name: "p", labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } })
    await budget(api, "b", { observedGeneration: 1, disruptionsAllowed: 0 })
    objectIn(await evict(api), 201)
    expect((await api.get(`${pods}/p`)).status).toBe(404)
  })
})
