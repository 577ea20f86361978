import type { KubeObject } from "@pilothouse/api"
import { deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { jobs } from "@pilothouse/api/batch/v1"
import { configMaps, namespaces, pods, resourceQuotas, serviceAccounts, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Client } from "@pilothouse/runtime"

/** Something a person asks for, and how to see that it has come about. Each goes on where the one before it ended. */
export interface Scenario {
  readonly name: string
  act(client: Client, namespace: string): Promise<unknown>
  isDone(client: Client, namespace: string): Promise<boolean>
}

function template(app: string, image = 1) {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: app, image: `example/${app}:${image}` }] } }
}

function sized(app: string, replicas: number) {
  return { replicas, selector: { matchLabels: { app } }, template: template(app) }
}

async function ready(client: Client, namespace: string, app: string, image = 1): Promise<number> {
  const { items } = await client.list(pods, { namespace, labelSelector: `app=${app}` })
  const all = items.every(({ spec }) => spec?.containers[0]?.image === `example/${app}:${image}`)
  const running = items.filter(({ status }) => status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True"))
  return all && running.length === items.length ? items.length : -1
}

const job = {
  metadata: { name: "job" },
  spec: { completions: 3, parallelism: 3, template: { spec: { ...template("job").spec, restartPolicy: "Never" } } },
}

export const scenarios: readonly Scenario[] = [
  {
    name: "a namespace is made",
    act: (client, name) => client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    isDone: async (client, namespace) =>
      (await client.list(serviceAccounts, { namespace })).items.length === 1 &&
      (await client.list(configMaps, { namespace })).items.length === 1,
  },
  {
    name: "a Deployment of 3 is made",
    act: (client, namespace) => client.create(deployments, made("apps/v1", "Deployment", "web", namespace, sized("web", 3))),
    isDone: async (client, namespace) => (await ready(client, namespace, "web")) === 3,
  },
  {
    name: "the Deployment gets a new image",
    act: (client, namespace) => client.patch(deployments, `${namespace}/web`, { spec: { template: template("web", 2) } }),
    isDone: async (client, namespace) => (await ready(client, namespace, "web", 2)) === 3,
  },
  {
    name: "the Deployment is scaled to 5",
    act: (client, namespace) => client.patch(deployments, `${namespace}/web`, { spec: { replicas: 5 } }),
    isDone: async (client, namespace) => (await ready(client, namespace, "web", 2)) === 5,
  },
  {
    name: "a Service selects its 5 pods",
    act: (client, namespace) =>
      client.create(services, made("v1", "Service", "web", namespace, { selector: { app: "web" }, ports: [{ port: 80 }] })),
    isDone: async (client, namespace) =>
      (await client.list(endpointSlices, { namespace })).items.flatMap(({ endpoints }) => endpoints ?? []).length === 5,
  },
  {
    name: "a PodDisruptionBudget covers them",
    act: (client, namespace) =>
      client.create(
        podDisruptionBudgets,
        made("policy/v1", "PodDisruptionBudget", "web", namespace, { minAvailable: 2, selector: { matchLabels: { app: "web" } } }),
      ),
    isDone: async (client, namespace) => (await client.get(podDisruptionBudgets, `${namespace}/web`)).status?.currentHealthy === 5,
  },
  {
    name: "a ResourceQuota limits the pods",
    act: (client, namespace) => client.create(resourceQuotas, made("v1", "ResourceQuota", "all", namespace, { hard: { pods: "20" } })),
    isDone: async (client, namespace) => (await client.get(resourceQuotas, `${namespace}/all`)).status?.used?.pods === "5",
  },
  {
    name: "a Job of 3 is made and ends",
    act: (client, namespace) => client.create(jobs, made("batch/v1", "Job", "job", namespace, job.spec)),
    isDone: async (client, namespace) =>
      (await client.get(jobs, `${namespace}/job`)).status?.conditions?.some(({ type }) => type === "Complete") ?? false,
  },
  {
    name: "the Deployment is deleted, in the background",
    act: (client, namespace) => client.delete(deployments, `${namespace}/web`, { propagationPolicy: "Background" }),
    isDone: async (client, namespace) =>
      (await client.list(pods, { namespace, labelSelector: "app=web" })).items.length +
        (await client.list(replicaSets, { namespace })).items.length ===
      0,
  },
  {
    name: "the namespace is deleted",
    act: (client, namespace) => client.delete(namespaces, namespace),
    isDone: async (client, namespace) => !(await client.list(namespaces)).items.some(({ metadata }) => metadata.name === namespace),
  },
]

function made(apiVersion: string, kind: string, name: string, namespace: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec } as KubeObject
}
