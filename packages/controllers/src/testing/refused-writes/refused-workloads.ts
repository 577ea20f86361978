import { type Descriptor, type KubeObject, parseTime } from "@pilothouse/api"
import { controllerRevisions, daemonSets, deployments, type ReplicaSet, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { type Pod, persistentVolumeClaims, pods, type ReplicationController, replicationControllers } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"
import { forEver } from "../../job/testing/cluster.ts"
import type { RefusedWrite } from "./refused-write.ts"

const labels = { app: "a" }
const template = { metadata: { labels }, spec: { containers: [forEver], terminationGracePeriodSeconds: 0 } }
const selector = { matchLabels: labels }
const claimSpec = { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Mi" } } }

function of(apiVersion: string, kind: string, namespace: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { name: "a", namespace }, spec } as KubeObject
}

const set =
  (kind: string, replicas = 1, more: object = {}) =>
  (place: string) => [
    of("apps/v1", kind, place, {
      ...(kind !== "DaemonSet" && { replicas }),
      ...(kind === "StatefulSet" && { serviceName: "a" }),
      selector,
      template,
      ...more,
    }),
  ]
const replication = (replicas: number) => (place: string) => [
  of("v1", "ReplicationController", place, { replicas, selector: labels, template }),
]
const job =
  (more: object = {}) =>
  (place: string) => [of("batch/v1", "Job", place, { template: { spec: { ...template.spec, restartPolicy: "Never" } }, ...more })]
const orphan = (place: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "orphan", namespace: place, labels },
  spec: template.spec,
})

const podsIn = async (running: Cluster, namespace: string) =>
  (await running.list(pods, { namespace })).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
const hasPods = (count: number) => async (running: Cluster, place: string) => (await podsIn(running, place)).length === count
const isAdopted = async (running: Cluster, place: string) =>
  (await podsIn(running, place)).some(({ metadata }) => metadata.name === "orphan" && metadata.ownerReferences !== undefined)
const newImage = { spec: { template: { spec: { containers: [{ name: "main", image: "example/other" }] } } } }

/** Pods are created, released and counted by five controllers in the same way. */
function replicas<T extends ReplicaSet | ReplicationController>(
  controller: string,
  controllers: readonly string[],
  of: Descriptor<T>,
  given: typeof replication,
) {
  const common = { controller, cluster: { controllers, nodes: 0 } }
  const resize = (count: number) => (running: Cluster, place: string) =>
    running.client.patch(of, `${place}/a`, { spec: { replicas: count } })
  const plural = of.plural
  return [
    { ...common, write: "POST pods", given: given(2), done: hasPods(2), eventReason: "FailedCreate" },
    { ...common, write: "DELETE pods", given: given(1), change: resize(0), done: hasPods(0), eventReason: "FailedDelete" },
    { ...common, write: "PATCH pods", given: (place) => [orphan(place), ...given(1)(place)], done: isAdopted },
    {
      ...common,
      write: `PUT ${plural}/status`,
      given: given(1),
      done: async (running, place) => (await running.client.get(of, `${place}/a`)).status?.replicas === 1,
    },
  ] satisfies readonly RefusedWrite[]
}

const deployment = { controller: "deployment-controller", cluster: { controllers: ["deployment"], nodes: 0 } }
const daemonSet = { controller: "daemonset-controller", cluster: { controllers: ["daemonset"], nodes: 1 } }
const statefulSet = { controller: "statefulset-controller", cluster: { controllers: ["statefulset"], nodes: 0 } }
const jobController = { controller: "job-controller", cluster: { controllers: ["job"], nodes: 0 } }
/** A run is due every minute: five of them will do. */
const cronJob = { controller: "cronjob-controller", cluster: { controllers: ["cronjob"], nodes: 0 }, lasts: "5m" } as const
const revisionsIn = async (running: Cluster, namespace: string) => (await running.list(controllerRevisions, { namespace })).length
const cron = (more: object) => (place: string) => [
  of("batch/v1", "CronJob", place, {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
    ...more,
  }),
]

export const refusedWorkloads: readonly RefusedWrite[] = [
  {
    ...deployment,
    write: "POST replicasets",
    given: set("Deployment"),
    done: async (running, namespace) => (await running.list(replicaSets, { namespace })).length === 1,
    eventReason: "ReplicaSetCreateError",
  },
  {
    ...deployment,
    write: "PUT replicasets",
    given: set("Deployment"),
    change: (running, place) => running.client.patch(deployments, `${place}/a`, { spec: { replicas: 3 } }),
    done: async (running, namespace) => (await running.list(replicaSets, { namespace }))[0]?.spec?.replicas === 3,
  },
  {
    ...deployment,
    cluster: { controllers: ["deployment", "replicaset"], nodes: 0 },
    write: "DELETE replicasets",
    given: set("Deployment", 0, { revisionHistoryLimit: 0 }),
    change: (running, place) => running.client.patch(deployments, `${place}/a`, newImage, { type: "strategic" }),
    done: async (running, namespace) => (await running.list(replicaSets, { namespace })).length === 1,
  },
  {
    ...deployment,
    write: "PUT deployments/status",
    given: set("Deployment"),
    done: async (running, place) => (await running.client.get(deployments, `${place}/a`)).status?.observedGeneration === 1,
  },
  ...replicas("replicaset-controller", ["replicaset"], replicaSets, (count) => set("ReplicaSet", count)),
  ...replicas("replication-controller", ["replicationcontroller"], replicationControllers, replication),
  { ...daemonSet, write: "POST pods", given: set("DaemonSet"), done: hasPods(1), eventReason: "FailedCreate" },
  {
    ...daemonSet,
    write: "DELETE pods",
    given: set("DaemonSet"),
    change: (running, place) =>
      running.client.patch(daemonSets, `${place}/a`, { spec: { template: { spec: { nodeSelector: { no: "node" } } } } }),
    done: hasPods(0),
    eventReason: "FailedDelete",
  },
  {
    ...daemonSet,
    write: "POST controllerrevisions",
    given: set("DaemonSet"),
    done: async (...where) => (await revisionsIn(...where)) === 1,
  },
  {
    ...daemonSet,
    write: "PUT daemonsets/status",
    given: set("DaemonSet"),
    done: async (running, place) => (await running.client.get(daemonSets, `${place}/a`)).status?.numberReady === 1,
  },
  { ...statefulSet, write: "POST pods", given: set("StatefulSet"), done: hasPods(1), eventReason: "FailedCreate" },
  {
    ...statefulSet,
    write: "DELETE pods",
    given: set("StatefulSet"),
    change: (running, place) => running.client.patch(statefulSets, `${place}/a`, { spec: { replicas: 0 } }),
    done: hasPods(0),
    eventReason: "FailedDelete",
  },
  {
    ...statefulSet,
    write: "POST controllerrevisions",
    given: set("StatefulSet"),
    done: async (...where) => (await revisionsIn(...where)) === 1,
  },
  {
    ...statefulSet,
    write: "POST persistentvolumeclaims",
    given: set("StatefulSet", 1, { volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }] }),
    done: async (running, namespace) => (await running.list(persistentVolumeClaims, { namespace })).length === 1,
    eventReason: "FailedCreate",
  },
  {
    ...statefulSet,
    write: "PUT statefulsets/status",
    given: set("StatefulSet"),
    done: async (running, place) => (await running.client.get(statefulSets, `${place}/a`)).status?.replicas === 1,
  },
  { ...jobController, write: "POST pods", given: job(), done: hasPods(1), eventReason: "FailedCreate" },
  {
    ...jobController,
    write: "DELETE pods",
    given: job(),
    change: (running, place) => running.client.patch(jobs, `${place}/a`, { spec: { parallelism: 0 } }),
    done: hasPods(0),
    eventReason: "FailedDelete",
  },
  {
    ...jobController,
    write: "PATCH pods",
    given: job(),
    change: (running, place) => running.client.patch(jobs, `${place}/a`, { spec: { suspend: true } }),
    done: hasPods(0),
  },
  {
    ...jobController,
    write: "PUT jobs/status",
    given: job(),
    done: async (running, place) => (await running.client.get(jobs, `${place}/a`)).status?.active === 1,
  },
  {
    ...cronJob,
    write: "POST jobs",
    given: cron({}),
    done: async (running, namespace) => (await running.list(jobs, { namespace })).length > 0,
    eventReason: "FailedCreate",
  },
  {
    ...cronJob,
    write: "DELETE jobs",
    given: cron({ concurrencyPolicy: "Replace" }),
    change: async () => {},
    done: async (running, namespace) =>
      (await running.list(jobs, { namespace })).every(
        ({ metadata }) => parseTime(metadata.creationTimestamp!) > running.clock.now() - 120_000,
      ),
    eventReason: "FailedDelete",
  },
  {
    ...cronJob,
    write: "PUT cronjobs/status",
    given: cron({ concurrencyPolicy: "Forbid" }),
    done: async (running, place) => (await running.client.get(cronJobs, `${place}/a`)).status?.lastScheduleTime !== undefined,
  },
]
