import { isForbidden } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { jobs } from "@pilothouse/api/batch/v1"
import { namespaces, persistentVolumeClaims, pods, secrets, services } from "@pilothouse/api/core/v1"
import { roleBindings } from "@pilothouse/api/rbac/v1"
import { recordingLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"

const metadata = (name: string) => ({ name, namespace: "shop" })
const template = (app: string, command?: readonly string[]) => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "a", ...(command && { command }) }] },
})
const selector = (app: string) => ({ matchLabels: { app } })
const workloads = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  { apiVersion: "v1", kind: "ResourceQuota", metadata: metadata("q"), spec: { hard: { pods: "50" } } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadata("web"),
    spec: { replicas: 2, selector: selector("web"), template: template("web") },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata("web"),
    spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80 }] },
  },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: metadata("web"), spec: { minAvailable: 1, selector: selector("web") } },
  {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: metadata("web"),
    spec: { minReplicas: 3, maxReplicas: 4, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: metadata("db"),
    spec: { replicas: 2, serviceName: "db", selector: selector("db"), template: template("db") },
  },
  {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: metadata("agent"),
    spec: { selector: selector("agent"), template: template("agent") },
  },
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: metadata("each"),
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        spec: {
          ttlSecondsAfterFinished: 60,
          template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a", command: ["sleep", "1"] }] } },
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: metadata("rc"),
    spec: { replicas: 1, selector: { app: "rc" }, template: template("rc") },
  },
] as const

test("with RBAC every controller has the rights that it needs from upstream's role", async () => {
  const { log, lines } = recordingLog()
  await using running = await cluster({ nodes: 3, rbac: true, log })
  await running.apply(workloads)
  await running.advance("5m")
  expect((await running.client.get(deployments, "shop/web")).status?.readyReplicas).toBe(3)
  expect((await running.client.get(services, "shop/web")).status?.loadBalancer?.ingress).toHaveLength(1)
  expect((await running.list(jobs, { namespace: "shop" })).length).toBeGreaterThan(0)
  await running.client.delete(pods, "shop/db-0")
  await running.client.delete(deployments, "shop/web", { propagationPolicy: "Foreground" })
  await running.advance("2m")
  await running.client.delete(namespaces, "shop")
  await running.advance("5m")
  expect((await running.list(namespaces)).map((one) => one.metadata.name)).not.toContain("shop")
  expect(lines.filter((line) => JSON.stringify(line).includes("is forbidden: User"))).toEqual([])
})

test("a user of a test has the rights that bindings give", async () => {
  await using running = await cluster({ rbac: true })
  const alice = running.as({ name: "alice", groups: ["dev"] })
  const refused = async (attempt: Promise<unknown>) => isForbidden(await attempt.catch((error: unknown) => error))
  expect(await refused(alice.list(persistentVolumeClaims, { namespace: "default" }))).toBe(true)
  await running.client.create(roleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "dev", namespace: "default" },
    roleRef: { kind: "ClusterRole", name: "edit" },
    subjects: [{ kind: "Group", name: "dev" }],
  })
  await running.settled()
  expect((await alice.list(persistentVolumeClaims, { namespace: "default" })).items).toEqual([])
  expect((await alice.list(secrets, { namespace: "default" })).items).toEqual([])
  expect(await refused(alice.list(secrets))).toBe(true)
})
