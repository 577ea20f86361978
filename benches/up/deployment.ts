import { setTimeout as delay } from "node:timers/promises"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import type { Client } from "@pilothouse/runtime"

export function deployment(name: string, replicas: number): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
    },
  }
}

/** As soon as the server takes it. */
export async function created(client: Client, object: Deployment): Promise<void> {
  for (;;) {
    try {
      await client.create(deployments, object)
      return
    } catch {
      // Nothing listens yet, or it is not ready.
      await delay(5)
    }
  }
}

export async function untilAvailable(client: Client, { metadata, spec }: Deployment): Promise<void> {
  for (;;) {
    const { status } = await client.get(deployments, `default/${metadata.name}`)
    if (status?.availableReplicas === spec?.replicas) return
    await delay(5)
  }
}
