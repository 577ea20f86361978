import type { ApiClient } from "../api-client.ts"

/** Pods that take a moment to start: so the leader dies in the middle of it all. */
const slowly = { "pilothouse.dev/start-time": "400ms", "pilothouse.dev/ready-delay": "200ms" }

function template(
  app: string,
  { image = 1, annotations = slowly, ...spec }: { image?: number; annotations?: Record<string, string>; [field: string]: unknown } = {},
) {
  const containers = [{ name: "app", image: `example/${app}:${image}`, resources: { requests: { cpu: "100m" } } }]
  return { metadata: { labels: { app }, annotations }, spec: { containers, ...spec } }
}

export const replicas = 12
export const completions = 10

export const deployments = "/apis/apps/v1/namespaces/default/deployments"
export const statefulSets = "/apis/apps/v1/namespaces/default/statefulsets"
export const jobs = "/apis/batch/v1/namespaces/default/jobs"
export const claims = "/api/v1/namespaces/default/persistentvolumeclaims"
export const services = "/api/v1/namespaces/default/services"
export const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"

export const web = (image: number) => ({
  metadata: { name: "web" },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template: template("web", { image }) },
})

const busy = {
  metadata: { name: "busy" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "busy" } },
    template: template("busy", { annotations: { "pilothouse.dev/cpu": "400m" } }),
  },
}

const autoscaler = {
  metadata: { name: "busy" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "busy" },
    minReplicas: 1,
    maxReplicas: 4,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  },
}

const sums = {
  metadata: { name: "sums" },
  spec: { completions, parallelism: 3, template: template("sums", { restartPolicy: "Never" }) },
}

const db = {
  metadata: { name: "db" },
  spec: { replicas: 4, serviceName: "db", selector: { matchLabels: { app: "db" } }, template: template("db") },
}

const volume = {
  metadata: { name: "disk" },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    storageClassName: "",
    hostPath: { path: "/data" },
  },
}

const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "", resources: { requests: { storage: "1Gi" } } },
}

const balanced = {
  metadata: { name: "web" },
  spec: { type: "LoadBalancer", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
}

const budget = { metadata: { name: "web" }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } } }
const quota = { metadata: { name: "all" }, spec: { hard: { pods: "1000" } } }
const agent = {
  metadata: { name: "agent" },
  spec: { selector: { matchLabels: { app: "agent" } }, template: template("agent") },
}
const everyMinute = {
  metadata: { name: "minutely" },
  spec: { schedule: "* * * * *", jobTemplate: { spec: { template: template("minutely", { restartPolicy: "Never" }) } } },
}

/** All at once: whatever the leader has begun when it dies, the other goes on with. */
export async function createEverything(admin: ApiClient): Promise<void> {
  const made: readonly (readonly [path: string, body: object])[] = [
    [services, balanced],
    [services, { metadata: { name: "db" }, spec: { clusterIP: "None", selector: { app: "db" }, ports: [{ port: 5432 }] } }],
    ["/apis/policy/v1/namespaces/default/poddisruptionbudgets", budget],
    ["/api/v1/namespaces/default/resourcequotas", quota],
    ["/apis/apps/v1/namespaces/default/daemonsets", agent],
    ["/apis/batch/v1/namespaces/default/cronjobs", everyMinute],
    [deployments, busy],
    [statefulSets, db],
    [jobs, sums],
    ["/api/v1/persistentvolumes", volume],
    [claims, claim],
    [autoscalers, autoscaler],
  ]
  for (const [path, body] of made) await admin.object({ verb: "POST", path, body })
}

/** A second helping of what controllers ask for more than upstream's would. */
export async function createMore(admin: ApiClient): Promise<void> {
  const second = <T extends { readonly metadata: object }>(object: T): T => ({ ...object, metadata: { name: "second" } })
  await admin.object({ verb: "POST", path: services, body: second(balanced) })
  await admin.object({ verb: "POST", path: "/api/v1/persistentvolumes", body: second(volume) })
  await admin.object({ verb: "POST", path: claims, body: second(claim) })
  await admin.object({ verb: "POST", path: jobs, body: second(sums) })
  await admin.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "third" } } })
}

/** A namespace with something of everything that controllers make, to be deleted. */
export async function createDoomed(admin: ApiClient): Promise<void> {
  await admin.object({ verb: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "doomed" } } })
  const inside = (path: string) => path.replace("/default/", "/doomed/")
  await admin.object({ verb: "POST", path: inside(deployments), body: { ...web(1), spec: { ...web(1).spec, replicas: 2 } } })
  await admin.object({ verb: "POST", path: inside(services), body: balanced })
  const token = {
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
  }
  await admin.object({ verb: "POST", path: "/api/v1/namespaces/doomed/secrets", body: token })
}
