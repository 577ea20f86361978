import type { ApiClient } from "../api-client.ts"
import type { Group, Tally } from "../tally.ts"
import { itemsIn, statusIn, until } from "./until.ts"

const replicas = 500
const namespace = "default"
const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
const pods = `/api/v1/namespaces/${namespace}/pods`

/** 500 pods come, their number changes, they are all replaced, and they go. */
export async function judgeDeployment(tally: Tally, client: ApiClient): Promise<void> {
  await tally.group(`a Deployment of ${replicas} replicas`, async (group) => {
    await client.object({ verb: "POST", path: `/api/v1/namespaces/${namespace}/services`, body: service })
    await client.object({ verb: "POST", path, body: deployment })
    await ready(group, client, `${replicas} replicas are Ready`, replicas)
    await until(group, client, {
      name: `${replicas} endpoints are ready`,
      path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
      query: { labelSelector: "kubernetes.io/service-name=web" },
      when: (answer) => readyEndpoints(itemsIn(answer)) === replicas,
    })
    await scale(client, replicas - 200)
    await ready(group, client, `scaled to ${replicas - 200}`, replicas - 200)
    await scale(client, replicas)
    await ready(group, client, `scaled back to ${replicas}`, replicas)
    await rollOut(group, client)
    await remove(group, client)
  })
}

const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

function readyEndpoints(slices: ReturnType<typeof itemsIn>): number {
  return slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready).length
}

function scale(client: ApiClient, to: number): Promise<unknown> {
  const body = { spec: { replicas: to } }
  return client.object({ verb: "PATCH", path: `${path}/web/scale`, contentType: "application/merge-patch+json", body })
}

/** As `kubectl rollout status` asks: all there, all of the newest template, all available, nothing left over. */
function ready(group: Group, client: ApiClient, name: string, count: number): Promise<boolean> {
  return until(group, client, {
    name,
    path: `${path}/web`,
    when(answer) {
      const { metadata } = answer.value as { readonly metadata: { readonly generation: number } }
      const status = statusIn(answer)
      const counts = [status.replicas, status.readyReplicas, status.updatedReplicas, status.availableReplicas]
      return status.observedGeneration === metadata.generation && counts.every((found) => found === count)
    },
  })
}

async function rollOut(group: Group, client: ApiClient): Promise<void> {
  const body = { spec: { template: { spec: { containers: [{ name: "web", image: "example/web:2" }] } } } }
  await client.object({ verb: "PATCH", path: `${path}/web`, contentType: "application/strategic-merge-patch+json", body })
  await ready(group, client, "rolled out to another image", replicas)
  await until(group, client, {
    name: "every pod runs the new image",
    path: pods,
    query: { labelSelector: "app=web" },
    when: (answer) =>
      itemsIn(answer).length === replicas && itemsIn(answer).every(({ spec }) => spec.containers?.[0]?.image === "example/web:2"),
  })
}

async function remove(group: Group, client: ApiClient): Promise<void> {
  await client.object({ verb: "DELETE", path: `${path}/web`, body: { propagationPolicy: "Foreground" } })
  const gone = [
    ["deleted with its pods", pods],
    ["deleted with its ReplicaSets", `/apis/apps/v1/namespaces/${namespace}/replicasets`],
    ["deleted itself at last", path],
  ] as const
  for (const [name, from] of gone) await until(group, client, { name, path: from, when: (answer) => itemsIn(answer).length === 0 })
}
