import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { namespaces, nodes, pods, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { listUnwell } from "./list-unwell.ts"
import { at, claim, crashing, deployment, job, labels, pause, pod, service, template, testSituations } from "./testing/situations.ts"

testSituations([
  ["a Deployment that is well", { objects: [deployment()], of: deployments }, "healthy", "available, 2 of 2 pods ready"],
  ["a Deployment at zero", { objects: [deployment({}, { replicas: 0 })], of: deployments }, "healthy", "scaled to zero"],
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
])

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
