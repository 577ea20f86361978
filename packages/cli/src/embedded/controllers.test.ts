import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { serviceAccounts, services } from "@pilothouse/api/core/v1"
import { volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import { seededRandom, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { runProgram } from "../program.ts"
import { type EmbeddedCluster, startEmbeddedCluster } from "./cluster.ts"

afterEach(() => vi.restoreAllMocks())

function start(...controllers: readonly string[]): Promise<EmbeddedCluster> {
  const seams = { clock: systemClock, random: seededRandom(7), files: virtualFiles(systemClock), log: silentLog }
  return startEmbeddedCluster({
    ...seams,
    dataDirectory: "/data",
    ephemeral: true,
    port: 0,
    nodes: 1,
    controllers,
    authorizationModes: ["Node", "RBAC"],
  })
}

const metadata = { name: "web", namespace: "default" }
const labels = { app: "web" }

async function applyWeb({ client }: EmbeddedCluster): Promise<void> {
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } }
  const spec = { selector: { matchLabels: labels }, template }
  await client.create(deployments, { apiVersion: "apps/v1", kind: "Deployment", metadata, spec })
  const ports = [{ port: 18_088 }]
  await client.create(services, { apiVersion: "v1", kind: "Service", metadata, spec: { type: "LoadBalancer", selector: labels, ports } })
}

/** Run whatever was chosen. */
const always = ["default-scheduler", "simulated-kubelet"]

async function looks({ client }: EmbeddedCluster) {
  const [sets, accounts, service] = await Promise.all([
    client.list(replicaSets),
    client.list(serviceAccounts),
    client.get(services, "default/web"),
  ])
  return { sets: sets.items.length, accounts: accounts.items.length, balancers: service.status?.loadBalancer?.ingress?.length ?? 0 }
}

test("up --controllers deployment: that controller alone, and nothing waits for what the others would have made", async () => {
  await using cluster = await start("deployment")
  await applyWeb(cluster)
  await expect.poll(() => looks(cluster)).toEqual({ sets: 1, accounts: 0, balancers: 0 })
  // What is not there yet may still come: that no other controller runs is known by its name.
  expect(cluster.controllerNames).toEqual(["deployment-controller", ...always])
  expect(cluster.controllers).toBe(1)
})

test("up --controllers service,deployment: a controller of the cloud is chosen as the others are", async () => {
  await using cluster = await start("service", "deployment")
  await applyWeb(cluster)
  await expect.poll(() => looks(cluster)).toEqual({ sets: 1, accounts: 0, balancers: 1 })
  expect(cluster.controllerNames).toEqual(["deployment-controller", "service-lb-controller", "loopback-endpoints-controller", ...always])
  expect(cluster.controllers).toBe(1)
})

test("up --controllers *,-deployment: all but that one", async () => {
  await using cluster = await start("*", "-deployment")
  await applyWeb(cluster)
  // Each of them in its own time.
  const found = async () => {
    const { accounts, ...others } = await looks(cluster)
    return { ...others, hasAccounts: accounts > 0 }
  }
  await expect.poll(found).toEqual({ sets: 0, balancers: 1, hasAccounts: true })
  expect(cluster.controllerNames).not.toContain("deployment-controller")
  expect(cluster.controllerNames).toEqual(expect.arrayContaining(["replicaset-controller", "service-lb-controller", ...always]))
})

test("up: every kind that the server protects has a controller that releases it", async () => {
  await using cluster = await start("*")
  const { client } = cluster
  const made = await client.create(volumeAttributesClasses, {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: "gold" },
    driverName: "csi.example.com",
    parameters: { iops: "100" },
  })
  expect(made.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"])
  await client.delete(volumeAttributesClasses, "gold")
  await expect.poll(async () => (await client.list(volumeAttributesClasses)).items.length).toBe(0)
})

test("a name that no controller has exits with 2, before anything starts", async () => {
  const written: string[] = []
  vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0)
  expect(await runProgram(["up", "--controllers", "*,-deploymnt"])).toBe(2)
  expect(written.join("")).toContain('--controllers: expected the name of a controller, found "deploymnt"; did you mean "deployment"?')
})
