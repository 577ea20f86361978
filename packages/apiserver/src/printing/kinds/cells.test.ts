import { expect, test } from "vitest"
import { type CellRow, cellsOf, metadata } from "../testing/cells.ts"

const rows: readonly CellRow[] = [
  [
    "",
    "Service",
    "ClusterIP",
    {
      spec: {
        type: "ClusterIP",
        clusterIPs: ["10.96.0.9"],
        ports: [
          { port: 80, protocol: "TCP" },
          { port: 53, protocol: "UDP" },
        ],
        selector: { a: "b" },
      },
    },
    ["x", "ClusterIP", "10.96.0.9", "<none>", "80/TCP,53/UDP", "5m", "a=b"],
  ],
  [
    "",
    "Service",
    "LoadBalancer pending",
    { spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.9"], ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }] } },
    ["x", "LoadBalancer", "10.96.0.9", "<pending>", "80:30080/TCP", "5m", "<none>"],
  ],
  [
    "",
    "Service",
    "LoadBalancer with addresses",
    {
      spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.9"], externalIPs: ["1.1.1.1"] },
      status: { loadBalancer: { ingress: [{ ip: "9.9.9.9" }, { hostname: "lb.example" }] } },
    },
    ["x", "LoadBalancer", "10.96.0.9", "9.9.9.9,lb.example,1.1.1.1", "<none>", "5m", "<none>"],
  ],
  [
    "",
    "Service",
    "LoadBalancer whose port had to be another",
    {
      spec: { type: "LoadBalancer", clusterIPs: ["10.96.0.9"], ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }] },
      status: {
        loadBalancer: { ingress: [{ ip: "127.1.2.3", ports: [{ port: 80, protocol: "TCP", error: "pilothouse.dev/PortMappedTo8080" }] }] },
      },
    },
    ["x", "LoadBalancer", "10.96.0.9", "127.1.2.3", "80->8080:30080/TCP", "5m", "<none>"],
  ],
  [
    "",
    "Service",
    "headless",
    { spec: { type: "ClusterIP", clusterIPs: ["None"], ports: [] } },
    ["x", "ClusterIP", "None", "<none>", "<none>", "5m", "<none>"],
  ],
  [
    "",
    "Service",
    "ExternalName",
    { spec: { type: "ExternalName", externalName: "a.example" } },
    ["x", "ExternalName", "<none>", "a.example", "<none>", "5m", "<none>"],
  ],
  ["", "Endpoints", "none", {}, ["x", "<none>", "5m"]],
  [
    "",
    "Endpoints",
    "many",
    { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }], ports: [{ port: 80 }, { port: 443 }] }] },
    ["x", "10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 1 more...", "5m"],
  ],
  [
    "discovery.k8s.io",
    "EndpointSlice",
    "some",
    { addressType: "IPv4", ports: [{ port: 80 }, { name: "web" }, {}], endpoints: [{ addresses: ["10.0.0.1"] }] },
    ["x", "IPv4", "80,web,*", "10.0.0.1", "5m"],
  ],
  ["discovery.k8s.io", "EndpointSlice", "empty", { addressType: "IPv4", endpoints: [] }, ["x", "IPv4", "<unset>", "<unset>", "5m"]],
  [
    "",
    "Node",
    "ready",
    {
      metadata: { ...metadata, labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge" } },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "10.1.0.1" }],
        nodeInfo: { kubeletVersion: "v1", kernelVersion: "6", architecture: "amd64" },
      },
    },
    ["x", "Ready", "edge,worker", "5m", "v1", "10.1.0.1", "<none>", "<unknown>", "6 (amd64)", "<unknown>"],
  ],
  [
    "",
    "Node",
    "cordoned and silent",
    { spec: { unschedulable: true }, status: { conditions: [{ type: "Ready", status: "Unknown" }] } },
    ["x", "NotReady,SchedulingDisabled", "<none>", "5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"],
  ],
  ["", "Namespace", "terminating", { status: { phase: "Terminating" } }, ["x", "Terminating", "5m"]],
  ["", "ConfigMap", "with both kinds of data", { data: { a: "1" }, binaryData: { b: "" } }, ["x", 2, "5m"]],
  ["", "Secret", "opaque", { type: "Opaque", data: { a: "" } }, ["x", "Opaque", 1, "5m"]],
  ["", "ServiceAccount", "any", {}, ["x", "5m"]],
  [
    "",
    "Event",
    "old form",
    {
      lastTimestamp: "2026-01-05T08:59:00Z",
      firstTimestamp: "2026-01-05T08:00:00Z",
      count: 3,
      type: "Normal",
      reason: "Killing",
      involvedObject: { kind: "Pod", name: "p", fieldPath: "spec" },
      source: { component: "kubelet", host: "n" },
      message: " bye\n",
    },
    ["60s", "Normal", "Killing", "pod/p", "spec", "kubelet, n", "bye", "60m", 3, "x"],
  ],
  [
    "",
    "Event",
    "with a series",
    {
      eventTime: "2026-01-05T08:00:00.000000Z",
      series: { count: 7, lastObservedTime: "2026-01-05T08:59:30.000000Z" },
      involvedObject: { kind: "Node" },
      reportingComponent: "scheduler",
    },
    ["30s", "", "", "node", "", "scheduler", "", "60m", 7, "x"],
  ],
  [
    "events.k8s.io",
    "Event",
    "new form",
    {
      eventTime: "2026-01-05T08:59:00.000000Z",
      regarding: { kind: "Pod", name: "p" },
      note: "hello",
      reportingController: "c",
      reportingInstance: "c-1",
    },
    ["60s", "", "", "pod/p", "", "c, c-1", "hello", "60s", 1, "x"],
  ],
  [
    "",
    "PersistentVolume",
    "bound",
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace: "a", name: "b" },
        storageClassName: "fast",
        volumeMode: "Block",
      },
      status: { phase: "Bound" },
    },
    ["x", "1Gi", "RWO,RWX", "Retain", "Bound", "a/b", "fast", "<unset>", "", "5m", "Block"],
  ],
  [
    "",
    "PersistentVolumeClaim",
    "pending",
    { spec: { storageClassName: "fast" }, status: { phase: "Pending" } },
    ["x", "Pending", "", "", "", "fast", "<unset>", "5m", "<unset>"],
  ],
  [
    "",
    "PersistentVolumeClaim",
    "terminating",
    {
      metadata: { ...metadata, deletionTimestamp: "2026-01-05T08:59:00Z" },
      spec: { volumeName: "v" },
      status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOncePod"] },
    },
    ["x", "Terminating", "v", "2Gi", "RWOP", "", "<unset>", "5m", "<unset>"],
  ],
  [
    "storage.k8s.io",
    "StorageClass",
    "default",
    { metadata: { ...metadata, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } }, provisioner: "p" },
    ["x (default)", "p", "Delete", "Immediate", false, "5m"],
  ],
  [
    "networking.k8s.io",
    "Ingress",
    "with TLS",
    {
      spec: { ingressClassName: "nginx", tls: [{}], rules: [{ host: "a" }, { host: "b" }, { host: "c" }, {}, {}] },
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
    },
    ["x", "nginx", "a,b,c + 2 more...", "1.2.3.4", "80, 443", "5m"],
  ],
  ["networking.k8s.io", "Ingress", "for every host", { spec: { rules: [{}] } }, ["x", "<none>", "*", "", "80", "5m"]],
  [
    "networking.k8s.io",
    "IPAddress",
    "of a service",
    { spec: { parentRef: { group: "", resource: "services", namespace: "a", name: "b" } } },
    ["x", "services/a/b"],
  ],
  [
    "",
    "ResourceQuota",
    "used",
    { status: { hard: { pods: "10", "limits.cpu": "4", cpu: "2" }, used: { pods: "3", cpu: "1" } } },
    ["x", "cpu: 1/2, pods: 3/10", "limits.cpu: 0/4", "5m"],
  ],
  ["coordination.k8s.io", "Lease", "held", { spec: { holderIdentity: "me" } }, ["x", "me", "5m"]],
  ["scheduling.k8s.io", "PriorityClass", "plain", { value: 7, preemptionPolicy: "Never" }, ["x", 7, false, "5m", "Never"]],
  [
    "rbac.authorization.k8s.io",
    "ClusterRoleBinding",
    "of users, a group and a service account",
    {
      roleRef: { kind: "ClusterRole", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "User", name: "v" },
        { kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    },
    ["x", "ClusterRole/r", "5m", "u, v", "g", "n/s"],
  ],
  [
    "certificates.k8s.io",
    "CertificateSigningRequest",
    "issued",
    { spec: { signerName: "s", username: "u", expirationSeconds: 3600 }, status: { certificate: "x", conditions: [{ type: "Approved" }] } },
    ["x", "5m", "s", "u", "60m", "Approved,Issued"],
  ],
  ["rbac.authorization.k8s.io", "Role", "without columns of its own", {}, ["x", "2026-01-05T08:55:00Z"]],
]

test.each(rows)("%s/%s %s", (group, kind, _, parts, cells) => {
  expect(cellsOf(group, kind, parts)).toEqual(cells)
})
