import type { JsonObject } from "./object.ts"

/** The least a pod can be. */
export const smallPod: JsonObject = { containers: [{ name: "web", image: "registry.test/web:1" }] }

const probe = { httpGet: { port: "http" }, initialDelaySeconds: 3 }

/** Most list and union types of a pod: every merge key of its lists has at least two elements to choose from. */
export const richPod = {
  initContainers: [
    { name: "setup", image: "registry.test/setup", command: ["sh", "-c", "true"] },
    { name: "proxy", image: "registry.test/proxy:2", restartPolicy: "Always", startupProbe: { tcpSocket: { port: 15001 } } },
  ],
  containers: [
    {
      name: "web",
      image: "registry.test/web:1",
      args: ["--verbose", "--level=3"],
      ports: [
        { name: "http", containerPort: 8080 },
        { name: "metrics", containerPort: 9090, protocol: "TCP" },
        { name: "dns", containerPort: 53, protocol: "UDP" },
      ],
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "two" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
      ],
      envFrom: [{ prefix: "X_", configMapRef: { name: "settings", optional: true } }, { secretRef: { name: "tokens" } }],
      resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "0.5", memory: "128Mi" } },
      volumeMounts: [
        { name: "settings", mountPath: "/etc/settings", readOnly: true },
        { name: "cache", mountPath: "/var/cache" },
      ],
      livenessProbe: { exec: { command: ["true"] }, periodSeconds: 20 },
      readinessProbe: probe,
      lifecycle: { preStop: { sleep: { seconds: 2 } } },
      securityContext: { runAsUser: 1000, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } },
    },
    { name: "sidecar", image: "registry.test/sidecar:latest", livenessProbe: { grpc: { port: 9000 } } },
  ],
  volumes: [
    { name: "settings", configMap: { name: "settings", items: [{ key: "a", path: "a.conf" }] } },
    { name: "cache", emptyDir: { sizeLimit: "1Gi" } },
    { name: "host", hostPath: { path: "/var/log" } },
    {
      name: "all",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token" } },
          { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
        ],
      },
    },
  ],
  tolerations: [{ key: "dedicated", operator: "Equal", value: "web", effect: "NoSchedule" }, { operator: "Exists" }],
  hostAliases: [
    { ip: "10.1.2.3", hostnames: ["a.test", "b.test"] },
    { ip: "10.1.2.4", hostnames: ["c.test"] },
  ],
  imagePullSecrets: [{ name: "pull-a" }, { name: "pull-b" }],
  nodeSelector: { disk: "ssd" },
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a", "b"] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "web" } } } },
      ],
    },
  },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app: "web" } } },
    { maxSkew: 2, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" },
  ],
  securityContext: { fsGroup: 2000, sysctls: [{ name: "kernel.shm_rmid_forced", value: "0" }], supplementalGroups: [1, 2] },
  dnsConfig: { nameservers: ["10.0.0.10"], searches: ["test"], options: [{ name: "ndots", value: "2" }] },
  readinessGates: [{ conditionType: "test/ready" }],
  serviceAccountName: "rich",
  terminationGracePeriodSeconds: 5,
} satisfies JsonObject

/** The few volumes that have defaults in their schemas. */
export const volumePod: JsonObject = {
  ...smallPod,
  volumes: [
    { name: "azure", azureDisk: { diskName: "d", diskURI: "https://disk.test/d" } },
    { name: "iscsi", iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.2001-04.com.test:a", lun: 1 } },
    { name: "rbd", rbd: { monitors: ["10.0.0.1:6789"], image: "i" } },
    { name: "scaleio", scaleIO: { gateway: "https://gateway.test", system: "s", volumeName: "v", secretRef: { name: "s" } } },
  ],
}

/** A pod template whose labels fit the selector that the workloads here use. */
export function template(spec: JsonObject, extra: JsonObject = {}): JsonObject {
  return { metadata: { labels: { app: "web", tier: "front" }, annotations: { note: "a" } }, spec: { ...spec, ...extra } }
}

export const selector: JsonObject = { matchLabels: { app: "web" } }
