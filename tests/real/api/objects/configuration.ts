import { type SampleObject, sample } from "./object.ts"

const bytes = Buffer.from([0, 1, 2, 250, 255, 10]).toString("base64")
const event = { involvedObject: { kind: "Pod", name: "rich" } }

export const configuration: readonly SampleObject[] = [
  sample("v1", "Namespace", "other"),
  sample("v1", "ConfigMap", "small"),
  sample("v1", "ConfigMap", "rich", { data: { a: "1", b: "two", "c.conf": "x=y\nz=ü" }, binaryData: { d: bytes } }),
  sample("v1", "Secret", "small", { data: { password: bytes } }),
  sample("v1", "Secret", "basic", { type: "kubernetes.io/basic-auth", stringData: { username: "u", password: "p" }, immutable: true }),
  sample("v1", "ServiceAccount", "rich", {
    secrets: [{ name: "a" }, { name: "b" }],
    imagePullSecrets: [{ name: "a" }, { name: "b" }, { name: "c" }],
    automountServiceAccountToken: false,
  }),
  sample("v1", "LimitRange", "rich", {
    spec: {
      limits: [
        { type: "PersistentVolumeClaim", max: { storage: "1Ti" }, min: { storage: "0.5" } },
        { type: "test/none", max: { cpu: "2" }, default: { cpu: "1" } },
      ],
    },
  }),
  // Counts what no test creates: a quota of pods would refuse pods.
  sample("v1", "ResourceQuota", "rich", { spec: { hard: { "count/widgets.test": "5", persistentvolumeclaims: 100 } } }),
  {
    ...sample("v1", "Event", "small", {
      ...event,
      reason: "Tested",
      message: "m",
      type: "Normal",
      count: 2,
      firstTimestamp: "2024-01-02T03:04:05Z",
      lastTimestamp: "2024-01-02T03:04:06Z",
    }),
    metadata: { name: "small", namespace: "judged" },
    involvedObject: { kind: "Pod", name: "rich", namespace: "judged" },
  },
  sample("events.k8s.io/v1", "Event", "micro", {
    eventTime: "2024-01-02T03:04:05.123456Z",
    reportingController: "test/judge",
    reportingInstance: "one",
    action: "Testing",
    reason: "Tested",
    type: "Warning",
    regarding: { kind: "Pod", name: "rich", namespace: "judged" },
    series: { count: 2, lastObservedTime: "2024-01-02T03:04:06.100000Z" },
  }),
  sample("coordination.k8s.io/v1", "Lease", "small", {
    spec: {
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      renewTime: "2024-01-02T03:04:05.000001Z",
      acquireTime: "2024-01-02T03:04:05.120000Z",
    },
  }),
  sample("scheduling.k8s.io/v1", "PriorityClass", "small", { value: -5 }),
  sample("node.k8s.io/v1", "RuntimeClass", "rich", {
    handler: "runc",
    overhead: { podFixed: { memory: "1Mi" } },
    scheduling: { nodeSelector: { a: "b" }, tolerations: [{ operator: "Exists" }] },
  }),
  {
    ...sample("v1", "Node", "rich", {
      spec: {
        podCIDR: "10.3.0.0/24",
        podCIDRs: ["10.3.0.0/24"],
        unschedulable: true,
        taints: [
          { key: "a", effect: "NoSchedule" },
          { key: "b", value: "x", effect: "NoExecute" },
        ],
      },
      status: {
        capacity: { cpu: "4", memory: "8Gi", pods: "110" },
        conditions: [
          {
            type: "Ready",
            status: "True",
            reason: "KubeletReady",
            lastHeartbeatTime: "2024-01-02T03:04:05Z",
            lastTransitionTime: "2024-01-02T03:04:05Z",
          },
          { type: "DiskPressure", status: "False", lastHeartbeatTime: null, lastTransitionTime: null },
        ],
        addresses: [
          { type: "InternalIP", address: "10.4.0.1" },
          { type: "Hostname", address: "rich" },
        ],
        images: [{ names: ["registry.test/web:1"], sizeBytes: 12345678901 }],
      },
    }),
    metadata: { name: "rich", labels: { disk: "ssd", zone: "a" }, annotations: { a: "b" } },
  },
]
