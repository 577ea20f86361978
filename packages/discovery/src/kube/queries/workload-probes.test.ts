import type { Container } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { kubePod } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const http = (port: number | string, path = "/", scheme?: "HTTPS") => ({ httpGet: { port, path, ...(scheme && { scheme }) } })
const tcp = (port: number | string) => ({ tcpSocket: { port } })

async function asked(containers: readonly Container[], annotations: Record<string, string> = {}) {
  await using f = await registryFixture({ objects: [kubePod("shop/web-1", { ip: "10.0.0.1", annotations, spec: { containers } })] })
  const ports = f.registry.managementPorts("10.0.0.1").map(({ name, port, protocol }) => `${name} ${port} ${protocol}`)
  const checks = f.registry.healthChecks("10.0.0.1").map(({ path, port }) => `${path} ${port?.port}`)
  return { ports, checks }
}

test("no probes: nothing", async () => expect(await asked([{ name: "a" }])).toEqual({ ports: [], checks: [] }))

test("liveness and readiness, over HTTP, HTTPS and TCP, sorted, each port once", async () => {
  const containers = [
    { name: "a", livenessProbe: http(8082, "/live"), readinessProbe: http(8081, "/ready", "HTTPS") },
    { name: "b", livenessProbe: tcp(8080), readinessProbe: http(8082, "/again") },
  ]
  expect(await asked(containers)).toEqual({
    ports: ["mgmt-8080 8080 TCP", "mgmt-8081 8081 HTTPS", "mgmt-8082 8082 HTTP"],
    checks: ["/ready 8081", "/live 8082", "/again 8082"],
  })
})

test("a named port is that of its own container; an unknown one is left out", async () => {
  const containers = [
    { name: "a", ports: [{ name: "health", containerPort: 1111 }], livenessProbe: http("health", "/a") },
    { name: "b", livenessProbe: http("health", "/b") },
  ]
  expect(await asked(containers)).toEqual({ ports: ["mgmt-1111 1111 HTTP"], checks: ["/a 1111", "/b undefined"] })
})

test("what Prometheus scrapes is a check too: with its port and path", async () => {
  const annotations = { "prometheus.io/scrape": "true", "prometheus.io/port": "9100", "prometheus.io/path": "/m" }
  expect((await asked([{ name: "a" }], annotations)).checks).toEqual(["/m 9100"])
})

test("without them it is /metrics, and the port is not known", async () => {
  expect((await asked([{ name: "a" }], { "prometheus.io/scrape": "true" })).checks).toEqual(["/metrics undefined"])
})

test("not scraped: not a check", async () => {
  expect((await asked([{ name: "a" }], { "prometheus.io/scrape": "false", "prometheus.io/port": "9100" })).checks).toEqual([])
})
