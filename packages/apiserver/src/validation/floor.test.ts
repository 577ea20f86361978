import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const causesOf = (answer: Parameters<typeof statusIn>[0]) =>
  (statusIn(answer).details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)

const quota = (spec: object) => ({ metadata: { name: "q" }, spec })

everyWay("the floor of validation", (testServer) => {
  test.each([
    ["an unknown name", { hard: { apples: "1" } }, 'spec.hard[apples]: Invalid value: "apples": must be a standard resource for quota'],
    ["less than nothing", { hard: { cpu: "-1" } }, 'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ["half a pod", { hard: { pods: "500m" } }, 'spec.hard[pods]: Invalid value: "500m": must be an integer'],
    ["an unknown scope", { hard: { pods: "1" }, scopes: ["Sunny"] }, 'spec.scopes: Invalid value: ["Sunny"]: unsupported scope'],
    [
      "a scope that does not count it",
      { hard: { cpu: "1" }, scopes: ["BestEffort"] },
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ],
    [
      "two scopes of which none has both",
      { hard: { pods: "1" }, scopes: ["BestEffort", "NotBestEffort"] },
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
    [
      "a list of no classes",
      { hard: { pods: "1" }, scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In" }] } },
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ])("a quota of %s is refused", async (_what, spec, cause) => {
    const answer = await testServer().post(`${core}/resourcequotas`, quota(spec))
    expect(answer.status).toBe(422)
    expect(causesOf(answer)).toContain(cause)
  })

  test("a quota counts what has a domain, and keeps its scopes", async () => {
    const api = testServer()
    const hard = {
      "requests.nvidia.com/gpu": "4",
      "count/deployments.apps": "2",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
    }
    objectIn(await api.post(`${core}/resourcequotas`, quota({ hard })), 201)
    const answer = await api.patch(`${core}/resourcequotas/q`, "merge", { spec: { scopes: ["BestEffort"] } })
    expect(causesOf(answer)).toEqual(['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'])
  })

  const taint = { key: "a", effect: "NoSchedule" }

  test.each([
    ["a taint twice", { taints: [taint, taint] }, /^metadata.taints\[1\]: Duplicate value/],
    ["a taint of no effect", { taints: [{ key: "a" }] }, /^metadata.taints\[0\].effect: Required value/],
    [
      "a taint of a strange effect",
      { taints: [{ key: "a", effect: "Maybe" }] },
      /^metadata.taints\[0\].effect: Unsupported value: "Maybe"/,
    ],
    ["a block that is none", { podCIDR: "10.0.0.0" }, /^spec.podCIDRs\[0\]: Invalid value: "10.0.0.0": must be a valid CIDR value/],
    ["a block whose address is none", { podCIDR: ":::/64" }, /^spec.podCIDRs\[0\]: Invalid value: ":::\/64": must be a valid CIDR value/],
    ["two blocks of one family", { podCIDRs: ["10.0.0.0/24", "10.0.1.0/24"] }, /no more than one CIDR for each IP family/],
  ])("a node with %s is refused", async (_what, spec, cause) => {
    const answer = await testServer().post("/api/v1/nodes", { metadata: { name: "n" }, spec })
    expect(answer.status).toBe(422)
    expect(causesOf(answer).join()).toMatch(cause)
  })

  test("what a node is given once stays", async () => {
    const api = testServer()
    await api.post("/api/v1/nodes", { metadata: { name: "n" } })
    const given = objectIn(await api.patch("/api/v1/nodes/n", "merge", { spec: { podCIDR: "10.0.0.0/24", providerID: "x://1" } }))
    expect(given.spec).toMatchObject({ podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] })
    const moved = await api.patch("/api/v1/nodes/n", "merge", {
      spec: { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.1.0/24"], providerID: "x://2" },
    })
    expect(causesOf(moved)).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ])
  })

  const volume = (spec: object) => ({
    metadata: { name: "v" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" }, ...spec },
  })

  test.each([
    ["of nothing", { hostPath: undefined }, "spec: Required value: must specify a volume type"],
    ["of two things", { nfs: { server: "s", path: "/" } }, "spec.nfs: Forbidden: may not specify more than 1 volume type"],
    ["without size", { capacity: {} }, "spec.capacity: Required value"],
    ["of size 0", { capacity: { storage: "0" } }, 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    ["without access modes", { accessModes: [] }, "spec.accessModes: Required value"],
    [
      "of a strange mode",
      { accessModes: ["Often"] },
      'spec.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
    [
      "for one pod and others",
      { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] },
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    ],
  ])("a volume %s is refused", async (_what, spec, cause) => {
    const answer = await testServer().post("/api/v1/persistentvolumes", volume(spec))
    expect(answer.status).toBe(422)
    expect(causesOf(answer)).toContain(cause)
  })

  test("a volume remembers when its phase last changed", async () => {
    const api = testServer()
    const since = async (phase: string) => {
      await api.clock.advance(60_000)
      return objectIn(await api.patch("/api/v1/persistentvolumes/v/status", "merge", { status: { phase } })).status?.lastPhaseTransitionTime
    }
    const made = objectIn(await api.post("/api/v1/persistentvolumes", volume({})), 201).status?.lastPhaseTransitionTime
    const [available, still, bound] = [await since("Available"), await since("Available"), await since("Bound")]
    expect(still).toBe(available)
    expect(new Set([made, available, bound]).size).toBe(3)
  })

  test("what a volume is made of does not change", async () => {
    const api = testServer()
    objectIn(await api.post("/api/v1/persistentvolumes", volume({})), 201)
    const answer = await api.patch("/api/v1/persistentvolumes/v", "merge", { spec: { hostPath: { path: "/b" } } })
    expect(causesOf(answer)).toEqual([
      `spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation
@@ -2,7 +2,7 @@
  "GCEPersistentDisk": null,
  "AWSElasticBlockStore": null,
  "HostPath": {
-  "Path": "/a",
+  "Path": "/b",
   "Type": ""
  },
  "Glusterfs": null,
`,
    ])
  })

  const zone = (key: string, value: string) => ({
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }] } },
  })

  test("where a volume can be used is said once, and the names of labels may become newer (seen)", async () => {
    const api = testServer()
    objectIn(await api.post("/api/v1/persistentvolumes", volume({})), 201)
    const change = (spec: object) => api.patch("/api/v1/persistentvolumes/v", "merge", { spec })
    objectIn(await change(zone("failure-domain.beta.kubernetes.io/zone", "a")))
    objectIn(await change(zone("topology.kubernetes.io/zone", "a")))
    const shown =
      '{"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"topology.kubernetes.io/zone","Operator":"In","Values":["b"]}],"MatchFields":null}]}}'
    const text = "field is immutable, except for updating from beta label to GA"
    expect(causesOf(await change(zone("topology.kubernetes.io/zone", "b")))).toEqual([`nodeAffinity: Invalid value: ${shown}: ${text}`])
    expect(causesOf(await change({ nodeAffinity: null }))).toEqual([`nodeAffinity: Invalid value: null: ${text}`])
  })

  const claims = `${core}/persistentvolumeclaims`
  const claim = {
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "s", resources: { requests: { storage: "2Gi" } } },
  }
  const ask = (storage: string) => ({ spec: { resources: { requests: { storage } } } })

  test("a claim asks for more when it is bound, and never for less than it has", async () => {
    const api = testServer()
    objectIn(
      await api.post("/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "grows" },
        provisioner: "p",
        allowVolumeExpansion: true,
      }),
      201,
    )
    objectIn(await api.post(claims, { ...claim, spec: { ...claim.spec, storageClassName: "grows" } }), 201)
    const immutable = /^spec: Forbidden: spec is immutable after creation/
    expect(causesOf(await api.patch(`${claims}/c`, "merge", ask("3Gi"))).join()).toMatch(immutable)
    await api.patch(`${claims}/c/status`, "merge", { status: { phase: "Bound", capacity: { storage: "2Gi" } } })
    objectIn(await api.patch(`${claims}/c`, "merge", ask("5Gi")))
    objectIn(await api.patch(`${claims}/c`, "merge", ask("4Gi")))
    const less = await api.patch(`${claims}/c`, "merge", ask("1Gi"))
    expect(causesOf(less)).toEqual(["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"])
    expect(causesOf(await api.patch(`${claims}/c`, "merge", { spec: { accessModes: ["ReadOnlyMany"] } })).join()).toMatch(immutable)
  })

  const jobs = "/apis/batch/v1/namespaces/default/jobs"
  const job = {
    metadata: { name: "j" },
    spec: { completions: 2, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
  }
  const is = (...types: string[]) => types.map((type) => ({ type, status: "True" }))
  const [startTime, completionTime] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]
  const done = { startTime, completionTime, succeeded: 2, conditions: is("SuccessCriteriaMet", "Complete") }

  const indexed = { completionMode: "Indexed", completions: 5, backoffLimitPerIndex: 1 }
  type StatusRow = [what: string, before: object, status: object, causes: readonly string[], spec?: object]

  test.each<StatusRow>([
    ["a Job that is done", {}, done, []],
    ["a Job that has failed", {}, { startTime, failed: 1, conditions: is("FailureTarget", "Failed") }, []],
    ["less than no pods", {}, { active: -1 }, ["status.active: Invalid value: -1: must be greater than or equal to 0"]],
    ["more ready than active", {}, { active: 1, ready: 2 }, ["status.ready: Invalid value: 2: cannot set more ready pods than active"]],
    [
      "done without its criteria",
      {},
      { startTime, completionTime, conditions: is("Complete") },
      ["status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition"],
    ],
    [
      "failed all at once",
      {},
      { startTime, conditions: is("Failed") },
      ["status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition"],
    ],
    [
      "done and not ended",
      {},
      { ...done, completionTime: undefined },
      ["status.completionTime: Required value: completionTime is required for Complete jobs"],
    ],
    [
      "done and never begun",
      {},
      { ...done, startTime: undefined },
      ["status.startTime: Required value: startTime is required for finished job"],
    ],
    ["done with pods that run", {}, { ...done, active: 1 }, ["status.active: Invalid value: 1: active>0 is invalid for finished job"]],
    [
      "done with pods that end",
      {},
      { ...done, terminating: 1 },
      ["status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"],
    ],
    [
      "ended before it began",
      {},
      { ...done, startTime: completionTime, completionTime: startTime },
      ['status.completionTime: Invalid value: "2026-01-01T00:00:00Z": must be equal to or after `startTime`'],
    ],
    ["fewer failures", { failed: 2 }, { failed: 1 }, ["status.failed: Invalid value: 1: cannot decrease the failed counter"]],
    ["fewer successes", { succeeded: 1 }, { succeeded: 0 }, ["status.succeeded: Invalid value: 0: cannot decrease the succeeded counter"]],
    [
      "another beginning",
      { startTime },
      { startTime: completionTime },
      ['status.startTime: Invalid value: "2026-01-01T00:01:00Z": field is immutable for unsuspended job once set'],
    ],
    [
      "done no more",
      done,
      { ...done, completionTime: null, conditions: null },
      [
        "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
        "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
      ],
    ],
    [
      "one pod twice",
      {},
      { uncountedTerminatedPods: { succeeded: ["a"], failed: ["a"] } },
      ['status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"'],
    ],
    ["indexes beside those that failed", { completedIndexes: "0,2-3", failedIndexes: "1" }, { completedIndexes: "0,2-4" }, [], indexed],
    [
      "an index that is done and failed",
      {},
      { completedIndexes: "0,2-3", failedIndexes: "1,3-4" },
      ['status.failedIndexes: Invalid value: "1,3-4": failedIndexes and completedIndexes overlap at index: 3'],
      indexed,
    ],
    ...[
      ["5", 'too large index: "5"'],
      ["0-9", 'too large index: "9"'],
      ["1,0", "non-increasing order, previous: 1, current: 0"],
      ["2-1", "non-increasing order, previous: 2, current: 1"],
      ["3-4,1", "non-increasing order, previous: 4, current: 1"],
      ["0-", 'cannot convert string to integer for index: ""'],
      ["a", 'cannot convert string to integer for index: "a"'],
      ["0-2-3", `the fragment "0-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`],
    ].map(
      ([text, fault]): StatusRow => [
        `indexes ${text} (seen)`,
        {},
        { completedIndexes: text },
        [`status.completedIndexes: Invalid value: "${text}": error parsing completedIndexes: ${fault}`],
        indexed,
      ],
    ),
    [
      "indexes of a Job without",
      {},
      { completedIndexes: "0" },
      ['status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode'],
    ],
  ])("the status of a Job: %s", async (_what, before, status, causes, spec = {}) => {
    const api = testServer()
    objectIn(await api.post(jobs, { ...job, spec: { ...job.spec, ...spec } }), 201)
    objectIn(await api.patch(`${jobs}/j/status`, "merge", { status: before }))
    const answer = await api.patch(`${jobs}/j/status`, "merge", { status })
    expect([answer.status, causesOf(answer)]).toEqual([causes.length === 0 ? 200 : 422, causes])
  })

  test("an autoscaler that says how it scales one way gets both", async () => {
    const api = testServer()
    const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" }
    const spec = { scaleTargetRef, maxReplicas: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } }
    const path = "namespaces/default/horizontalpodautoscalers"
    const made = objectIn(await api.post(`/apis/autoscaling/v2/${path}`, { metadata: { name: "h" }, spec }), 201)
    const policy = { type: "Percent", value: 100, periodSeconds: 15 }
    expect(made.spec?.behavior).toEqual({
      scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, policy] },
      scaleDown: { stabilizationWindowSeconds: 60, selectPolicy: "Max", policies: [policy] },
    })
    const old = objectIn(await api.get(`/apis/autoscaling/v1/${path}/h`))
    objectIn(await api.put(`/apis/autoscaling/v1/${path}/h`, { ...old, spec: { ...old.spec, maxReplicas: 5 } }))
    expect(objectIn(await api.get(`/apis/autoscaling/v2/${path}/h`)).spec).toMatchObject({ maxReplicas: 5, behavior: made.spec?.behavior })
  })
})
