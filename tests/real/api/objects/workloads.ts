import { type SampleObject, sample } from "./object.ts"
import { richPod, selector, smallPod, template, volumePod } from "./pod-specs.ts"

const { readinessGates: _notInTemplates, ...richTemplate } = richPod

export const workloads: readonly SampleObject[] = [
  sample("v1", "Pod", "small", { spec: smallPod }),
  {
    ...sample("v1", "Pod", "rich", { spec: richPod }),
    metadata: {
      name: "rich",
      labels: { app: "web", tier: "front" },
      annotations: { note: "a", "test/text": "ü\n\u2028" },
      finalizers: ["test/a", "test/b", "test/c"],
      ownerReferences: [
        { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "00000000-0000-4000-8000-000000000001" },
        { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: "00000000-0000-4000-8000-000000000002", controller: true },
      ],
    },
  },
  sample("v1", "PodTemplate", "small", { template: template(smallPod) }),
  sample("v1", "PodTemplate", "rich", { template: template(richPod) }),
  sample("v1", "PodTemplate", "volumes", { template: template(volumePod) }),
  sample("apps/v1", "Deployment", "small", { spec: { selector, template: template(smallPod) } }),
  sample("apps/v1", "Deployment", "rich", {
    spec: {
      replicas: 3,
      minReadySeconds: 2,
      selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "In", values: ["front", "back"] }] },
      strategy: { rollingUpdate: { maxSurge: "50%", maxUnavailable: 1 } },
      template: template(richTemplate),
    },
  }),
  sample("apps/v1", "ReplicaSet", "small", { spec: { selector, template: template(smallPod) } }),
  sample("apps/v1", "StatefulSet", "small", { spec: { serviceName: "web", selector, template: template(smallPod) } }),
  sample("apps/v1", "StatefulSet", "rich", {
    spec: {
      replicas: 0,
      serviceName: "web",
      selector,
      template: template(smallPod),
      updateStrategy: { rollingUpdate: { partition: 1 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
      volumeClaimTemplates: [
        { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      ],
    },
  }),
  sample("apps/v1", "DaemonSet", "small", { spec: { selector, template: template(smallPod) } }),
  sample("apps/v1", "DaemonSet", "rich", { spec: { selector, template: template(richTemplate), updateStrategy: { type: "OnDelete" } } }),
  sample("apps/v1", "ControllerRevision", "one", { revision: 3, data: { spec: { a: [1, "x", null, 1.5] } } }),
  sample("v1", "ReplicationController", "small", { spec: { template: template(smallPod) } }),
  sample("batch/v1", "Job", "small", { spec: { template: template(smallPod, { restartPolicy: "Never" }) } }),
  sample("batch/v1", "Job", "rich", {
    spec: {
      completions: 4,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimitPerIndex: 1,
      template: template(smallPod, { restartPolicy: "Never" }),
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          { action: "FailIndex", onExitCodes: { operator: "In", values: [1, 2] } },
        ],
      },
    },
  }),
  sample("batch/v1", "CronJob", "small", {
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: template(smallPod, { restartPolicy: "OnFailure" }) } } },
  }),
  sample("autoscaling/v1", "HorizontalPodAutoscaler", "small", {
    spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "small" } },
  }),
  sample("autoscaling/v2", "HorizontalPodAutoscaler", "rich", {
    spec: {
      maxReplicas: 5,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "rich" },
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
        { type: "Pods", pods: { metric: { name: "hits" }, target: { type: "AverageValue", averageValue: "1500m" } } },
      ],
      behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
    },
  }),
  sample("policy/v1", "PodDisruptionBudget", "int", { spec: { minAvailable: 1, selector } }),
  sample("policy/v1", "PodDisruptionBudget", "percent", {
    spec: { maxUnavailable: "30%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  }),
]
