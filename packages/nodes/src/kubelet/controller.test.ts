import { invalid } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type ClusterOptions, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

test("a pod status that the server refuses does not stop the heartbeat", async () => {
  const layer: ClusterOptions["layer"] = (inner) => (request) =>
    request.path.endsWith("/pods/refused/status") ? Promise.reject(invalid(pods, "refused", [])) : inner(request)
  await using running = await cluster({ controllers: [], layer })
  const refused: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "refused" }, spec: { containers: [{ name: "a", image: "a" }] } }
  await running.apply(refused)
  const ages: number[] = []
  for (let looks = 0; looks < 60; looks++) {
    await running.advance("30s")
    const lease = await running.client.get(leases, "kube-node-lease/node-1")
    ages.push(running.clock.now() - Date.parse(lease.spec?.renewTime ?? ""))
  }
  expect((await running.client.get(pods, "default/refused")).status?.phase).toBe("Pending")
  // The Lease says 40 s.
  expect(Math.max(...ages)).toBeLessThan(40_000)
})
