import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"

const container = { name: "c", image: "i" }
const labels = { a: "b" }
const selector = { matchLabels: labels }
const template = { metadata: { labels }, spec: { containers: [container] } }
const finite = { spec: { restartPolicy: "Never", containers: [container] } }
const pod = (spec: object) => ({ containers: [container], ...spec })
const port = { port: 80 }

/** By the plural: where it lives, and a body that is good. */
const kinds: Readonly<Record<string, readonly [path: string, good: object]>> = {
  deployments: ["/apis/apps/v1/namespaces/default/deployments", { spec: { selector, template } }],
  replicasets: ["/apis/apps/v1/namespaces/default/replicasets", { spec: { selector, template } }],
  daemonsets: ["/apis/apps/v1/namespaces/default/daemonsets", { spec: { selector, template } }],
  statefulsets: ["/apis/apps/v1/namespaces/default/statefulsets", { spec: { selector, template, serviceName: "s" } }],
  jobs: ["/apis/batch/v1/namespaces/default/jobs", { spec: { template: finite } }],
  cronjobs: [
    "/apis/batch/v1/namespaces/default/cronjobs",
    { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: finite } } } },
  ],
  pods: ["/api/v1/namespaces/default/pods", { spec: pod({}) }],
  services: ["/api/v1/namespaces/default/services", { spec: { ports: [port] } }],
  configmaps: ["/api/v1/namespaces/default/configmaps", { data: { a: "b" }, immutable: true }],
  secrets: ["/api/v1/namespaces/default/secrets", { data: { a: "eA==" }, immutable: true }],
  priorityclasses: ["/apis/scheduling.k8s.io/v1/priorityclasses", { value: 1 }],
  endpointslices: ["/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", { addressType: "IPv4", endpoints: [] }],
  poddisruptionbudgets: ["/apis/policy/v1/namespaces/default/poddisruptionbudgets", { spec: { minAvailable: 1 } }],
  leases: ["/apis/coordination.k8s.io/v1/namespaces/default/leases", {}],
  horizontalpodautoscalers: [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "D", name: "d" } } },
  ],
  rolebindings: ["/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", { roleRef: { kind: "Role", name: "r" } }],
}

const bad: readonly [what: string, kind: string, body: object, cause: RegExp, name?: string][] = [
  ...["deployments", "replicasets", "statefulsets"].map((kind): [string, string, object, RegExp] => [
    "no selector",
    kind,
    { spec: { template } },
    /spec\.selector: Required value/,
  ]),
  ...["deployments", "replicasets", "statefulsets", "daemonsets"].flatMap((kind): [string, string, object, RegExp][] => [
    ["an empty selector", kind, { spec: { selector: {}, template } }, /spec\.selector: Invalid value.*empty selector is invalid/],
    [
      "a selector of others",
      kind,
      { spec: { selector: { matchLabels: { x: "y" } }, template } },
      /spec\.template\.metadata\.labels: Invalid value.*`selector` does not match template `labels`/,
    ],
    [
      "pods that end",
      kind,
      { spec: { selector, template: { ...template, spec: pod({ restartPolicy: "Never" }) } } },
      /spec\.template\.spec\.restartPolicy: Unsupported value: "Never": supported values: "Always"/,
    ],
  ]),
  [
    "no room to move",
    "deployments",
    { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } } },
    /rollingUpdate\.maxUnavailable: Invalid value.*may not be 0 when `maxSurge` is 0/,
  ],
  [
    "a rolling Recreate",
    "deployments",
    { spec: { selector, template, strategy: { type: "Recreate", rollingUpdate: {} } } },
    /spec\.strategy\.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'/,
  ],
  [
    "a deadline before anything is ready",
    "deployments",
    { spec: { selector, template, minReadySeconds: 9, progressDeadlineSeconds: 9 } },
    /spec\.progressDeadlineSeconds: Invalid value: 9: must be greater than minReadySeconds/,
  ],
  [
    "pods that go on",
    "jobs",
    { spec: { template } },
    /spec\.template\.spec\.restartPolicy: Required value: valid values: "OnFailure", "Never"/,
  ],
  ["no schedule", "cronjobs", { spec: { jobTemplate: { spec: { template: finite } } } }, /spec\.schedule: Required value/],
  ["a schedule that is none", "cronjobs", cron({ schedule: "often" }), /spec\.schedule: Invalid value: "often"/],
  ["a zone in the schedule", "cronjobs", cron({ schedule: "TZ=UTC * * * * *" }), /cannot use TZ or CRON_TZ in schedule/],
  ["an unknown zone", "cronjobs", cron({ timeZone: "Moon/Sea" }), /spec\.timeZone: Invalid value: "Moon\/Sea": unknown time zone/],
  ["a long name", "cronjobs", cron({}), /metadata\.name: Invalid value: .*must be no more than 52 characters/, "x".repeat(53)],
  ["no containers", "pods", { spec: { containers: [] } }, /spec\.containers: Required value/],
  ["two of one name", "pods", { spec: { containers: [container, container] } }, /spec\.containers\[1\]\.name: Duplicate value: "c"/],
  ["no image", "pods", { spec: { containers: [{ name: "c" }] } }, /spec\.containers\[0\]\.image: Required value/],
  [
    "more asked for than allowed",
    "pods",
    { spec: { containers: [{ ...container, resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }] } },
    /resources\.requests: Invalid value: "2": must be less than or equal to cpu limit of 1/,
  ],
  [
    "a mount of nothing",
    "pods",
    { spec: { containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/x" }] }] } },
    /volumeMounts\[0\]\.name: Not found: "v"/,
  ],
  [
    "an init container that is looked after",
    "pods",
    { spec: pod({ initContainers: [{ name: "i", image: "i", livenessProbe: { exec: { command: ["a"] } } }] }) },
    /initContainers\[0\]\.livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always/,
  ],
  ["no ports", "services", { spec: {} }, /spec\.ports: Required value/],
  [
    "one port twice",
    "services",
    {
      spec: {
        ports: [
          { ...port, name: "a" },
          { ...port, name: "b" },
        ],
      },
    },
    /spec\.ports\[1\]: Duplicate value: /,
  ],
  [
    "one name twice",
    "services",
    {
      spec: {
        ports: [
          { port: 1, name: "a" },
          { port: 2, name: "a" },
        ],
      },
    },
    /spec\.ports\[1\]\.name: Duplicate value: "a"/,
  ],
  [
    "a node port out of range",
    "services",
    { spec: { type: "NodePort", ports: [{ ...port, nodePort: 80 }] } },
    /spec\.ports\[0\]\.nodePort: Invalid value: 80: provided port is not in the valid range/,
  ],
  ["too much", "configmaps", { data: { a: "x".repeat(1_048_577) } }, /Too long: may not be more than 1048576 bytes/],
  ["too much", "secrets", { stringData: { a: "x".repeat(1_048_577) } }, /data: Too long: may not be more than 1048576 bytes/],
  ["no key for its type", "secrets", { type: "kubernetes.io/tls" }, /data\[tls\.crt\]: Required value/],
  ["a reserved name", "priorityclasses", { value: 1 }, /metadata\.name: Forbidden: priority class names with 'system-' prefix/, "system-x"],
  ["an address of this host", "endpointslices", slice(["127.0.0.1"]), /may not be in the loopback range/],
  ["an address of this link", "endpointslices", slice(["169.254.1.1"]), /may not be in the link-local range/],
  [
    "too many",
    "endpointslices",
    slice(Array.from({ length: 1001 }, () => "10.0.0.1")),
    /endpoints: Too many: 1001: must have at most 1000 items/,
  ],
  [
    "both bounds",
    "poddisruptionbudgets",
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    /minAvailable and maxUnavailable cannot be both set/,
  ],
  [
    "less than one",
    "horizontalpodautoscalers",
    scaler({ minReplicas: 0 }),
    /spec\.minReplicas: Invalid value: 0: must be greater than or equal to 1/,
  ],
  [
    "less than its least",
    "horizontalpodautoscalers",
    scaler({ minReplicas: 3 }),
    /spec\.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`/,
  ],
  [
    "no time at all",
    "leases",
    { spec: { leaseDurationSeconds: 0 } },
    /spec\.leaseDurationSeconds: Invalid value: 0: must be greater than 0/,
  ],
]

/** Good ones that are changed in what does not change. */
const fixed: readonly [what: string, kind: string, change: object, cause: RegExp][] = [
  ...["deployments", "replicasets", "daemonsets"].map((kind): [string, string, object, RegExp] => [
    "selector",
    kind,
    { spec: { selector: { matchLabels: { a: "b", c: "d" } }, template: { metadata: { labels: { c: "d" } } } } },
    /spec\.selector: Invalid value: .*field is immutable/,
  ]),
  ["service", "statefulsets", { spec: { serviceName: "t" } }, /updates to statefulset spec for fields other than/],
  [
    "mode of completion",
    "jobs",
    { spec: { completionMode: "Indexed" } },
    /spec\.completionMode: Invalid value: "Indexed": field is immutable/,
  ],
  ["selector", "jobs", { spec: { selector: { matchLabels: { x: "y" } } } }, /spec\.selector: Invalid value: .*field is immutable/],
  ["template", "jobs", { spec: { template: { spec: { hostname: "h" } } } }, /spec\.template: Invalid value: .*field is immutable/],
  ["address", "services", { spec: { clusterIP: "10.96.0.77", clusterIPs: ["10.96.0.77"] } }, /may not change once set/],
  ["data", "configmaps", { data: { a: "c" } }, /data: Forbidden: field is immutable when `immutable` is set/],
  ["data", "secrets", { data: { a: "eQ==" } }, /data: Forbidden: field is immutable when `immutable` is set/],
  ["type", "secrets", { type: "a/b" }, /type: Invalid value: "a\/b": field is immutable/],
  ["value", "priorityclasses", { value: 2 }, /value: Forbidden: may not be changed in an update/],
  ["family", "endpointslices", { addressType: "IPv6" }, /addressType: Invalid value: "IPv6": field is immutable/],
  ["role", "rolebindings", { roleRef: { name: "q" } }, /roleRef: Invalid value: .*cannot change roleRef/],
]

function cron(spec: object): object {
  return { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: finite } }, ...spec } }
}

function slice(addresses: readonly string[]): object {
  return { addressType: "IPv4", endpoints: addresses.map((address) => ({ addresses: [address] })) }
}

function scaler(spec: object): object {
  return { spec: { ...(kinds["horizontalpodautoscalers"]![1] as { spec: object }).spec, ...spec } }
}

function make(api: TestServer, kind: string, body: object, name = "x") {
  return api.post(kinds[kind]![0], { metadata: { name }, ...body })
}

everyWay("the floor of validation, row by row (spec 1.12)", (testServer) => {
  test.each(bad)("%s: %s is refused", async (_what, kind, body, cause, name) => {
    const status = statusIn(await make(testServer(), kind, body, name))
    expect(status).toMatchObject({ code: 422, reason: "Invalid" })
    expect(status.message).toMatch(cause)
    expect(status.details?.causes?.length).toBeGreaterThan(0)
  })

  test.each(fixed)("the %s of %s does not change", async (_what, kind, change, cause) => {
    const api = testServer()
    objectIn(await make(api, kind, kinds[kind]![1]), 201)
    const status = statusIn(await api.patch(`${kinds[kind]![0]}/x`, "merge", change))
    expect(status).toMatchObject({ code: 422, reason: "Invalid" })
    expect(status.message).toMatch(cause)
  })
})
