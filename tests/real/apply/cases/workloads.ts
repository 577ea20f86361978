import type { JsonObject } from "../../api/objects/object.ts"
import { richPod } from "../../api/objects/pod-specs.ts"
import { changed, type Step, subject } from "../step.ts"

const deployment = subject("/apis/apps/v1/namespaces/default/deployments", "web")
const rich = subject("/apis/apps/v1/namespaces/default/deployments", "rich")
const service = subject("/api/v1/namespaces/default/services", "web")
const applied = subject("/api/v1/namespaces/default/services", "applied")
const job = subject("/apis/batch/v1/namespaces/default/jobs", "work")
const claim = subject("/api/v1/namespaces/default/persistentvolumeclaims", "data")
const secret = subject("/api/v1/namespaces/default/secrets", "keys")

const selector = { matchLabels: { app: "web" } }
const containers = [{ name: "web", image: "i:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }]

function workload(spec: object, metadata: object = {}): object {
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", ...metadata }, spec }
}

function podTemplate(list: readonly object[]): object {
  return { metadata: { labels: { app: "web" } }, spec: { containers: list } }
}

function svc(name: string, spec: object): object {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec }
}

const { readinessGates: _notInTemplates, ...richTemplate } = richPod

export const workloads: readonly Step[] = [
  deployment.create("create a Deployment", workload({ selector, replicas: 2, template: podTemplate(containers) })),
  deployment.update("update from what was read", (live: JsonObject) => changed(live, ({ spec }) => (spec.replicas = 3)), { manager: "m2" }),
  deployment.update(
    "status in an update is ignored",
    (live: JsonObject) => changed(live, (draft) => (draft.status = { replicas: 7, conditions: [{ type: "A", status: "True" }] })),
    { manager: "m2" },
  ),
  deployment.strategic(
    "strategic patch of a container",
    { spec: { template: { spec: { containers: [{ name: "web", image: "i:2" }] } } } },
    { manager: "m3" },
  ),
  deployment.strategic(
    "strategic patch adds a container",
    { spec: { template: { spec: { containers: [{ name: "side", image: "s" }] } } } },
    { manager: "m3" },
  ),
  deployment.merge("merge patch replaces the containers", { spec: { template: { spec: { containers } } } }, { manager: "m4" }),
  deployment.json("JSON patch of the environment", [{ op: "add", path: "/spec/template/spec/containers/0/env/-", value: { name: "B" } }], {
    manager: "m4",
  }),
  deployment.apply("apply conflicts", workload({ selector, replicas: 5, template: podTemplate([{ name: "web", image: "i:9" }]) }), {
    manager: "applier",
  }),
  deployment.force("force", workload({ selector, replicas: 5, template: podTemplate([{ name: "web", image: "i:9" }]) }), {
    manager: "applier",
  }),
  deployment.apply(
    "apply adds a port and a container",
    {
      ...workload({
        template: podTemplate([
          { name: "web", image: "i:9", ports: [{ containerPort: 443, name: "https" }] },
          { name: "log", image: "l", env: [{ name: "L", value: "1" }] },
        ]),
      }),
    },
    { manager: "applier" },
  ),
  deployment.apply("apply drops the container", workload({ template: podTemplate([{ name: "web", image: "i:9" }]) }), {
    manager: "applier",
  }),
  deployment.apply("apply drops the image", workload({ template: podTemplate([{ name: "web" }]) }), { manager: "applier" }),
  deployment.apply("apply of the strategy", workload({ strategy: { type: "Recreate" } }), { manager: "strategist" }),
  deployment.force("forced apply of the strategy", workload({ strategy: { type: "Recreate", rollingUpdate: null } }), {
    manager: "strategist",
  }),
  deployment.apply("apply of a label of the template", workload({ template: { metadata: { labels: { tier: "x" } } } }), {
    manager: "labeller",
  }),
  deployment.apply("apply of the selector", workload({ selector: { matchLabels: { app: "other" } } }), { manager: "labeller" }),
  deployment.sub("status").merge("patch of the status", { status: { replicas: 1, observedGeneration: 1 } }, { manager: "controller" }),
  deployment.sub("status").update(
    "update of the status",
    (live: JsonObject) =>
      changed(live, (draft) => {
        draft.status.conditions = [
          { type: "Available", status: "True", reason: "R", message: "m", lastUpdateTime: null, lastTransitionTime: null },
        ]
        draft.spec.replicas = 9
        draft.metadata.labels = { by: "status" }
        draft.metadata.annotations = { by: "status" }
      }),
    { manager: "controller" },
  ),
  deployment.sub("status").apply(
    "apply of the status",
    {
      ...workload({ replicas: 4 }, { labels: { a: "b" }, annotations: { c: "d" } }),
      status: { readyReplicas: 1, conditions: [{ type: "Progressing", status: "True" }] },
    },
    { manager: "applier" },
  ),
  deployment.sub("status").apply("apply of the status conflicts", { ...workload({}), status: { replicas: 3 } }, { manager: "applier" }),
  deployment.sub("status").force("forced apply of the status", { ...workload({}), status: { replicas: 3 } }, { manager: "applier" }),
  deployment.apply("apply of the status to the object itself", { ...workload({}), status: { replicas: 5 } }, { manager: "status-writer" }),
  deployment.merge("managedFields [] through the object", { metadata: { managedFields: [] } }),
  deployment.sub("status").merge("status of an untracked object", { status: { replicas: 2 } }, { manager: "controller" }),
  deployment
    .sub("status")
    .apply("apply of the status of an untracked object", { ...workload({}), status: { replicas: 2 } }, { manager: "applier" }),
  deployment.sub("status").update("managedFields [] through the status are ignored", (live: JsonObject) =>
    changed(live, ({ metadata, status }) => {
      metadata.managedFields = []
      status.replicas = 6
    }),
  ),

  rich.create("a rich Deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "rich" },
    spec: { selector, template: { metadata: { labels: { app: "web" } }, spec: richTemplate } },
  }),
  rich.apply(
    "apply of the same",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "rich" },
      spec: { selector, template: { metadata: { labels: { app: "web" } }, spec: richTemplate } },
    },
    { manager: "applier" },
  ),
  rich.apply("apply of nothing", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "rich" } }, { manager: "applier" }),
  rich.remove("delete"),
  rich.apply(
    "apply creates a rich Deployment",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "rich" },
      spec: { selector, template: { metadata: { labels: { app: "web" } }, spec: richTemplate } },
    },
    { manager: "applier" },
  ),

  service.create(
    "create a Service",
    svc("web", { selector: { app: "web" }, ports: [{ port: 80 }, { name: "dns", port: 53, protocol: "UDP" }] }),
  ),
  service.remove("delete"),
  service.create(
    "create a Service with named ports",
    svc("web", {
      selector: { app: "web" },
      ports: [
        { name: "http", port: 80 },
        { name: "dns", port: 53, protocol: "UDP" },
      ],
    }),
  ),
  service.apply("apply of a port without a protocol", svc("web", { ports: [{ name: "http", port: 80, targetPort: 8080 }] }), {
    manager: "applier",
  }),
  service.force("forced apply of a port", svc("web", { ports: [{ name: "http", port: 80, targetPort: 8080 }] }), { manager: "applier" }),
  service.apply("apply of another number under the same name", svc("web", { ports: [{ name: "http", port: 81 }] }), { manager: "applier" }),
  service.apply(
    "apply of a port more",
    svc("web", {
      ports: [
        { name: "http", port: 80, targetPort: 8080 },
        { name: "https", port: 443 },
      ],
    }),
    { manager: "applier" },
  ),
  service.apply("apply drops it", svc("web", { ports: [{ name: "http", port: 80, targetPort: 8080 }] }), { manager: "applier" }),
  service.apply("apply of the type", svc("web", { type: "NodePort" }), { manager: "m2" }),
  service.force("forced apply of the type", svc("web", { type: "NodePort" }), { manager: "m2" }),
  service.merge("merge patch of the selector", { spec: { selector: { tier: "front" } } }, { manager: "m3" }),
  service.apply("apply of the selector, which is atomic", svc("web", { selector: { a: "b" } }), { manager: "m4" }),
  service.sub("status").merge("patch of the status", { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }, { manager: "cloud" }),
  service.sub("status").apply(
    "apply of the status",
    {
      ...svc("web", {}),
      status: { conditions: [{ type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" }] },
    },
    { manager: "cloud" },
  ),
  applied.apply("apply creates a Service", svc("applied", { selector: { app: "web" }, ports: [{ port: 80 }] })),
  applied.apply("apply of the same", svc("applied", { selector: { app: "web" }, ports: [{ port: 80 }] })),
  applied.apply("apply of another port", svc("applied", { selector: { app: "web" }, ports: [{ port: 81 }] })),
  applied.apply(
    "apply of a port of another protocol",
    svc("applied", {
      selector: { app: "web" },
      ports: [
        { port: 81, name: "a" },
        { port: 81, protocol: "UDP", name: "b" },
      ],
    }),
  ),
  applied.update("update without a clusterIP", svc("applied", { selector: { app: "web" }, ports: [{ port: 90 }] }), { manager: "m2" }),

  job.create("create a Job", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  }),
  job.apply(
    "apply of the parallelism",
    { apiVersion: "batch/v1", kind: "Job", metadata: { name: "work" }, spec: { parallelism: 2 } },
    { manager: "applier" },
  ),
  job.force(
    "forced apply of the parallelism",
    { apiVersion: "batch/v1", kind: "Job", metadata: { name: "work" }, spec: { parallelism: 2, suspend: true } },
    { manager: "applier" },
  ),
  job.sub("status").merge("patch of the status", { status: { active: 1, startTime: "2024-01-02T03:04:05Z" } }, { manager: "controller" }),
  subject("/apis/batch/v1/namespaces/default/jobs", "applied").apply("apply creates a Job", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "applied" },
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  }),

  claim.create("create a claim", {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  claim.apply(
    "apply of an equal quantity in other words",
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data" },
      spec: { resources: { requests: { storage: "1024Mi" } } },
    },
    { manager: "applier" },
  ),
  claim
    .sub("status")
    .merge("patch of the status", { status: { phase: "Bound", capacity: { storage: "1024Mi" } } }, { manager: "controller" }),
  secret.apply("apply of stringData", { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, stringData: { a: "1" } }),
  secret.apply("apply of other stringData", { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, stringData: { b: "1" } }),
  secret.apply("apply of data", { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" }, data: { a: "MQ==" } }),
  secret.create("create with stringData", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys-b" },
    stringData: { a: "1" },
    data: { b: "MQ==" },
  }),
]
