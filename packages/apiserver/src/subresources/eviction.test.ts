import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../test-server.ts"

const pods = "/api/v1/namespaces/default/pods"
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
const evict = (api: TestServer, name = "p") => api.post(`${pods}/${name}/eviction`, { metadata: { name } })

async function runningPod(api: TestServer): Promise<void> {
  await api.post(pods, { metadata: { name: "p", labels: { a: "b" } }, spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] } })
  await api.patch(`${pods}/p/status`, "merge", { status: { phase: "Running" } })
}

async function budget(api: TestServer, name: string, status: object): Promise<void> {
  await api.post(budgets, { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } })
  await api.patch(`${budgets}/${name}/status`, "merge", { status })
}

everyWay("eviction", (testServer) => {
  test("without a budget the pod is marked, with the reason", async () => {
    const api = testServer()
    await runningPod(api)
    expect(objectIn(await evict(api), 201)).toMatchObject({ kind: "Status", status: "Success" })
    expect(objectIn(await api.get(`${pods}/p`))).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }] },
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
    expect(objectIn(await api.get(`${budgets}/b`)).status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: "2026-01-05T09:00:00Z" },
    })
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
