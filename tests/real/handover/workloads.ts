import { type DaemonSet, daemonSets, type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { type Pod, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** With characters that Go escapes in JSON: revisions are compared by their text upstream. */
const command = ["sh", "-c", "first && second > /dev/null"]

function template(app: string, image: number) {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: app, image: `example/${app}:${image}`, command }] } }
}

const agent: DaemonSet = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent" },
  spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent", 1) },
}

const db: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: template("db", 1),
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
    volumeClaimTemplates: [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
}

/** Into a namespace of their own. */
export async function create(client: Client, namespace: string): Promise<void> {
  await client.create(daemonSets, { ...agent, metadata: { ...agent.metadata, namespace } })
  await client.create(statefulSets, { ...db, metadata: { ...db.metadata, namespace } })
}

/** For the claims of the StatefulSets. */
export async function createVolumes(client: Client, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const spec = { accessModes: ["ReadWriteOnce" as const], capacity: { storage: "1Gi" }, hostPath: { path: "/tmp" } }
    await client.create(persistentVolumes, { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: `disk-${at}` }, spec })
  }
}

export async function rollOut(client: Client, namespace: string, image: number): Promise<void> {
  await client.patch(daemonSets, `${namespace}/agent`, { spec: { template: template("agent", image) } })
  await client.patch(statefulSets, `${namespace}/db`, { spec: { template: template("db", image) } })
}

/** Whether three pods of each are ready with that image, and both say so. */
export async function isComplete(client: Client, namespace: string, image: number): Promise<boolean> {
  const [first, second] = [await client.get(daemonSets, `${namespace}/agent`), await client.get(statefulSets, `${namespace}/db`)]
  const seen = [first, second].every(({ metadata, status }) => status?.observedGeneration === metadata.generation)
  const counts = [
    first.status?.updatedNumberScheduled,
    first.status?.numberAvailable,
    second.status?.updatedReplicas,
    second.status?.availableReplicas,
  ]
  const { items } = await client.list(pods, { namespace })
  return seen && counts.every((count) => count === 3) && items.length === 6 && items.every((pod) => imageOf(pod) === image)
}

function imageOf({ spec }: Pod): number {
  return Number(spec?.containers[0]?.image?.split(":")[1])
}

/** What must not change when another program takes over. */
export async function footprint(client: Client, namespace: string): Promise<string> {
  const { items } = await client.list(pods, { namespace })
  return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).join("\n")
}
