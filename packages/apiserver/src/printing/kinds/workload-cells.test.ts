import { expect, test } from "vitest"
import { type CellRow, cellsOf, metadata } from "../testing/cells.ts"

const template = {
  metadata: { labels: { a: "b" } },
  spec: {
    containers: [
      { name: "c", image: "i" },
      { name: "d", image: "j" },
    ],
    nodeSelector: { disk: "ssd" },
  },
}
const selector = { matchLabels: { a: "b" } }

const rows: readonly CellRow[] = [
  [
    "",
    "Pod",
    "running",
    { spec: { containers: [{ name: "c" }], nodeName: "n" }, status: { phase: "Running", podIPs: [{ ip: "10.0.0.1" }] } },
    ["x", "0/1", "Running", "0", "5m", "10.0.0.1", "n", "<none>", "<none>"],
  ],
  [
    "",
    "Pod",
    "with gates",
    {
      spec: { containers: [], readinessGates: [{ conditionType: "a" }, { conditionType: "b" }] },
      status: { conditions: [{ type: "a", status: "True" }] },
    },
    ["x", "0/0", "", "0", "5m", "<none>", "<none>", "<none>", "1/2"],
  ],
  [
    "",
    "Pod",
    "restarted",
    {
      spec: { containers: [{}] },
      status: {
        containerStatuses: [
          { name: "c", restartCount: 2, state: { running: {} }, lastState: { terminated: { finishedAt: "2026-01-05T08:59:00Z" } } },
        ],
      },
    },
    ["x", "0/1", "", "2 (60s ago)", "5m", "<none>", "<none>", "<none>", "<none>"],
  ],
  [
    "apps",
    "Deployment",
    "half there",
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 } },
    ["x", "1/3", 2, 1, "5m", "c,d", "i,j", "a=b"],
  ],
  ["apps", "ReplicaSet", "new", { spec: { replicas: 3, selector, template } }, ["x", 3, 0, 0, "5m", "c,d", "i,j", "a=b"]],
  ["apps", "StatefulSet", "ready", { spec: { replicas: 2, template }, status: { readyReplicas: 2 } }, ["x", "2/2", "5m", "c,d", "i,j"]],
  [
    "apps",
    "DaemonSet",
    "rolling",
    {
      spec: { selector, template },
      status: { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 2, updatedNumberScheduled: 1, numberAvailable: 2 },
    },
    ["x", 3, 3, 2, 1, 2, "disk=ssd", "5m", "c,d", "i,j", "a=b"],
  ],
  [
    "apps",
    "ControllerRevision",
    "owned",
    {
      metadata: { ...metadata, ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "web", uid: "1", controller: true }] },
      revision: 4,
    },
    ["x", "daemonset.apps/web", 4, "5m"],
  ],
  [
    "",
    "ReplicationController",
    "new",
    { spec: { replicas: 1, selector: { b: "c", a: "b" }, template } },
    ["x", 1, 0, 0, "5m", "c,d", "i,j", "a=b,b=c"],
  ],
  [
    "batch",
    "Job",
    "running",
    { spec: { completions: 3, selector, template }, status: { succeeded: 1, startTime: "2026-01-05T08:58:00Z" } },
    ["x", "Running", "1/3", "2m", "5m", "c,d", "i,j", "a=b"],
  ],
  [
    "batch",
    "Job",
    "complete",
    {
      spec: { parallelism: 2, template },
      status: {
        succeeded: 1,
        startTime: "2026-01-05T08:58:00Z",
        completionTime: "2026-01-05T08:58:30Z",
        conditions: [{ type: "Complete", status: "True" }],
      },
    },
    ["x", "Complete", "1/1 of 2", "30s", "5m", "c,d", "i,j", "<none>"],
  ],
  [
    "batch",
    "Job",
    "suspended",
    { spec: { template }, status: { conditions: [{ type: "Suspended", status: "True" }] } },
    ["x", "Suspended", "0/1", "", "5m", "c,d", "i,j", "<none>"],
  ],
  [
    "batch",
    "CronJob",
    "with everything",
    {
      spec: { schedule: "* * * * *", timeZone: "Etc/UTC", suspend: false, jobTemplate: { spec: { template } } },
      status: { active: [{}], lastScheduleTime: "2026-01-05T08:59:00Z" },
    },
    ["x", "* * * * *", "Etc/UTC", "False", 1, "60s", "5m", "c,d", "i,j", "<none>"],
  ],
  [
    "batch",
    "CronJob",
    "never run",
    { spec: { schedule: "@daily", jobTemplate: { spec: { template } } } },
    ["x", "@daily", "<none>", "<unset>", 0, "<none>", "5m", "c,d", "i,j", "<none>"],
  ],
  [
    "autoscaling",
    "HorizontalPodAutoscaler",
    "v1",
    {
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 80 },
      status: { currentReplicas: 2 },
    },
    ["x", "Deployment/web", "cpu: <unknown>/80%", "1", 5, 2, "5m"],
  ],
  [
    "autoscaling",
    "HorizontalPodAutoscaler",
    "v2",
    {
      apiVersion: "autoscaling/v2",
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "web" },
        maxReplicas: 5,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          { type: "Pods", pods: { target: { averageValue: "20" } } },
          { type: "External", external: { target: { averageValue: "2" } } },
        ],
      },
      status: { currentReplicas: 2, currentMetrics: [{ type: "Resource", resource: { current: { averageUtilization: 30 } } }] },
    },
    ["x", "Deployment/web", "cpu: 30%/50%, <unknown>/20 + 1 more...", "<unset>", 5, 2, "5m"],
  ],
  [
    "policy",
    "PodDisruptionBudget",
    "at most",
    { spec: { maxUnavailable: "50%" }, status: { disruptionsAllowed: 1 } },
    ["x", "N/A", "50%", 1, "5m"],
  ],
  ["policy", "PodDisruptionBudget", "at least none", { spec: { minAvailable: 0 } }, ["x", "0", "N/A", 0, "5m"]],
]

test.each(rows)("%s/%s %s", (group, kind, _, parts, cells) => {
  expect(cellsOf(group, kind, parts)).toEqual(cells)
})
