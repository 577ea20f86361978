import { samples } from "../../api/objects/all.ts"
import type { JsonObject } from "../../api/objects/object.ts"
import { changed, type Step, subject } from "../step.ts"

const node = subject("/api/v1/nodes", "n1")
const namespace = subject("/api/v1/namespaces", "team")
const csr = subject("/apis/certificates.k8s.io/v1/certificatesigningrequests", "user")
const volume = subject("/api/v1/persistentvolumes", "v1")
const budget = subject("/apis/policy/v1/namespaces/default/poddisruptionbudgets", "web")

const sample = (kind: string, name: string): JsonObject => {
  const found = samples.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`there is no sample of ${kind}`)
  return { ...found, metadata: { ...found.metadata, name } }
}
const approval = { type: "Approved", status: "True", reason: "R", message: "m" }
const nodeBody = (more: object) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, ...more })
const csrBody = (more: object) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "user" },
  ...more,
})

export const clusterWide: readonly Step[] = [
  node.create("create a node", sample("Node", "n1"), { manager: "kubelet" }),
  node
    .sub("status")
    .strategic(
      "status by a strategic patch",
      { status: { conditions: [{ type: "Ready", status: "False", reason: "R" }], allocatable: { cpu: "2" } } },
      { manager: "kubelet" },
    ),
  node.sub("status").update(
    "status by an update",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec, status }) => {
        status.phase = "Running"
        metadata.labels.by = "status"
        spec.unschedulable = false
      }),
    { manager: "controller" },
  ),
  node
    .sub("status")
    .apply("status by apply", nodeBody({ spec: { unschedulable: false }, status: { conditions: [{ type: "Other", status: "True" }] } }), {
      manager: "applier",
    }),
  node
    .sub("status")
    .apply("status by apply conflicts", nodeBody({ status: { conditions: [{ type: "Ready", status: "True" }] } }), { manager: "applier" }),
  node.strategic("taints", { spec: { taints: [{ key: "new", effect: "NoSchedule" }] } }, { manager: "tainter" }),
  node.apply("apply of taints, which are atomic", nodeBody({ spec: { taints: [{ key: "other", effect: "NoSchedule" }] } }), {
    manager: "applier",
  }),
  node.apply("apply of a label", { ...nodeBody({}), metadata: { name: "n1", labels: { "test/a": "b" } } }, { manager: "applier" }),
  node.apply("apply of the status to the object", nodeBody({ status: { phase: "Pending" } }), { manager: "applier" }),

  namespace.create("create a namespace", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", labels: { a: "b" } } }),
  namespace.apply(
    "apply of a label",
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", labels: { c: "d" } } },
    { manager: "applier" },
  ),
  namespace.apply(
    "apply of finalizers",
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" }, spec: { finalizers: ["kubernetes", "test/x"] } },
    { manager: "applier" },
  ),
  namespace
    .sub("status")
    .merge("status of a namespace", { status: { conditions: [{ type: "A", status: "True" }] } }, { manager: "controller" }),
  namespace
    .sub("status")
    .apply(
      "apply of the status of a namespace",
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" }, status: { conditions: [{ type: "B", status: "True" }] } },
      { manager: "applier" },
    ),
  namespace.sub("finalize").update(
    "finalize",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec, status }) => {
        spec.finalizers = ["test/y"]
        metadata.labels.by = "finalize"
        status.phase = "Terminating"
      }),
    { manager: "finalizer" },
  ),
  namespace
    .sub("finalize")
    .apply(
      "apply to finalize",
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" }, spec: { finalizers: [] } },
      { manager: "applier" },
    ),
  namespace.read("read"),
  subject("/api/v1/namespaces", "applied").apply("apply creates a namespace", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "applied" },
  }),
  subject("/api/v1/namespaces", "applied").apply("apply of the same", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "applied" },
  }),

  csr.create("create a request", sample("CertificateSigningRequest", "user")),
  csr.merge("a label", { metadata: { labels: { a: "b" } } }, { manager: "m2" }),
  csr.update(
    "an update of everything",
    (live: JsonObject) =>
      changed(live, ({ metadata, spec, status }) => {
        metadata.labels.c = "d"
        spec.usages = ["client auth"]
        status.conditions = [approval]
      }),
    { manager: "m2" },
  ),
  csr.apply(
    "apply of a label and the spec",
    csrBody({ metadata: { name: "user", labels: { e: "f" } }, spec: { usages: ["client auth"] } }),
    { manager: "applier" },
  ),
  csr.sub("approval").update(
    "approval",
    (live: JsonObject) =>
      changed(live, ({ metadata, status }) => {
        status.conditions = [approval]
        metadata.labels.by = "approval"
      }),
    { manager: "approver" },
  ),
  csr
    .sub("approval")
    .apply("approval by apply", csrBody({ status: { conditions: [{ type: "Failed", status: "True" }] } }), { manager: "applier" }),
  csr
    .sub("approval")
    .merge("approval by patch", { status: { certificate: "AAEC" }, metadata: { annotations: { a: "b" } } }, { manager: "m3" }),
  csr
    .sub("status")
    .merge("a condition through the status", { status: { conditions: [{ type: "Failed", status: "True" }] } }, { manager: "signer" }),
  csr
    .sub("status")
    .apply("a condition through the status by apply", csrBody({ status: { conditions: [{ type: "Failed", status: "True" }] } }), {
      manager: "applier",
    }),
  csr.read("read"),

  volume.create("create a volume", sample("PersistentVolume", "v1")),
  volume.apply(
    "apply of the capacity",
    { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v1" }, spec: { capacity: { storage: "20Gi" } } },
    { manager: "applier" },
  ),
  volume.force(
    "forced apply of the capacity",
    { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v1" }, spec: { capacity: { storage: "20Gi" } } },
    { manager: "applier" },
  ),
  volume.sub("status").merge("status of a volume", { status: { phase: "Available" } }, { manager: "controller" }),
  volume
    .sub("status")
    .apply(
      "apply of the status of a volume",
      { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "v1" }, status: { reason: "R" } },
      { manager: "applier" },
    ),

  budget.apply("apply creates a budget", {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
  }),
  budget.apply(
    "apply of another number",
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "web" }, spec: { minAvailable: "50%" } },
    { manager: "m2" },
  ),
  budget.update(
    "update without a version",
    { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "web" }, spec: { minAvailable: 2 } },
    { manager: "m2" },
  ),
  budget.sub("status").apply(
    "apply of its status",
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web" },
      status: { conditions: [{ type: "A", status: "True", reason: "R", message: "", lastTransitionTime: "2024-01-02T03:04:05Z" }] },
    },
    { manager: "m2" },
  ),
]
