import { controllerOf } from "@pilothouse/api"
import { type StatefulSet, type StatefulSetSpec, statefulSets } from "@pilothouse/api/apps/v1"
import { events, type PersistentVolume, type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, plan } from "@pilothouse/runtime"
import type { Cluster } from "@pilothouse/testing"
import { withClaims } from "./objects.ts"

export function db(replicas: number, image = 1, spec: Partial<StatefulSetSpec> = {}): StatefulSet {
  const containers = [{ name: "db", image: `example/db:${image}` }]
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      replicas,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: { metadata: { labels: { app: "db" } }, spec: { containers } },
      ...withClaims,
      ...spec,
    },
  }
}

/** Binds every claim at once to a volume of its own: the scheduler lets no pod go before. */
export function bindsClaims(): Controller {
  return controller<PersistentVolumeClaim>("binds-claims", {
    for: persistentVolumeClaims,
    observe: (key, read) => read.get(persistentVolumeClaims, key),
    decide(claim) {
      if (claim.spec?.volumeName) return plan().nothing("it is bound")
      const name = `for-${claim.metadata.uid}`
      const volume: PersistentVolume = {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/tmp" } },
      }
      const bound = { metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } }, spec: { volumeName: name } }
      return plan()
        .create(volume, "each claim has its own", { tolerate: ["AlreadyExists"] })
        .nextStep()
        .patch(claim, bound, "it is there")
    },
  })
}

export function get(running: Cluster): Promise<StatefulSet> {
  return running.client.get(statefulSets, "default/db")
}

export async function owned(running: Cluster): Promise<readonly Pod[]> {
  return (await running.list(pods)).filter((pod) => controllerOf(pod)?.name === "db")
}

/** "db-0 1": its pods, and the images they have. */
export async function placed(running: Cluster): Promise<readonly string[]> {
  return (await owned(running)).map(({ metadata, spec }) => `${metadata.name} ${spec?.containers[0]?.image?.split(":")[1]}`).sort()
}

export async function claimed(running: Cluster): Promise<readonly (string | undefined)[]> {
  return (await running.list(persistentVolumeClaims)).map(({ metadata }) => metadata.name).sort()
}

export async function told(running: Cluster): Promise<readonly string[]> {
  return (await running.list(events))
    .filter(({ involvedObject }) => involvedObject.kind === "StatefulSet")
    .map(({ reason, message, source }) => `${source?.component} ${reason}: ${message}`)
}
