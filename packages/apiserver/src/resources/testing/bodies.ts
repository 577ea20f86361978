const labels = { a: "b" }
const selector = { matchLabels: labels }
const podSpec = { containers: [{ name: "c", image: "i" }] }
const template = { metadata: { labels }, spec: podSpec }
const finite = { spec: { ...podSpec, restartPolicy: "Never" } }
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" }

type Body = readonly [group: string, body: object, scope?: "cluster"]

/** The least that an object of a kind needs, by the plural of the kind; "" is the core group. */
export const bodies: Readonly<Record<string, Body>> = {
  configmaps: ["", {}],
  secrets: ["", {}],
  serviceaccounts: ["", {}],
  resourcequotas: ["", {}],
  limitranges: ["", {}],
  endpoints: ["", {}],
  pods: ["", { spec: podSpec }],
  podtemplates: ["", { template }],
  services: ["", { spec: { ports: [{ port: 80 }] } }],
  events: ["", { involvedObject: { kind: "Pod", name: "p", namespace: "default" } }],
  replicationcontrollers: ["", { spec: { template } }],
  persistentvolumeclaims: ["", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }],
  persistentvolumes: ["", { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } } }, "cluster"],
  nodes: ["", {}, "cluster"],
  deployments: ["apps/v1", { spec: { selector, template } }],
  replicasets: ["apps/v1", { spec: { selector, template } }],
  daemonsets: ["apps/v1", { spec: { selector, template } }],
  statefulsets: ["apps/v1", { spec: { selector, template, serviceName: "s" } }],
  controllerrevisions: ["apps/v1", { revision: 1, data: {} }],
  jobs: ["batch/v1", { spec: { template: finite } }],
  cronjobs: ["batch/v1", { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: finite } } } }],
  horizontalpodautoscalers: [
    "autoscaling/v2",
    { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "D", name: "d" } } },
  ],
  poddisruptionbudgets: ["policy/v1", { spec: { maxUnavailable: 1 } }],
  "events.k8s.io/events": [
    "events.k8s.io/v1",
    {
      eventTime: "2026-01-05T09:00:00.000000Z",
      regarding: { namespace: "default", name: "p" },
      reason: "R",
      type: "Normal",
      action: "A",
      reportingController: "a.b/c",
      reportingInstance: "i",
    },
  ],
  leases: ["coordination.k8s.io/v1", {}],
  endpointslices: ["discovery.k8s.io/v1", { addressType: "IPv4", endpoints: [] }],
  ingresses: ["networking.k8s.io/v1", { spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } } }],
  ingressclasses: ["networking.k8s.io/v1", { spec: { controller: "a.b/c" } }, "cluster"],
  networkpolicies: ["networking.k8s.io/v1", { spec: { podSelector: {} } }],
  roles: ["rbac.authorization.k8s.io/v1", {}],
  rolebindings: ["rbac.authorization.k8s.io/v1", { roleRef }],
  clusterroles: ["rbac.authorization.k8s.io/v1", {}, "cluster"],
  clusterrolebindings: ["rbac.authorization.k8s.io/v1", { roleRef }, "cluster"],
  runtimeclasses: ["node.k8s.io/v1", { handler: "h" }, "cluster"],
  priorityclasses: ["scheduling.k8s.io/v1", { value: 1 }, "cluster"],
  storageclasses: ["storage.k8s.io/v1", { provisioner: "p" }, "cluster"],
  csidrivers: ["storage.k8s.io/v1", { spec: {} }, "cluster"],
  csinodes: ["storage.k8s.io/v1", { spec: { drivers: [] } }, "cluster"],
  csistoragecapacities: ["storage.k8s.io/v1", { storageClassName: "s" }],
  volumeattachments: ["storage.k8s.io/v1", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } }, "cluster"],
  validatingwebhookconfigurations: ["admissionregistration.k8s.io/v1", {}, "cluster"],
  mutatingwebhookconfigurations: ["admissionregistration.k8s.io/v1", {}, "cluster"],
  flowschemas: ["flowcontrol.apiserver.k8s.io/v1", { spec: { priorityLevelConfiguration: { name: "exempt" } } }, "cluster"],
  resourceclaims: ["resource.k8s.io/v1", { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } } }],
  resourceclaimtemplates: ["resource.k8s.io/v1", { spec: { spec: {} } }],
  deviceclasses: ["resource.k8s.io/v1", { spec: {} }, "cluster"],
}

/** The path of the collection. */
export function pathOf(kind: string): string {
  const [group, , scope] = bodies[kind]!
  const plural = kind.split("/").at(-1)
  const base = group === "" ? "/api/v1" : `/apis/${group}`
  return scope === "cluster" ? `${base}/${plural}` : `${base}/namespaces/default/${plural}`
}

/** Both kinds of events are in one place. */
const nameOf = (kind: string) => (kind === "events.k8s.io/events" ? "y" : "x")

export function objectPath(kind: string): string {
  return `${pathOf(kind)}/${nameOf(kind)}`
}

export function bodyOf(kind: string): object {
  return { metadata: { name: nameOf(kind) }, ...bodies[kind]![1] }
}
