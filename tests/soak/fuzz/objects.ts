import type { Random } from "@pilothouse/seams"

const containers = [
  { name: "c", image: "i", ports: [{ containerPort: 80 }], resources: { requests: { cpu: "100m" }, limits: { cpu: "1" } } },
]
const volumes = [{ name: "v", configMap: { name: "a", items: [{ key: "k", path: "p" }] } }]
const template = { metadata: { labels: { a: "b" } }, spec: { containers, volumes, tolerations: [{ key: "k", operator: "Exists" }] } }
const selector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }
const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "a" }
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "s" }
const rule = { host: "h", http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } }] } }

/** Good objects by where they live: a request that is bad in one place only gets further in. */
export const goodObjects: Readonly<Record<string, object>> = {
  "/api/v1 pods": { spec: template.spec },
  "/api/v1 services": { spec: { type: "NodePort", selector: { a: "b" }, ports: [{ name: "x", port: 80, targetPort: "x" }] } },
  "/api/v1 configmaps": { data: { a: "b" }, binaryData: { c: "eA==" } },
  "/api/v1 secrets": { type: "Opaque", stringData: { a: "b" } },
  "/api/v1 limitranges": { spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { cpu: "1" } }] } },
  "/api/v1 resourcequotas": { spec: { hard: { pods: "9", "requests.cpu": "9" }, scopes: ["BestEffort"] } },
  "/api/v1 persistentvolumeclaims": { spec: claim },
  "/api/v1 endpoints": { subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] },
  "/api/v1 events": { involvedObject: { kind: "Pod", namespace: "default", name: "a" }, reason: "R", message: "m", count: 1 },
  "/api/v1 replicationcontrollers": { spec: { replicas: 1, selector: { a: "b" }, template } },
  "/apis/apps/v1 deployments": {
    spec: { replicas: 2, selector, template, strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } } },
  },
  "/apis/apps/v1 statefulsets": {
    spec: { serviceName: "a", selector, template, volumeClaimTemplates: [{ metadata: { name: "v" }, spec: claim }] },
  },
  "/apis/apps/v1 daemonsets": { spec: { selector, template } },
  "/apis/batch/v1 jobs": { spec: { parallelism: 1, template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
  "/apis/batch/v1 cronjobs": {
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } } },
  },
  "/apis/autoscaling/v2 horizontalpodautoscalers": { spec: { maxReplicas: 3, scaleTargetRef: target, metrics: [metric] } },
  "/apis/autoscaling/v1 horizontalpodautoscalers": { spec: { maxReplicas: 3, scaleTargetRef: target } },
  "/apis/policy/v1 poddisruptionbudgets": { spec: { minAvailable: "50%", selector } },
  "/apis/networking.k8s.io/v1 ingresses": { spec: { rules: [rule], tls: [{ hosts: ["h"], secretName: "s" }] } },
  "/apis/networking.k8s.io/v1 networkpolicies": { spec: { podSelector: selector, ingress: [{ ports: [{ port: 80 }] }] } },
  "/apis/discovery.k8s.io/v1 endpointslices": { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }], ports: [{ port: 80 }] },
  "/apis/coordination.k8s.io/v1 leases": {
    spec: { holderIdentity: "a", leaseDurationSeconds: 5, renewTime: "2020-01-01T00:00:00.000000Z" },
  },
}

/** The same value with one place of it changed, left out or doubled. */
export function spoiled(random: Random, value: unknown, bad: () => unknown): unknown {
  if (typeof value !== "object" || value === null || random.int(5) === 0) return bad()
  if (Array.isArray(value)) {
    const at = random.int(value.length + 1)
    return at === value.length
      ? [...value, ...value.slice(0, 1)]
      : value.map((item, index) => (index === at ? spoiled(random, item, bad) : item))
  }
  const entries = Object.entries(value)
  const at = random.int(entries.length + 1)
  return Object.fromEntries(
    entries.flatMap(([key, inner], index) => {
      if (index !== at) return [[key, inner]]
      return random.int(6) === 0 ? [] : [[key, spoiled(random, inner, bad)]]
    }),
  )
}
