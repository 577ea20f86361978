import type { Draw } from "../../api/draw.ts"
import { isRecord, type JsonObject, type SampleObject } from "../../api/objects/object.ts"

/** Few, so that managers often meet at one field. */
const words = ["a", "b", "c"]

export type Change = (draw: Draw) => JsonObject

/** What every kind has. */
export function metadataChange(draw: Draw): JsonObject {
  return draw.pick<Change>([
    () => ({ labels: texts(draw) }),
    () => ({ labels: texts(draw), annotations: texts(draw) }),
    () => ({ annotations: texts(draw) }),
    () => ({ finalizers: draw.some(["test/a", "test/b", "test/c"], 2) }),
    () => ({ ownerReferences: draw.some([1, 2, 3], 2).map((number) => owner(number, draw)) }),
  ])(draw)
}

function texts(draw: Draw): JsonObject {
  return Object.fromEntries(draw.some(words, 2).map((key) => [key, draw.pick(words)]))
}

function owner(number: number, draw: Draw): JsonObject {
  const uid = `00000000-0000-4000-8000-00000000000${number}`
  return { apiVersion: "v1", kind: "ConfigMap", name: `n${number}`, uid, ...(draw.chance(0.3) && { blockOwnerDeletion: true }) }
}

const container: Change = (draw) => ({
  name: draw.pick(["web", "side"]),
  image: `registry.test/web:${draw.int(1, 3)}`,
  ...draw.pick<JsonObject>([
    {},
    { env: draw.some(words, 2).map((name) => ({ name: name.toUpperCase(), value: draw.pick(words) })) },
    { args: draw.some(words, 2) },
    { ports: draw.some([80, 443, 53], 2).map((containerPort) => ({ containerPort, ...(draw.chance(0.3) && { protocol: "UDP" }) })) },
    { resources: { limits: { cpu: draw.pick(["1", "1000m", "2"]) } } },
    { imagePullPolicy: draw.pick(["Always", "IfNotPresent"]) },
    { securityContext: { runAsUser: draw.int(1, 3), capabilities: { add: draw.some(["SYS_TIME", "CHOWN"], 2) } } },
  ]),
})

const podSpec: Change = (draw) =>
  draw.pick<JsonObject>([
    { containers: [container(draw)] },
    { containers: [container(draw)] },
    {
      volumes: draw
        .some(words, 2)
        .map((name) => ({ name: `v-${name}`, ...draw.pick<JsonObject>([{ emptyDir: {} }, { configMap: { name } }]) })),
    },
    { nodeSelector: texts(draw) },
    { tolerations: [{ key: draw.pick(words), operator: "Exists" }] },
    { terminationGracePeriodSeconds: draw.int(1, 3) },
    { hostAliases: [{ ip: `10.9.0.${draw.int(1, 2)}`, hostnames: [draw.pick(words)] }] },
    { imagePullSecrets: draw.some(words, 2).map((name) => ({ name })) },
    { securityContext: { runAsUser: draw.int(1, 3) } },
    { dnsConfig: { nameservers: ["10.9.0.1"], options: [{ name: draw.pick(words), value: "1" }] } },
  ])

const template: Change = (draw) => (draw.chance(0.2) ? { metadata: { labels: texts(draw) } } : { spec: podSpec(draw) })
const inTemplate: Change = (draw) => ({ spec: { template: template(draw) } })
const replicas: Change = (draw) => ({ spec: { replicas: draw.int(0, 3) } })
const spec =
  (change: Change): Change =>
  (draw) => ({ spec: change(draw) })

/** Changes of a kind's content that its rules allow, mostly. */
const changes: Readonly<Record<string, readonly Change[]>> = {
  ConfigMap: [(draw) => ({ data: texts(draw) }), (draw) => ({ binaryData: { [`x${draw.pick(words)}`]: draw.pick(["AAEC", "AQ=="]) } })],
  Secret: [(draw) => ({ data: { [draw.pick(words)]: draw.pick(["AAEC", "AQ=="]) } }), (draw) => ({ stringData: texts(draw) })],
  ServiceAccount: [
    (draw) => ({ secrets: draw.some(words, 2).map((name) => ({ name })) }),
    (draw) => ({ imagePullSecrets: draw.some(words, 2).map((name) => ({ name })) }),
    (draw) => ({ automountServiceAccountToken: draw.chance(0.5) }),
  ],
  LimitRange: [spec((draw) => ({ limits: [{ type: "PersistentVolumeClaim", max: { storage: draw.pick(["1Ti", "2Ti"]) } }] }))],
  ResourceQuota: [spec((draw) => ({ hard: { [`count/${draw.pick(words)}.test`]: draw.pick(["1", "2"]) } }))],
  Lease: [spec((draw) => ({ holderIdentity: draw.pick(words) })), spec((draw) => ({ leaseTransitions: draw.int(1, 3) }))],
  Event: [],
  Node: [
    spec((draw) => ({ taints: [{ key: draw.pick(words), effect: "NoSchedule" }] })),
    spec((draw) => ({ unschedulable: draw.chance(0.5) })),
    spec((draw) => ({ providerID: draw.pick(["test://1"]) })),
  ],
  Service: [
    spec((draw) => ({ selector: texts(draw) })),
    spec((draw) => ({ sessionAffinity: draw.pick(["None", "ClientIP"]) })),
    spec((draw) => ({ ports: draw.some([80, 81, 443], 2).map((port) => ({ name: `p${port}`, port, targetPort: draw.pick(words) })) })),
    spec((draw) => ({ externalIPs: draw.some(["192.0.2.1", "192.0.2.2"], 2) })),
    spec((draw) => ({ publishNotReadyAddresses: draw.chance(0.5) })),
  ],
  Endpoints: [(draw) => ({ subsets: [{ addresses: [{ ip: `10.9.0.${draw.int(1, 3)}` }], ports: [{ port: draw.int(1, 3) }] }] })],
  EndpointSlice: [
    (draw) => ({ endpoints: [{ addresses: [`10.9.0.${draw.int(1, 3)}`], conditions: { ready: draw.chance(0.5) } }] }),
    (draw) => ({ ports: [{ name: draw.pick(words), port: draw.int(1, 3) }] }),
  ],
  Ingress: [
    spec((draw) => ({ rules: [{ host: `${draw.pick(words)}.test` }] })),
    spec((draw) => ({ defaultBackend: { service: { name: draw.pick(words), port: { number: draw.int(1, 3) } } } })),
    spec((draw) => ({ ingressClassName: draw.pick(words) })),
  ],
  NetworkPolicy: [
    spec((draw) => ({ podSelector: { matchLabels: texts(draw) } })),
    spec((draw) => ({ policyTypes: draw.some(["Ingress", "Egress"], 2) })),
    spec((draw) => ({ ingress: [{ ports: [{ port: draw.int(1, 3) }] }] })),
  ],
  PersistentVolume: [
    spec((draw) => ({ capacity: { storage: draw.pick(["1Gi", "2Gi", "1024Mi"]) } })),
    spec((draw) => ({ persistentVolumeReclaimPolicy: draw.pick(["Retain", "Delete"]) })),
    spec((draw) => ({ mountOptions: draw.some(words, 2) })),
  ],
  Pod: [
    spec((draw) => ({ activeDeadlineSeconds: draw.int(100, 102) })),
    (draw) => ({ spec: { containers: [{ name: "web", image: `registry.test/web:${draw.int(1, 3)}` }] } }),
  ],
  PodTemplate: [(draw) => ({ template: template(draw) })],
  Deployment: [
    inTemplate,
    inTemplate,
    replicas,
    spec((draw) => ({ minReadySeconds: draw.int(1, 3), paused: draw.chance(0.5) })),
    spec((draw) => ({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: draw.pick([1, 2, "30%"]) } } })),
    spec((draw) => ({ revisionHistoryLimit: draw.int(1, 3) })),
  ],
  ReplicaSet: [inTemplate, replicas, spec((draw) => ({ minReadySeconds: draw.int(1, 3) }))],
  StatefulSet: [inTemplate, replicas, spec((draw) => ({ updateStrategy: { rollingUpdate: { partition: draw.int(1, 3) } } }))],
  DaemonSet: [inTemplate, spec((draw) => ({ minReadySeconds: draw.int(1, 3) }))],
  ReplicationController: [inTemplate, replicas],
  Job: [
    spec((draw) => ({ parallelism: draw.int(1, 3) })),
    spec((draw) => ({ suspend: draw.chance(0.5) })),
    spec((draw) => ({ activeDeadlineSeconds: draw.int(1, 3) })),
  ],
  CronJob: [
    spec((draw) => ({ schedule: `${draw.int(1, 3)} * * * *` })),
    spec((draw) => ({ suspend: draw.chance(0.5), concurrencyPolicy: draw.pick(["Allow", "Forbid"]) })),
    spec((draw) => ({ jobTemplate: { spec: { backoffLimit: draw.int(1, 3) } } })),
    spec((draw) => ({ jobTemplate: { spec: { template: template(draw) } } })),
  ],
  HorizontalPodAutoscaler: [spec((draw) => ({ maxReplicas: draw.int(5, 7) })), spec((draw) => ({ minReplicas: draw.int(1, 3) }))],
  PodDisruptionBudget: [spec((draw) => ({ unhealthyPodEvictionPolicy: draw.pick(["AlwaysAllow", "IfHealthyBudget"]) }))],
  Role: [rules()],
  ClusterRole: [rules()],
  RoleBinding: [(draw) => ({ subjects: [{ kind: "User", name: draw.pick(words), apiGroup: "rbac.authorization.k8s.io" }] })],
  ClusterRoleBinding: [(draw) => ({ subjects: [{ kind: "Group", name: draw.pick(words), apiGroup: "rbac.authorization.k8s.io" }] })],
  StorageClass: [(draw) => ({ allowVolumeExpansion: draw.chance(0.5) })],
  CSIDriver: [spec((draw) => ({ requiresRepublish: draw.chance(0.5) }))],
  CSIStorageCapacity: [(draw) => ({ capacity: draw.pick(["1Gi", "2Gi"]) })],
  PriorityClass: [(draw) => ({ description: draw.pick(words) })],
  RuntimeClass: [],
  ValidatingWebhookConfiguration: [(draw) => ({ webhooks: [{ name: "a.hook.test", timeoutSeconds: draw.int(1, 3) }] })],
  MutatingWebhookConfiguration: [(draw) => ({ webhooks: [{ name: "b.hook.test", reinvocationPolicy: draw.pick(["Never", "IfNeeded"]) }] })],
  ControllerRevision: [(draw) => ({ revision: draw.int(3, 6) })],
}

function rules(): Change {
  return (draw) => ({ rules: [{ apiGroups: [""], resources: ["pods"], verbs: draw.some(["get", "list", "watch"], 2) }] })
}

export function changesOf(sample: SampleObject): readonly Change[] {
  const known = changes[sample.kind] ?? []
  // An aggregated role has its rules from others, an immutable secret keeps what it has.
  return sample.immutable === true || isRecord(sample.aggregationRule) ? [] : known
}

const time = "2024-01-02T03:04:05Z"
const condition = (type: string, status: string): JsonObject => ({ type, status, reason: "R", message: "m", lastTransitionTime: time })
const conditions = [
  { conditions: [condition("A", "True")] },
  { conditions: [condition("A", "False")] },
  { conditions: [condition("B", "True")] },
]
const counted = [{ replicas: 1 }, { replicas: 2, readyReplicas: 1 }, { observedGeneration: 1 }]
const balanced = [{ loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } }, { loadBalancer: { ingress: [{ hostname: "a.test" }] } }]

const statuses: Readonly<Record<string, readonly JsonObject[]>> = {
  Pod: [
    ...conditions,
    { phase: "Pending" },
    { nominatedNodeName: "n" },
    { message: "m" },
    { hostIP: "192.0.2.1", hostIPs: [{ ip: "192.0.2.1" }] },
  ],
  Node: [
    ...conditions,
    { allocatable: { cpu: "1" } },
    { allocatable: { cpu: "1000m", memory: "1Gi" } },
    { nodeInfo: { kernelVersion: "1" } },
  ],
  Namespace: conditions,
  Service: [...balanced, ...conditions],
  Ingress: balanced,
  Deployment: [...conditions, ...counted],
  ReplicaSet: [...conditions, ...counted],
  StatefulSet: [...conditions, ...counted],
  DaemonSet: [...conditions, { currentNumberScheduled: 1, desiredNumberScheduled: 2, numberMisscheduled: 0, numberReady: 1 }],
  ReplicationController: [...conditions, ...counted],
  Job: [{ active: 1, startTime: time }, { ready: 1 }, ...conditions],
  CronJob: [{ lastScheduleTime: time }, { active: [{ kind: "Job", name: "a" }] }],
  PodDisruptionBudget: [...conditions, { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 }],
  HorizontalPodAutoscaler: [{ currentReplicas: 1, desiredReplicas: 2 }, { observedGeneration: 2 }],
  PersistentVolume: [{ phase: "Available" }, { phase: "Released", reason: "R" }],
  PersistentVolumeClaim: [{ phase: "Bound", capacity: { storage: "1Gi" } }, { capacity: { storage: "1024Mi" } }],
  ResourceQuota: [{ used: { persistentvolumeclaims: "1" } }, { hard: { persistentvolumeclaims: "100" } }],
  VolumeAttachment: [{ attached: true }, { attachmentMetadata: { a: "b" } }],
  FlowSchema: conditions,
  PriorityLevelConfiguration: conditions,
  ServiceCIDR: conditions,
  ValidatingAdmissionPolicy: [...conditions, { observedGeneration: 1 }],
}

export function statusesOf(kind: string): readonly JsonObject[] {
  return statuses[kind] ?? []
}
