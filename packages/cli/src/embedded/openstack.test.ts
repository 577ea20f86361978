import { type Pod, pods, services } from "@pilothouse/api/core/v1"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { startEmbeddedCluster } from "./cluster.ts"

/** What is right takes a moment; two minutes are for what never comes. */
async function eventually<T>(ask: () => Promise<T>, wanted: (found: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const found = await ask()
    if (wanted(found) || tries === 6_000) return found
    await systemClock.sleep(20, { name: "a test checks again" })
  }
}

test("up --openstack: a pod has the address of its port, a Service its floating IP, and only one program makes load balancers", async () => {
  const seams = { clock: systemClock, random: seededRandom(7), files: virtualFiles(systemClock), log: silentLog }
  await using cluster = await startEmbeddedCluster({
    ...seams,
    dataDirectory: "/data",
    ephemeral: true,
    port: 0,
    nodes: 1,
    openstack: true,
    authorizationModes: ["Node", "RBAC"],
  })
  const { client } = cluster
  const metadata = { name: "web", namespace: "default", labels: { app: "web" } }
  await client.create(pods, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "web", image: "web" }] } } as Pod)
  const spec = { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] }
  await client.create(services, { apiVersion: "v1", kind: "Service", metadata: { name: "web", namespace: "default" }, spec } as never)
  const pod = await eventually(
    () => client.get(pods, "default/web"),
    ({ status }) => status?.phase === "Running",
  )
  expect(pod.status?.podIP).toMatch(/^10\.10\./)
  const service = await eventually(
    () => client.get(services, "default/web"),
    ({ status }) => status?.loadBalancer?.ingress !== undefined,
  )
  expect(service.status?.loadBalancer?.ingress?.[0]?.ip).toMatch(/^172\.24\.4\./)
  expect(cluster.openstack?.kuryrConf).toContain(`auth_url = ${cluster.openstack?.authUrl}`)
})
