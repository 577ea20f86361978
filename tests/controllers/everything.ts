import type { KubeObject } from "@pilothouse/api"
import type { StorageVersion } from "@pilothouse/api/apiserverinternal/v1alpha1"
import type { PodCertificateRequest } from "@pilothouse/api/certificates/v1beta1"
import type { ResourcePoolStatusRequest } from "@pilothouse/api/resource/v1alpha3"
import type { PodGroup } from "@pilothouse/api/scheduling/v1alpha2"
import type { StorageVersionMigration } from "@pilothouse/api/storagemigration/v1beta1"

export const namespace = "everything"

const limits = { cpu: "10m", memory: "8Mi" }

function container(image = "example/web:1") {
  return { name: "main", image, resources: { requests: limits, limits } }
}

/** Pods that are not told what to do have done it at once where they belong to a Job. */
function workload(apiVersion: string, kind: string, name: string, spec: object, image?: string): KubeObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [container(image)] } }
  const selector = apiVersion === "v1" ? { app: name } : { matchLabels: { app: name } }
  return { apiVersion, kind, metadata: { name, namespace }, spec: { selector, template, ...spec } } as KubeObject
}

function job(name: string, spec: object = {}): KubeObject {
  const template = { spec: { restartPolicy: "Never", containers: [container()] } }
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace }, spec: { template, ...spec } } as KubeObject
}

/** A volume that exists before its claim does. */
function volume(name: string, source: object): KubeObject {
  const spec = { capacity: { storage: "1Mi" }, accessModes: ["ReadWriteOnce"], storageClassName: "growing", ...source }
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec } as KubeObject
}

function claimSpec(size: string) {
  return { accessModes: ["ReadWriteOnce"], storageClassName: "directories", resources: { requests: { storage: size } } }
}

/** A request for a certificate of the node "ghost", as its kubelet sends it: PEM in base64. */
const kubeletRequest = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIdE1JR1ZBZ0VBTURNeEZUQVRCZ05WQkFvTURITjVjM1JsYlRwdWIyUmxjek",
  "VhTUJnR0ExVUVBd3dSYzNsegpkR1Z0T201dlpHVTZaMmh2YzNRd1dUQVRCZ2NxaGtqT1BRSUJCZ2dxaGtqT1BRTUJCd05DQUFRNHRQUGFEMm4y",
  "CkN3UVFXcEFxYU40UVFLbXZhS3ovd0F4QlNITUlyY0I1QWNsYXo3c0kxaFNlekRvSlVsYXlkZFlqNGhpVmpNUVYKN204bVJ1S0ptenVKb0FBd0",
  "NnWUlLb1pJemowRUF3SURSd0F3UkFJZ0cvc2hLekdKd2t0bENlcTFaaEFSa0wvbQoveFlSN2RTVWltUGZnQnUyeVFRQ0lEUVFjZFJwdlU2UFpR",
  "RE1aTGNsM3VtMnord0cvTjdma0dnQ2E5V0lSQ3owCi0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=",
].join("")

function bootstrapToken(id: string, more: object): KubeObject {
  const stringData = { "token-id": id, "token-secret": "0123456789abcdef", ...more }
  const metadata = { name: `bootstrap-token-${id}`, namespace: "kube-system" }
  return { apiVersion: "v1", kind: "Secret", type: "bootstrap.kubernetes.io/token", metadata, stringData } as KubeObject
}

/** What lives outside of the namespace and stays, but for a token that has expired. */
export const surroundings: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "directories" },
    provisioner: "kubernetes.io/host-path",
    reclaimPolicy: "Delete",
  } as KubeObject,
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "growing" },
    provisioner: "kubernetes.io/no-provisioner",
    allowVolumeExpansion: true,
  } as KubeObject,
  volume("attached", { csi: { driver: "csi.example.com", volumeHandle: "disk-1" } }),
  volume("expanded", { awsElasticBlockStore: { volumeID: "disk-2" } }),
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "unbound" },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }] },
      validations: [{ expression: "object.metadata.name != ''" }],
    },
  } as KubeObject,
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: "gold" },
    driverName: "csi.example.com",
    parameters: { iops: "100" },
  } as KubeObject,
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "part", labels: { part: "of-whole" } },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  } as KubeObject,
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "whole" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "of-whole" } }] },
  } as KubeObject,
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig: "some: kubeconfig" },
  } as KubeObject,
  { apiVersion: "resource.k8s.io/v1", kind: "DeviceClass", metadata: { name: "gpus" }, spec: {} } as KubeObject,
  // Its taint is tolerated for a moment only: the pod that gets it has to go.
  {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name: "gpus" },
    spec: {
      driver: "gpu.example.com",
      allNodes: true,
      pool: { name: "gpus", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "gpu-0", taints: [{ key: "hot", effect: "NoExecute", timeAdded: "2020-01-01T00:00:00Z" }] }],
    },
  } as KubeObject,
  bootstrapToken("abcdef", { "usage-bootstrap-signing": "true" }),
  bootstrapToken("fedcba", { expiration: "2020-01-01T00:00:00Z" }),
  {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "of-a-kubelet" },
    spec: {
      request: kubeletRequest,
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  } as KubeObject,
]

function of(apiVersion: string, kind: string, name: string, more: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, ...more } as KubeObject
}

/** One of each kind that a controller cares about. */
export function oneOfEverything({
  replicas = 2,
  image,
}: {
  readonly replicas?: number
  readonly image?: string
} = {}): readonly KubeObject[] {
  const tokenType = { type: "kubernetes.io/service-account-token" }
  const token = { name: "token", namespace, annotations: { "kubernetes.io/service-account.name": "default" } }
  const target = { apiVersion: "apps/v1", kind: "Deployment", name: "scaled" }
  const service = { selector: { app: "deployment" }, ports: [{ port: 80 }] }
  const mounted = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "claim" } }] }
  const ephemeral = { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claimSpec("1Mi") } } }] }
  return [
    of("v1", "ResourceQuota", "quota", { spec: { hard: { pods: "100", "count/configmaps": "20", "requests.storage": "1Gi" } } }),
    of("v1", "LimitRange", "limits", { spec: { limits: [{ type: "Container", default: limits, defaultRequest: limits }] } }),
    of("v1", "ConfigMap", "settings", { data: { a: "b" } }),
    of("v1", "ServiceAccount", "robot"),
    { ...of("v1", "Secret", "token", tokenType), metadata: token } as KubeObject,
    of("v1", "Service", "web", { spec: service }),
    of("v1", "Service", "headless", { spec: { ...service, clusterIP: "None" } }),
    of("v1", "Service", "outside", { spec: { ports: [{ port: 5432 }] } }),
    of("v1", "Endpoints", "outside", { subsets: [{ addresses: [{ ip: `192.0.2.${replicas}` }], ports: [{ port: 5432 }] }] }),
    of("v1", "PersistentVolumeClaim", "claim", { spec: claimSpec("1Mi") }),
    of("v1", "PersistentVolumeClaim", "attached", { spec: { ...claimSpec("1Mi"), storageClassName: "growing", volumeName: "attached" } }),
    of("v1", "PersistentVolumeClaim", "expanded", { spec: { ...claimSpec("1Mi"), storageClassName: "growing", volumeName: "expanded" } }),
    of("v1", "Pod", "attaching", {
      spec: { containers: [container()], volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "attached" } }] },
    }),
    of("v1", "Pod", "alone", { spec: { containers: [container()], ...mounted } }),
    of("v1", "Pod", "scratching", { spec: { containers: [container()], ...ephemeral } }),
    of("v1", "Pod", "computing", {
      spec: { containers: [container()], resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "devices" }] },
    }),
    of("v1", "Pod", "burning", { spec: { containers: [container()], resourceClaims: [{ name: "gpu", resourceClaimName: "devices" }] } }),
    workload("apps/v1", "Deployment", "deployment", { replicas }, image),
    workload("apps/v1", "Deployment", "scaled", {}),
    workload("apps/v1", "ReplicaSet", "replicaset", { replicas }),
    workload("v1", "ReplicationController", "controller", { replicas }),
    workload("apps/v1", "DaemonSet", "daemon", {}, image),
    workload("apps/v1", "StatefulSet", "stateful", {
      replicas,
      serviceName: "headless",
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec("1Mi") }],
      template: { metadata: { labels: { app: "stateful" } }, spec: { containers: [container(image)] } },
    }),
    job("job", { completions: 3, parallelism: 2 }),
    job("job-with-an-end", { ttlSecondsAfterFinished: 30 }),
    of("batch/v1", "CronJob", "cronjob", { spec: { schedule: "* * * * *", jobTemplate: { spec: (job("x") as { spec?: unknown }).spec } } }),
    of("policy/v1", "PodDisruptionBudget", "budget", { spec: { minAvailable: 1, selector: { matchLabels: { app: "deployment" } } } }),
    of("autoscaling/v2", "HorizontalPodAutoscaler", "scaler", { spec: { scaleTargetRef: target, minReplicas: 3, maxReplicas: 5 } }),
    ...onlyToBeDeleted(),
  ]
}

/** Of the other kinds, which concern the namespace controller alone. What the controllers make themselves (EndpointSlices, ControllerRevisions …) is left to them. */
function onlyToBeDeleted(): readonly KubeObject[] {
  const rbac = "rbac.authorization.k8s.io"
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [container()] } }
  const tolerations = [{ key: "hot", operator: "Exists", tolerationSeconds: 1 }]
  const devices = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpus", tolerations } }] } }
  const missing = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "missing" } }] } }
  return [
    of("networking.k8s.io/v1", "NetworkPolicy", "policy", { spec: { podSelector: {} } }),
    of("networking.k8s.io/v1", "Ingress", "ingress", { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } }),
    of(`${rbac}/v1`, "Role", "role", { rules: [] }),
    of(`${rbac}/v1`, "RoleBinding", "binding", {
      roleRef: { apiGroup: rbac, kind: "Role", name: "role" },
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace }],
    }),
    of("v1", "PodTemplate", "template", { template }),
    of("coordination.k8s.io/v1", "Lease", "lease", { spec: { holderIdentity: "me" } }),
    of("storage.k8s.io/v1", "CSIStorageCapacity", "capacity", { storageClassName: "directories", capacity: "1Gi" }),
    {
      ...of("resource.k8s.io/v1", "ResourceClaim", "devices", { spec: devices }),
      // As of a claim that was allocated once: it holds up the namespace until the controller has seen that no pod uses it.
      metadata: { name: "devices", namespace, finalizers: ["resource.kubernetes.io/delete-protection"] },
    } as KubeObject,
    of("resource.k8s.io/v1", "ResourceClaimTemplate", "devices", { spec: { spec: missing } }),
  ]
}

const [certificates, migrations] = ["certificates.k8s.io/v1beta1", "storagemigration.k8s.io/v1beta1"] as const
const [versions, pools, groups] = ["internal.apiserver.k8s.io/v1alpha1", "resource.k8s.io/v1alpha3", "scheduling.k8s.io/v1alpha2"] as const

/** Versions that are off by default, and objects of them: for clusters that run their controllers too. */
export const versionsOffByDefault: readonly string[] = [certificates, migrations, versions, pools, groups]
const migration: StorageVersionMigration = {
  apiVersion: migrations,
  kind: "StorageVersionMigration",
  metadata: { name: "secrets" },
  spec: { resource: { group: "", resource: "secrets" } },
}
const certificateRequest: PodCertificateRequest = {
  apiVersion: certificates,
  kind: "PodCertificateRequest",
  metadata: { name: "certificate", namespace },
  spec: {
    signerName: "example.com/signer",
    podName: "pod",
    podUID: "1",
    serviceAccountName: "robot",
    serviceAccountUID: "2",
    nodeName: "node",
    nodeUID: "3",
    // Of a key that is gone.
    stubPKCS10Request:
      "MIGLMD8CAQAwDDEKMAgGA1UEAwwBdTAqMAUGAytlcAMhAH2rKa2eqhGmhWFTwxJRKaJeyizm+wm/RV4o//p3/lQToAAwBQYDK2VwA0EApZnhm9Tmu2/DKUSDbrZUIbrSoLg1iFEBqiPWwQGRleMlDR6tqqRHQesGA/EVPBIvP3d7FHOi4fXfwYa9lAstCg==",
  },
}
const poolStatusRequest: ResourcePoolStatusRequest = {
  apiVersion: pools,
  kind: "ResourcePoolStatusRequest",
  metadata: { name: "pools" },
  spec: { driver: "none.example.com" },
}
const podGroup: PodGroup = {
  apiVersion: groups,
  kind: "PodGroup",
  metadata: { name: "group", namespace },
  spec: { schedulingPolicy: { gang: { minCount: 1 } } },
}
/** Its status comes with `storedByGoneServer`. */
const storageVersion: StorageVersion = { apiVersion: versions, kind: "StorageVersion", metadata: { name: "apps.deployments" }, spec: {} }
export const objectsOffByDefault: readonly KubeObject[] = [migration, certificateRequest, poolStatusRequest, podGroup, storageVersion]

/** The certificate of an authority whose key is gone. */
export const rootCa = `-----BEGIN CERTIFICATE-----
MIIBgDCCASegAwIBAgIUbBwvRwTPd8DI7JlXqpbql2q1CpwwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMTkwNTA0MDhaGA8yMTI2MTAy
NjA1MDQwOFowFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABEGpyG6zZ+jWP7kuLgS6Q/qDhNsRNZ7koTpe8lrAwjcEKKdGuQsy
SvpvZRadaCBygMrY3A0iFU9L1DhWY93746ejUzBRMB0GA1UdDgQWBBTOPKJELah4
iK4FtgLoAzvyEYXP3zAfBgNVHSMEGDAWgBTOPKJELah4iK4FtgLoAzvyEYXP3zAP
BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCICB/zzGBJR198yc9qWlB
JXq/muv467h27Csdnb/xVsmkAiAT7WhLg5+5UH0E3mxXZ+SBF9WznqbRuanRNaAm
OVNzUA==
-----END CERTIFICATE-----
`
