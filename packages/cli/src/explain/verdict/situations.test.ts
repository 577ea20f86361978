import type { Descriptor, KubeObject } from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, nodes, persistentVolumeClaims, pods, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { readClusterView } from "./cluster-view.ts"
import { withLastLogLine } from "./last-log-line.ts"
import { listUnwell } from "./list-unwell.ts"
import { verdictOf } from "./rules.ts"
import type { Health } from "./verdict.ts"

type Apply = KubeObject & { readonly spec?: object }

const at = (name: string) => ({ name, namespace: "default" })
const labels = { app: "web" }

interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>
  readonly container?: object
  readonly spec?: object
}

/** A template of one container `app`. */
function template({ annotations, container, spec }: PodParts = {}) {
  return { metadata: { labels, annotations }, spec: { containers: [{ name: "app", image: "example/app", ...container }], ...spec } }
}

const deployment = (parts: PodParts = {}, spec: object = {}): Apply => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: at("web"),
  spec: { replicas: 2, selector: { matchLabels: labels }, template: template(parts), ...spec },
})
const pod = (parts: PodParts = {}): Apply => {
  const { metadata, spec } = template(parts)
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, ...at("web") }, spec }
}
const service = (spec: object = {}): Apply => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: at("web"),
  spec: { selector: labels, ports: [{ port: 80 }], ...spec },
})
const job = (parts: PodParts, spec: object = {}): Apply => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: at("once"),
  spec: { backoffLimit: 0, template: template({ ...parts, spec: { restartPolicy: "Never" } }), ...spec },
})
const claim = (spec: object = {}): Apply => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: at("data"),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
})
const crashing = { container: { command: ["sh", "-c", "echo starting; echo cannot connect to db; exit 1"] } }
const mounted = { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] } }

interface Situation {
  readonly objects: readonly Apply[]
  /** What happens then. */
  readonly next?: (running: Cluster) => Promise<unknown>
  readonly after?: string
  readonly of: Descriptor
  readonly name?: string
}

const pause = (running: Cluster) =>
  running.client.patch(nodes, { metadata: { name: "node-1" } }, { metadata: { annotations: { "pilothouse.dev/paused": "true" } } })

test.each<[name: string, situation: Situation, health: Health, summary: string | RegExp]>([
  ["a Deployment that is well", { objects: [deployment()], of: deployments }, "healthy", "available, 2 of 2 pods ready"],
  ["a Deployment at zero", { objects: [deployment({}, { replicas: 0 })], of: deployments }, "healthy", "scaled to zero"],
  [
    "a CrashLoopBackOff, by its Deployment",
    { objects: [deployment(crashing)], of: deployments, after: "60s" },
    "degraded",
    /^not available, 0 of 2 pods ready: container app of 2 pods exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "a CrashLoopBackOff, by its pod",
    { objects: [pod(crashing)], of: pods, after: "60s" },
    "degraded",
    /^container app exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "a crash whose log ends with a stack, by the error above it",
    {
      objects: [
        pod({
          container: { command: ["sh", "-c", "echo Error: port 80 is taken; echo    at Server.listen; echo Node.js v24.21.0; exit 1"] },
        }),
      ],
      of: pods,
      after: "60s",
    },
    "degraded",
    /^container app exits with code 1, restarted \d times; its log ends with: Error: port 80 is taken$/,
  ],
  [
    "a CrashLoopBackOff, by its Service",
    { objects: [deployment(crashing), service()], of: services, after: "60s" },
    "degraded",
    /^nothing answers: container app of 2 pods exits with code 1, restarted \d times; last log line: cannot connect to db$/,
  ],
  [
    "an image that cannot be pulled",
    { objects: [deployment({ container: { image: "example/app:404" } })], of: deployments, after: "60s" },
    "degraded",
    /^not available, 0 of 2 pods ready: image example\/app:404 of container app of 2 pods cannot be pulled \((ErrImagePull|ImagePullBackOff)\)$/,
  ],
  [
    "a request that is larger than every node",
    { objects: [deployment({ container: { resources: { requests: { cpu: "900" } } } })], of: deployments, after: "10s" },
    "degraded",
    /^not available, 0 of 2 pods ready: no node takes 2 pods: it requests cpu 900, and the largest node has \d+$/,
  ],
  [
    "a node selector that matches no node",
    { objects: [pod({ spec: { nodeSelector: { disktype: "ssd" } } })], of: pods, after: "10s" },
    "degraded",
    "no node takes it: its node selector disktype=ssd matches no node",
  ],
  [
    "taints that are not tolerated",
    {
      objects: [],
      next: async (running) => {
        await running.client.patch(
          nodes,
          { metadata: { name: "node-1" } },
          { spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } },
        )
        await running.apply(pod())
      },
      of: pods,
      after: "10s",
    },
    "degraded",
    "no node takes it: it tolerates the taints of no node, such as gpu=yes:NoSchedule",
  ],
  [
    "another scheduler",
    { objects: [pod({ spec: { schedulerName: "mine" } })], of: pods, after: "10s" },
    "progressing",
    'no node takes it: the scheduler "mine", which it asks for, has not looked at it',
  ],
  [
    "scheduling gates",
    { objects: [pod({ spec: { schedulingGates: [{ name: "example.com/wait" }] } })], of: pods },
    "suspended",
    "it waits for its scheduling gates: example.com/wait",
  ],
  [
    "a ConfigMap that is missing",
    { objects: [pod({ container: { envFrom: [{ configMapRef: { name: "settings" } }] } })], of: pods, after: "10s" },
    "degraded",
    'container app cannot be started: configmap "settings" not found',
  ],
  [
    "a claim without a StorageClass, by its pod",
    { objects: [claim({ storageClassName: "" }), pod(mounted)], of: pods, after: "20s" },
    "degraded",
    "no node takes it: its claim data is not bound: no PersistentVolume fits, and it names no StorageClass",
  ],
  [
    "a claim of a StorageClass that is missing",
    { objects: [claim({ storageClassName: "fast" })], of: persistentVolumeClaims, name: "data", after: "20s" },
    "degraded",
    "not bound: its StorageClass fast does not exist",
  ],
  [
    "a claim that does not exist",
    { objects: [pod(mounted)], of: pods, after: "10s" },
    "degraded",
    "no node takes it: its claim data does not exist",
  ],
  [
    "a readiness probe that fails",
    {
      objects: [
        deployment({ annotations: { "pilothouse.dev/ready": "0s=false" }, container: { readinessProbe: { httpGet: { port: 80 } } } }),
      ],
      of: deployments,
      after: "90s",
    },
    "degraded",
    /^not available, 0 of 2 pods ready: container app of 2 pods runs and is not ready(: Readiness probe failed.*)?$/,
  ],
  [
    "a quota that refuses pods",
    {
      objects: [{ apiVersion: "v1", kind: "ResourceQuota", metadata: at("few"), spec: { hard: { pods: "1" } } }],
      next: async (running) => {
        await running.settled()
        await running.apply(deployment())
      },
      of: deployments,
      after: "30s",
    },
    "degraded",
    /^not available, 1 of 2 pods ready: its pods are refused: pods "web-\S+" is forbidden: exceeded quota: few/,
  ],
  [
    "the quota itself",
    {
      objects: [{ apiVersion: "v1", kind: "ResourceQuota", metadata: at("few"), spec: { hard: { pods: "1" } } }, pod()],
      of: resourceQuotas,
      name: "few",
      after: "30s",
    },
    "suspended",
    "used up: pods (1 of 1); requests for more are refused",
  ],
  [
    "a Deployment that is paused",
    { objects: [deployment({}, { paused: true })], of: deployments },
    "suspended",
    /^paused, \d of 2 pods have/,
  ],
  [
    "a rollout past its deadline",
    {
      objects: [deployment({}, { progressDeadlineSeconds: 20 })],
      next: async (running) => {
        await running.settled()
        await running.apply(deployment({ container: { image: "example/app:404" } }, { progressDeadlineSeconds: 20 }))
      },
      of: deployments,
      after: "60s",
    },
    "degraded",
    /^the rollout is stuck, 2 of 2 pods ready: image example\/app:404 of container app of pod web-\S+ cannot be pulled/,
  ],
  [
    "a selector that matches no pod",
    { objects: [service()], of: services },
    "degraded",
    "nothing answers: its selector app=web matches no pod in default",
  ],
  [
    "a Service without selector and endpoints",
    { objects: [service({ selector: undefined })], of: services },
    "degraded",
    "nothing answers: it has no selector, and no EndpointSlice or Endpoints was written for it",
  ],
  [
    "a Service that answers",
    { objects: [deployment(), service()], of: services, after: "5s" },
    "healthy",
    "2 of 2 pods with app=web answer",
  ],
  [
    "a class of load balancers that no controller serves",
    { objects: [deployment(), service({ type: "LoadBalancer", loadBalancerClass: "example.com/metal" })], of: services, after: "5s" },
    "degraded",
    "its load balancer has no address: its class example.com/metal asks for a controller of its own",
  ],
  [
    "a Job that failed",
    { objects: [job(crashing)], of: jobs, name: "once", after: "60s" },
    "degraded",
    /^failed \(BackoffLimitExceeded: [^)]+\): container app of pod once-\S+ exits with code 1; last log line: cannot connect to db$/,
  ],
  ["a Job that completed", { objects: [job({})], of: jobs, name: "once", after: "10s" }, "healthy", "completed, 1 of 1 pods succeeded"],
  [
    "a Job that is suspended",
    { objects: [job({}, { suspend: true })], of: jobs, name: "once" },
    "suspended",
    "suspended, 0 of 1 pods succeeded",
  ],
  [
    "a CronJob whose last Job failed",
    {
      objects: [
        {
          apiVersion: "batch/v1",
          kind: "CronJob",
          metadata: at("nightly"),
          spec: { schedule: "* * * * *", jobTemplate: { spec: job(crashing).spec } },
        },
      ],
      of: cronJobs,
      name: "nightly",
      after: "100s",
    },
    "degraded",
    /^its last Job nightly-\d+ is not well: failed \(BackoffLimitExceeded/,
  ],
  [
    "an autoscaler whose target is not well",
    {
      objects: [
        deployment({ container: { image: "example/app:404", resources: { requests: { cpu: "1" } } } }),
        {
          apiVersion: "autoscaling/v2",
          kind: "HorizontalPodAutoscaler",
          metadata: at("web"),
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            maxReplicas: 3,
            metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
          },
        },
      ],
      of: horizontalPodAutoscalers,
      after: "60s",
    },
    "degraded",
    /^cannot scale, as its target Deployment web is not available, 0 of 2 pods ready: image example\/app:404/,
  ],
  [
    "a node that is lost",
    { objects: [], next: pause, of: nodes, name: "node-1", after: "90s" },
    "degraded",
    "not ready: Kubelet stopped posting node status.",
  ],
  [
    "a pod on a node that is lost",
    { objects: [pod()], next: async (running) => (await running.settled(), pause(running)), of: pods, after: "90s" },
    "degraded",
    "node node-1 of it is not ready (Kubelet stopped posting node status.)",
  ],
  [
    "a cordoned node",
    {
      objects: [],
      next: (running) => running.client.patch(nodes, { metadata: { name: "node-1" } }, { spec: { unschedulable: true } }),
      of: nodes,
      name: "node-1",
    },
    "suspended",
    "ready and cordoned: it gets no new pods",
  ],
  [
    "a namespace that is held",
    {
      objects: [
        { apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "held", namespace: "going", finalizers: ["example.com/keep"] } },
      ],
      next: (running) => running.client.delete(namespaces, { metadata: { name: "going" } }),
      of: namespaces,
      name: "going",
      after: "60s",
    },
    "degraded",
    /^deleted, and held: Some content in the namespace has finalizers remaining: example.com\/keep in 1 resource instances$/,
  ],
  [
    "a StatefulSet whose first pod does not start",
    {
      objects: [
        {
          apiVersion: "apps/v1",
          kind: "StatefulSet",
          metadata: at("db"),
          spec: {
            serviceName: "db",
            replicas: 3,
            selector: { matchLabels: labels },
            template: template({ container: { image: "example/app:404" } }),
          },
        },
      ],
      of: statefulSets,
      name: "db",
      after: "60s",
    },
    "degraded",
    /^not available, 0 of 3 pods ready: image example\/app:404 of container app of pod db-0 cannot be pulled/,
  ],
  [
    "a DaemonSet that matches no node",
    {
      objects: [
        {
          apiVersion: "apps/v1",
          kind: "DaemonSet",
          metadata: at("agent"),
          spec: { selector: { matchLabels: labels }, template: template({ spec: { nodeSelector: { none: "such" } } }) },
        },
      ],
      of: daemonSets,
      name: "agent",
    },
    "healthy",
    "no node matches, so that no pods are wanted",
  ],
])("%s", async (_name, { objects, next, after, of, name = "web" }, health, summary) => {
  await using running = await cluster({ nodes: 1 })
  for (const object of objects) await running.apply(object)
  await next?.(running)
  await running.settled()
  if (after !== undefined) await running.advance(after)
  const namespace = of.namespaced ? "default" : undefined
  const view = await readClusterView(running.client, namespace, running.clock.now())
  const object = await running.client.get(of, namespace === undefined ? name : `${namespace}/${name}`)
  const verdict = await withLastLogLine(running.transport, verdictOf(of, object, view))
  expect(verdict.summary).toEqual(typeof summary === "string" ? summary : expect.stringMatching(summary))
  expect(verdict.health).toBe(health)
})

test("a list of what is not well has the owner and not its pods, and the worst first", async () => {
  await using running = await cluster({ nodes: 1 })
  for (const object of [deployment(crashing), service(), job({}, { suspend: true }), claim({ storageClassName: "" })])
    await running.apply(object)
  await running.advance("60s")
  const found = await listUnwell(running.client, "default", running.clock.now())
  expect(found.map(({ name, verdict }) => [verdict.health, name])).toEqual([
    ["degraded", "deployment.apps/web"],
    ["degraded", "service/web"],
    ["degraded", "persistentvolumeclaim/data"],
    ["suspended", "job.batch/once"],
  ])
  expect((await running.client.list(replicaSets)).items).toHaveLength(1)
})
