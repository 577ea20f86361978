import type { KubeObject } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { jobs } from "@pilothouse/api/batch/v1"
import { endpoints, namespaces, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { serviceCIDRs } from "@pilothouse/api/networking/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Cluster } from "@pilothouse/testing"
import { forEver } from "../../job/testing/cluster.ts"
import { isGone } from "./refuse-for-ever.ts"
import type { RefusedWrite } from "./refused-write.ts"

function of(apiVersion: string, kind: string, namespace: string, more: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: "a", namespace }, ...more } as KubeObject
}

const service = (place: string) => [of("v1", "Service", place, { spec: { selector: { app: "a" }, ports: [{ port: 80 }] } })]
const relabel = (running: Cluster, place: string) => running.client.patch(services, `${place}/a`, { metadata: { labels: { new: "yes" } } })
const touchService = (running: Cluster, place: string) =>
  running.client.patch(services, `${place}/a`, { metadata: { labels: { touched: "yes" } } })
const endpointsController = {
  controller: "endpoints-controller",
  cluster: { controllers: ["endpoints"], nodes: 0 },
  given: service,
  touch: touchService,
}
const slicesController = { controller: "endpointslice-controller", cluster: { controllers: ["endpointslice"], nodes: 0 }, given: service }
const slicesIn = (running: Cluster, namespace: string) => running.list(endpointSlices, { namespace })
const surplus = (place: string): KubeObject => {
  const labels = { "kubernetes.io/service-name": "a", "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" }
  const more = { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ name: "", port: 9, protocol: "TCP" }] }
  return {
    ...of("discovery.k8s.io/v1", "EndpointSlice", place, more),
    metadata: { name: "surplus", namespace: place, labels },
  } as KubeObject
}

const byHand = (place: string, ip: string) => of("v1", "Endpoints", place, { subsets: [{ addresses: [{ ip }], ports: [{ port: 80 }] }] })
const mirroring = {
  controller: "endpointslice-mirroring-controller",
  cluster: { controllers: ["endpointslice-mirroring"], nodes: 0 },
  given: (place: string) => [of("v1", "Service", place, { spec: { ports: [{ port: 80 }] } }), byHand(place, "192.0.2.1")],
  touch: (running: Cluster, place: string) => running.client.patch(endpoints, `${place}/a`, { metadata: { labels: { touched: "yes" } } }),
}
const mirroredIn = async (running: Cluster, place: string) =>
  (await slicesIn(running, place)).flatMap(({ endpoints: all = [] }) => all.map((one) => one.addresses[0]))

const ranges = {
  controller: "service-cidr-controller",
  cluster: { controllers: ["service-cidr"], nodes: 0 },
  given: (place: string) => [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "ServiceCIDR",
      metadata: { name: place },
      spec: { cidrs: ["10.200.0.0/24"] },
    } as KubeObject,
  ],
}

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [forEver] } }
const scaled = (place: string) => [
  of("apps/v1", "Deployment", place, { spec: { replicas: 1, selector: { matchLabels: { app: "a" } }, template } }),
  of("autoscaling/v2", "HorizontalPodAutoscaler", place, {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, minReplicas: 3, maxReplicas: 5 },
  }),
]
/** It looks every 15 s, whatever happens. */
const every15Seconds = 90
const autoscaler = {
  controller: "horizontal-pod-autoscaler-controller",
  cluster: { controllers: ["horizontal-pod-autoscaler"], nodes: 0 },
  given: scaled,
  maxTries: every15Seconds,
}

const namespaceController = { controller: "namespace-controller", cluster: { controllers: ["namespace"], nodes: 0 } }
const removeNamespace = (running: Cluster, place: string) => running.client.delete(namespaces, place)
const condition = async (running: Cluster, place: string, type: string) =>
  (await running.client.get(namespaces, place)).status?.conditions?.find((one) => one.type === type)

export const refusedServices: readonly RefusedWrite[] = [
  {
    ...ranges,
    write: "PUT servicecidrs",
    done: async (running, place) => ((await running.client.get(serviceCIDRs, place)).metadata.finalizers ?? []).length > 0,
  },
  {
    ...ranges,
    write: "PATCH servicecidrs/status",
    done: async (running, place) => (await running.client.get(serviceCIDRs, place)).status?.conditions?.[0]?.status === "True",
  },
  {
    ...endpointsController,
    write: "POST endpoints",
    done: async (running, place) => !(await isGone(running.client.get(endpoints, `${place}/a`))),
    eventReason: "FailedToCreateEndpoint",
  },
  {
    ...endpointsController,
    write: "PUT endpoints",
    change: relabel,
    done: async (running, place) => (await running.client.get(endpoints, `${place}/a`)).metadata.labels?.new === "yes",
    eventReason: "FailedToUpdateEndpoint",
  },
  {
    ...endpointsController,
    write: "DELETE endpoints",
    change: (running, place) => running.client.delete(services, `${place}/a`),
    done: (running, place) => isGone(running.client.get(endpoints, `${place}/a`)),
    touch: async (running, place) => {
      await running.apply(service(place)[0]!)
      await running.client.delete(services, `${place}/a`)
    },
  },
  {
    ...slicesController,
    write: "POST endpointslices",
    done: async (running, place) => (await slicesIn(running, place)).length === 1,
    eventReason: "FailedToUpdateEndpointSlices",
  },
  {
    ...slicesController,
    write: "PUT endpointslices",
    change: relabel,
    done: async (running, place) => (await slicesIn(running, place)).every(({ metadata }) => metadata.labels?.new === "yes"),
    eventReason: "FailedToUpdateEndpointSlices",
  },
  {
    ...slicesController,
    write: "DELETE endpointslices",
    change: (running, place) => running.apply(surplus(place)),
    done: async (running, place) => (await slicesIn(running, place)).length === 1,
    eventReason: "FailedToUpdateEndpointSlices",
  },
  {
    ...mirroring,
    write: "POST endpointslices",
    done: async (running, place) => (await mirroredIn(running, place)).join() === "192.0.2.1",
  },
  {
    ...mirroring,
    write: "PUT endpointslices",
    change: (running, place) => running.apply(byHand(place, "192.0.2.2")),
    done: async (running, place) => (await mirroredIn(running, place)).join() === "192.0.2.2",
  },
  {
    ...mirroring,
    write: "DELETE endpointslices",
    change: (running, place) => running.client.delete(services, `${place}/a`),
    done: async (running, place) => (await slicesIn(running, place)).length === 0,
  },
  {
    ...autoscaler,
    write: "PUT deployments/scale",
    done: async (running, place) => (await running.client.get(deployments, `${place}/a`)).spec?.replicas === 3,
    eventReason: "FailedRescale",
  },
  {
    ...autoscaler,
    write: "PUT horizontalpodautoscalers/status",
    done: async (running, place) => (await running.client.get(horizontalPodAutoscalers, `${place}/a`)).status?.conditions !== undefined,
    eventReason: "FailedUpdateStatus",
  },
  {
    controller: "disruption-controller",
    cluster: { controllers: ["disruption"], nodes: 0 },
    write: "PUT poddisruptionbudgets/status",
    given: (place) => [
      of("policy/v1", "PodDisruptionBudget", place, { spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } }),
    ],
    done: async (running, place) => (await running.client.get(podDisruptionBudgets, `${place}/a`)).status?.observedGeneration === 1,
  },
  {
    controller: "resourcequota-controller",
    cluster: { controllers: ["resourcequota"], nodes: 0 },
    write: "PUT resourcequotas/status",
    given: (place) => [of("v1", "ResourceQuota", place, { spec: { hard: { pods: "1" } } })],
    done: async (running, place) => (await running.client.get(resourceQuotas, `${place}/a`)).status?.hard !== undefined,
  },
  {
    controller: "ttl-after-finished-controller",
    cluster: { controllers: ["ttl-after-finished", "job", "garbage-collector"], nodes: 0 },
    write: "DELETE jobs",
    given: (place) => [
      of("batch/v1", "Job", place, {
        spec: { ttlSecondsAfterFinished: 5, completions: 0, template: { spec: { restartPolicy: "Never", containers: [forEver] } } },
      }),
    ],
    done: (running, place) => isGone(running.client.get(jobs, `${place}/a`)),
  },
  {
    ...namespaceController,
    write: "DELETE configmaps",
    given: (place) => [of("v1", "ConfigMap", place)],
    change: removeNamespace,
    done: (running, place) => isGone(running.client.get(namespaces, place)),
    async meanwhile(running, place) {
      const { status, message } = (await condition(running, place, "NamespaceDeletionContentFailure")) ?? {}
      if (status !== "True" || !message) throw new Error(`${place} does not say what blocks it`)
    },
  },
  {
    ...namespaceController,
    write: "PUT namespaces/finalize",
    given: () => [],
    change: removeNamespace,
    done: (running, place) => isGone(running.client.get(namespaces, place)),
  },
  {
    ...namespaceController,
    write: "PUT namespaces/status",
    given: (place) => [
      { ...of("v1", "ConfigMap", place), metadata: { name: "a", namespace: place, finalizers: ["example.com/stay"] } } as KubeObject,
    ],
    change: removeNamespace,
    done: async (running, place) => (await condition(running, place, "NamespaceFinalizersRemaining"))?.status === "True",
    // It is requeued every 8 s as long as something is left.
    lasts: "3m",
    maxTries: 50,
  },
]
