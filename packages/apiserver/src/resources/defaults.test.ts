import { expect, test } from "vitest"
import { everyWay, objectIn } from "../testing/server.ts"

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx:1.2" }] } }
const selector = { matchLabels: { a: "b" } }
const finite = { ...template, spec: { ...template.spec, restartPolicy: "Never" } }
const hook = {
  name: "a.b.c",
  clientConfig: { service: { namespace: "n", name: "s" } },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
}
const hooked = {
  clientConfig: { service: { port: 443 } },
  rules: [{ scope: "*" }],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
}
const matched = { resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }] }
const matching = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {}, resourceRules: [{ scope: "*" }] }
const mutation = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }
const queuing = { limitResponse: { type: "Queue", queuing: {} } }

/** What is sent, and what must be in the answer (spec 1.11). */
const rows: readonly [path: string, body: object, expected: object][] = [
  [
    "/apis/apps/v1/namespaces/default/deployments",
    { spec: { selector, template } },
    {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: {
          spec: {
            restartPolicy: "Always",
            dnsPolicy: "ClusterFirst",
            terminationGracePeriodSeconds: 30,
            schedulerName: "default-scheduler",
            securityContext: {},
            containers: [
              { imagePullPolicy: "IfNotPresent", terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
            ],
          },
        },
      },
    },
  ],
  [
    "/apis/apps/v1/namespaces/default/daemonsets",
    { spec: { selector, template } },
    {
      metadata: { annotations: { "deprecated.daemonset.template.generation": "1" } },
      spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }, revisionHistoryLimit: 10 },
    },
  ],
  [
    "/apis/apps/v1/namespaces/default/statefulsets",
    { spec: { selector, template, serviceName: "s" } },
    {
      spec: {
        replicas: 1,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      },
    },
  ],
  ["/apis/apps/v1/namespaces/default/replicasets", { spec: { selector, template } }, { spec: { replicas: 1 }, status: { replicas: 0 } }],
  [
    "/api/v1/namespaces/default/replicationcontrollers",
    { spec: { template } },
    { metadata: { labels: { a: "b" } }, spec: { replicas: 1, selector: { a: "b" } } },
  ],
  [
    "/apis/batch/v1/namespaces/default/jobs",
    { spec: { template: finite } },
    {
      metadata: { labels: { a: "b" } },
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        podReplacementPolicy: "TerminatingOrFailed",
        template: { metadata: { labels: { a: "b", "batch.kubernetes.io/job-name": "x", "job-name": "x" } } },
      },
    },
  ],
  [
    "/apis/batch/v1/namespaces/default/cronjobs",
    { spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: finite } } } },
    { spec: { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 } },
  ],
  [
    "/api/v1/namespaces/default/services",
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        type: "ClusterIP",
        sessionAffinity: "None",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      },
      status: { loadBalancer: {} },
    },
  ],
  ["/api/v1/namespaces/default/secrets", { stringData: { k: "v" } }, { type: "Opaque", data: { k: "dg==" } }],
  [
    "/api/v1/namespaces/default/persistentvolumeclaims",
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    { spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } },
  ],
  [
    "/api/v1/persistentvolumes",
    { spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } } },
    { spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", hostPath: { type: "" } }, status: { phase: "Pending" } },
  ],
  ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "p" }, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", { value: 5 }, { preemptionPolicy: "PreemptLowerPriority", metadata: { generation: 1 } }],
  [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    { spec: { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 } },
    {
      spec: {
        minReplicas: 1,
        metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
      },
    },
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
    { spec: { podSelector: {} } },
    { spec: { podSelector: {}, policyTypes: ["Ingress"] } },
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
    { addressType: "IPv4", endpoints: [], ports: [{ port: 80 }] },
    { ports: [{ name: "", protocol: "TCP", port: 80 }] },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    { roleRef: { kind: "ClusterRole", name: "view" }, subjects: [{ kind: "User", name: "u" }] },
    { roleRef: { apiGroup: "rbac.authorization.k8s.io" }, subjects: [{ apiGroup: "rbac.authorization.k8s.io" }] },
  ],
  [
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } } },
    { spec: { devices: { requests: [{ exactly: { allocationMode: "ExactCount", count: 1 } }] } } },
  ],
  [
    "/api/v1/namespaces/default/podtemplates",
    { template },
    { metadata: { generation: 1 }, template: { spec: { restartPolicy: "Always", containers: [{ imagePullPolicy: "IfNotPresent" }] } } },
  ],
  ["/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", { webhooks: [hook] }, { webhooks: [hooked] }],
  [
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    { webhooks: [hook] },
    { webhooks: [{ ...hooked, reinvocationPolicy: "Never" }] },
  ],
  [
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    { spec: { matchConstraints: matched, validations: [{ expression: "true" }] } },
    { metadata: { generation: 1 }, spec: { failurePolicy: "Fail", matchConstraints: matching }, status: {} },
  ],
  [
    "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
    { spec: { matchConstraints: matched, mutations: [mutation], reinvocationPolicy: "Never" } },
    { metadata: { generation: 1 }, spec: { failurePolicy: "Fail", matchConstraints: matching } },
  ],
  [
    "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings",
    { spec: { policyName: "p", matchResources: matched } },
    { metadata: { generation: 1 }, spec: { matchResources: matching } },
  ],
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    { spec: { priorityLevelConfiguration: { name: "p" } } },
    { spec: { matchingPrecedence: 1000 }, status: {} },
  ],
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    { spec: { type: "Limited", limited: queuing } },
    {
      spec: {
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: { queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
        },
      },
      status: {},
    },
  ],
  [
    "/apis/storage.k8s.io/v1/csidrivers",
    {},
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        volumeLifecycleModes: ["Persistent"],
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  ],
  [
    "/apis/storage.k8s.io/v1/volumeattachments",
    { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } },
    { status: { attached: false } },
  ],
  [
    "/apis/networking.k8s.io/v1/ingressclasses",
    { spec: { controller: "a/b", parameters: { kind: "C", name: "c" } } },
    { spec: { parameters: { scope: "Cluster" } } },
  ],
  ["/api/v1/nodes", { status: { capacity: { cpu: "2" } } }, { status: { capacity: { cpu: "2" }, allocatable: { cpu: "2" } } }],
  [
    "/api/v1/namespaces/default/limitranges",
    { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } },
    { spec: { limits: [{ max: { cpu: "2" }, default: { cpu: "2" }, defaultRequest: { cpu: "2" } }] } },
  ],
]

everyWay("defaults", (testServer) => {
  test.each(rows)("%s", async (path, body, expected) => {
    const api = testServer()
    const made = objectIn(await api.post(path, { metadata: { name: "x" }, ...body }), 201)
    expect(made).toMatchObject(expected)
    // Defaulting what is stored changes nothing: the same body is no write.
    expect(objectIn(await api.put(`${path}/x`, made)).metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  })

  test("a job selects by its own uid", async () => {
    const api = testServer()
    const made = objectIn(
      await api.post("/apis/batch/v1/namespaces/default/jobs", { metadata: { name: "x" }, spec: { template: finite } }),
      201,
    )
    expect(made.spec).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": made.metadata.uid } },
      template: { metadata: { labels: { "batch.kubernetes.io/controller-uid": made.metadata.uid, "controller-uid": made.metadata.uid } } },
    })
  })

  test("a job without labels has its template's, the server's own among them; one with labels keeps to them (seen)", async () => {
    const api = testServer()
    const jobs = "/apis/batch/v1/namespaces/default/jobs"
    const labelsOf = async (metadata: object, spec: object) =>
      objectIn(await api.post(jobs, { metadata, spec: { template: spec } }), 201).metadata
    const own = await labelsOf({ name: "x" }, finite)
    expect(own.labels).toMatchObject({ a: "b", "job-name": "x", "controller-uid": own.uid })
    expect((await labelsOf({ name: "v", labels: {} }, finite)).labels).toMatchObject({ a: "b", "job-name": "v" })
    expect((await labelsOf({ name: "z" }, { spec: finite.spec })).labels).toMatchObject({ "job-name": "z" })
    expect((await labelsOf({ name: "w", labels: { c: "d" } }, finite)).labels).toEqual({ c: "d" })
    expect((await labelsOf({ name: "same", labels: { a: "b" } }, finite)).labels).toEqual({ a: "b" })
    const both = await labelsOf({ name: "both", generateName: "y-" }, finite)
    expect(both.labels).toMatchObject({ a: "b", "job-name": "both" })
  })

  test("a job of a generated name has its template's labels as they were given; the server's own where there were none (seen)", async () => {
    const api = testServer()
    const made = async (metadata: object, template: object) =>
      objectIn(
        await api.post("/apis/batch/v1/namespaces/default/jobs", { metadata: { generateName: "y-", ...metadata }, spec: { template } }),
        201,
      ).metadata
    expect((await made({}, finite)).labels).toEqual({ a: "b" })
    expect((await made({ labels: { a: "b" } }, finite)).labels).toEqual({ a: "b" })
    const bare = await made({}, { spec: finite.spec })
    expect(bare.labels).toMatchObject({ "job-name": bare.name, "controller-uid": bare.uid })
  })

  test("a job whose labels are taken away has its template's again (seen)", async () => {
    const api = testServer()
    const path = "/apis/batch/v1/namespaces/default/jobs"
    const made = objectIn(await api.post(path, { metadata: { name: "x", labels: { c: "d" } }, spec: { template: finite } }), 201)
    const put = objectIn(await api.put(`${path}/x`, { ...made, metadata: { ...made.metadata, labels: {} } }))
    expect(put.metadata.labels).toMatchObject({ a: "b", "job-name": "x" })
  })

  test("one HPA is seen in both versions", async () => {
    const api = testServer()
    const spec = {
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    }
    await api.post("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", { metadata: { name: "x" }, spec })
    const v2 = objectIn(await api.get("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/x"))
    expect(v2).toMatchObject({ apiVersion: "autoscaling/v2", spec: { metrics: [{ resource: { target: { averageUtilization: 50 } } }] } })
    const v1 = objectIn(await api.get("/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/x"))
    expect(v1.spec).toMatchObject({ targetCPUUtilizationPercentage: 50 })
  })
})
