import { fileURLToPath } from "node:url"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { type Pod, pods, type Service, services } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { eventually, untilRolledOut } from "../real/up-cluster.ts"
import { ports } from "./pod-ports.ts"

const name = "who"
const labels = { app: name }
const program = [process.execPath, ...process.execArgv, fileURLToPath(new URL("pod-server.ts", import.meta.url))]
export const key = `default/${name}`
export const hostname = `${name}.default.svc.cluster.local`

const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          {
            name: "server",
            image: "process",
            command: program,
            readinessProbe: { httpGet: { port: ports.http }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
}

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { selector: labels, ports: Object.entries(ports).map(([portName, port]) => ({ name: portName, port })) },
}

/** Three processes behind a Service; ends when all are ready. */
export async function createPods(client: Client): Promise<void> {
  await client.create(services, service)
  await client.create(deployments, deployment)
  await untilRolledOut(client, key)
}

export async function scale(client: Client, replicas: number): Promise<void> {
  await client.patch(deployments, key, { spec: { replicas } }, { type: "merge" })
  await untilRolledOut(client, key)
}

/** Deletes one pod as `kubectl delete pod` does; ends when it is gone and another is there in its place. */
export async function killOne(client: Client): Promise<void> {
  const [victim] = await living(client)
  if (victim === undefined) throw new Error("expected a pod to kill, found none")
  await client.delete(pods, `default/${victim.name}`)
  const isGone = async () => (await all(client)).every(({ metadata }) => metadata.name !== victim.name)
  await eventually(`${victim.name} to be gone`, isGone)
  await untilRolledOut(client, key)
}

/** Pods that are not on their way out, by address. */
export async function living(client: Client): Promise<readonly { readonly name: string; readonly address: string }[]> {
  return (await all(client))
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, status }) => ({ name: metadata.name ?? "", address: status?.podIP ?? "" }))
}

async function all(client: Client): Promise<readonly Pod[]> {
  return (await client.list(pods, { namespace: "default", labelSelector: `app=${name}` })).items
}
