import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const pod = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
})
const withPlugins = (...enable: string[]) => testServer("in process", { admission: { enable } })

describe("RuntimeClass", () => {
  const vm = {
    metadata: { name: "vm" },
    handler: "vm",
    overhead: { podFixed: { cpu: "250m" } },
    scheduling: { nodeSelector: { vm: "yes" }, tolerations: [{ key: "vm", operator: "Exists" }] },
  }
  const withClass = async () => {
    const api = testServer()
    objectIn(await api.post("/apis/node.k8s.io/v1/runtimeclasses", vm), 201)
    return api
  }

  test("gives a pod the overhead, the selector and the tolerations of its class", async () => {
    const api = await withClass()
    const spec = {
      runtimeClassName: "vm",
      overhead: { cpu: "0.25" },
      nodeSelector: { zone: "a" },
      tolerations: [{ key: "vm", operator: "Exists", effect: "NoSchedule" }],
    }
    expect(objectIn(await api.post(`${core}/pods`, pod(spec)), 201).spec).toMatchObject({
      overhead: { cpu: "250m" },
      nodeSelector: { zone: "a", vm: "yes" },
      tolerations: [{}, {}, { key: "vm", operator: "Exists" }],
    })
  })

  test.each([
    ["a class that is not there", { runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [
      "another overhead",
      { runtimeClassName: "vm", overhead: { cpu: "1" } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      "an overhead without a class",
      { overhead: { cpu: "1" } },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
    [
      "another value of a selected label",
      { runtimeClassName: "vm", nodeSelector: { vm: "no" } },
      "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no",
    ],
  ])("refuses %s", async (_what, spec, why) => {
    expect(statusIn(await (await withClass()).post(`${core}/pods`, pod(spec)))).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: ${why}`,
    })
  })
})

test("DefaultIngressClass gives an Ingress the newest default class", async () => {
  const api = testServer()
  const ingresses = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
  const marked = (name: string) => ({
    metadata: { name, annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
    spec: { controller: "example.com/c" },
  })
  const ingress = (name: string, more: object = {}) => ({
    metadata: { name, ...more },
    spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
  })
  expect(objectIn(await api.post(ingresses, ingress("none")), 201).spec).not.toHaveProperty("ingressClassName")
  objectIn(await api.post("/apis/networking.k8s.io/v1/ingressclasses", marked("old")), 201)
  await api.clock.advance("1m")
  objectIn(await api.post("/apis/networking.k8s.io/v1/ingressclasses", marked("new")), 201)
  expect(objectIn(await api.post(ingresses, ingress("a")), 201).spec).toMatchObject({ ingressClassName: "new" })
  const annotated = ingress("b", { annotations: { "kubernetes.io/ingress.class": "x" } })
  expect(objectIn(await api.post(ingresses, annotated), 201).spec).not.toHaveProperty("ingressClassName")
})

test("PodTopologyLabels copies region and zone of the node to a pod that is bound to it", async () => {
  const api = testServer()
  const labels = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r", other: "x" }
  objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n", labels } }), 201)
  objectIn(await api.post(`${core}/pods`, pod()), 201)
  const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } }
  expect((await api.post(`${core}/pods/p/binding`, binding)).status).toBe(201)
  const expected = { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" }
  expect(objectIn(await api.get(`${core}/pods/p`)).metadata.labels).toEqual(expected)
  expect(objectIn(await api.post(`${core}/pods`, pod({ nodeName: "n" }, { name: "q" })), 201).metadata.labels).toEqual(expected)
})

describe("resizing a pod", () => {
  const sized = (cpu: string) => ({ containers: [{ name: "c", image: "i", resources: { requests: { cpu }, limits: { cpu } } }] })
  const onNode = async (labels: object = {}) => {
    const api = testServer()
    objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n", labels } }), 201)
    objectIn(await api.patch("/api/v1/nodes/n/status", "merge", { status: { allocatable: { cpu: "2" } } }))
    objectIn(await api.post(`${core}/pods`, pod({ ...sized("1"), nodeName: "n" })), 201)
    return api
  }

  test("PodResizeValidator refuses more than the node has", async () => {
    const api = await onNode()
    objectIn(await api.patch(`${core}/pods/p/resize`, "strategic", { spec: sized("2") }))
    expect(statusIn(await api.patch(`${core}/pods/p/resize`, "strategic", { spec: sized("3") }))).toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3000, allocatable: 2000',
      details: { causes: [{ reason: "NodeCapacity" }] },
    })
  })

  test("PodResizeValidator refuses it on another platform", async () => {
    const api = await onNode({ "kubernetes.io/os": "windows" })
    expect(statusIn(await api.patch(`${core}/pods/p/resize`, "strategic", { spec: sized("2") })).message).toBe(
      'pods "p" is forbidden: pod resize is only supported on linux nodes, node "n" is "windows"',
    )
  })
})

describe("AlwaysPullImages", () => {
  test("sets the policy of every container and image volume", async () => {
    const api = withPlugins("AlwaysPullImages")
    const spec = {
      initContainers: [{ name: "i", image: "i", imagePullPolicy: "Never" }],
      volumes: [{ name: "v", image: { reference: "r" } }],
    }
    expect(objectIn(await api.post(`${core}/pods`, pod(spec)), 201).spec).toMatchObject({
      initContainers: [{ imagePullPolicy: "Always" }],
      containers: [{ imagePullPolicy: "Always" }],
      volumes: [{ image: { pullPolicy: "Always" } }],
    })
  })
})

test("AlwaysAdmit changes nothing, and AlwaysDeny refuses every write", async () => {
  objectIn(await withPlugins("AlwaysAdmit").post(`${core}/pods`, pod()), 201)
  expect(statusIn(await withPlugins("AlwaysDeny").post(`${core}/pods`, pod()))).toMatchObject({
    code: 403,
    message: 'pods "p" is forbidden: admission control is denying all modifications',
  })
})

test("DenyServiceExternalIPs refuses new external addresses, and keeps those that are there", async () => {
  const service = { metadata: { name: "s" }, spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.1"] } }
  expect(statusIn(await withPlugins("DenyServiceExternalIPs").post(`${core}/services`, service))).toMatchObject({
    code: 403,
    message: 'services "s" is forbidden: Use of external IPs is denied by admission control',
  })
})

test("LimitPodHardAntiAffinityTopology allows anti-affinity by hostname alone", async () => {
  const api = withPlugins("LimitPodHardAntiAffinityTopology")
  const apart = (topologyKey: string) => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: {} }] } },
  })
  objectIn(await api.post(`${core}/pods`, pod(apart("kubernetes.io/hostname"), { name: "q" })), 201)
  expect(statusIn(await api.post(`${core}/pods`, pod(apart("zone")))).message).toBe(
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  )
})

test("ExtendedResourceToleration tolerates the taints of what a pod requests", async () => {
  const api = withPlugins("ExtendedResourceToleration")
  const requests = { "example.com/b": "1", "example.com/a": "1", cpu: "1" }
  const spec = { containers: [{ name: "c", image: "i", resources: { requests, limits: requests } }] }
  const tolerations = ["example.com/a", "example.com/b"].map((key) => ({ key, operator: "Exists", effect: "NoSchedule" }))
  expect(objectIn(await api.post(`${core}/pods`, pod(spec)), 201).spec?.tolerations).toEqual(expect.arrayContaining(tolerations))
})

describe("namespaces", () => {
  test("NamespaceAutoProvision creates the namespace of a new object", async () => {
    const api = withPlugins("NamespaceAutoProvision")
    objectIn(await api.post("/api/v1/namespaces/fresh/configmaps", { metadata: { name: "c" } }), 201)
    expect(objectIn(await api.get("/api/v1/namespaces/fresh"))).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "fresh" } },
      status: { phase: "Active" },
    })
  })

  test("NamespaceExists refuses what is in none", async () => {
    const api = testServer("in process", { admission: { enable: ["NamespaceExists"], disable: ["NamespaceLifecycle"] } })
    expect(statusIn(await api.post("/api/v1/namespaces/none/configmaps", { metadata: { name: "c" } }))).toMatchObject({
      code: 404,
      message: 'namespaces "none" not found',
    })
  })
})

describe("PodNodeSelector", () => {
  const selected = async (selector: string, configuration: Readonly<Record<string, string>> = {}) => {
    const api = testServer("in process", { admission: { enable: ["PodNodeSelector"], configuration: { PodNodeSelector: configuration } } })
    const annotations = { "scheduler.alpha.kubernetes.io/node-selector": selector }
    objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "team", annotations } }), 201)
    return api
  }
  const pods = "/api/v1/namespaces/team/pods"

  test("adds the selector of the namespace, and refuses what contradicts it", async () => {
    const api = await selected("env=test, tier=a")
    expect(objectIn(await api.post(pods, pod({ nodeSelector: { own: "x" } })), 201).spec).toMatchObject({
      nodeSelector: { env: "test", tier: "a", own: "x" },
    })
    expect(statusIn(await api.post(pods, pod({ nodeSelector: { env: "prod" } }))).message).toBe(
      'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    )
  })

  test("holds pods to the labels that a configuration allows their namespace", async () => {
    const api = await selected("env=test", { team: "env=test" })
    expect(statusIn(await api.post(pods, pod({ nodeSelector: { other: "x" } }))).message).toBe(
      'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    )
  })
})

describe("PodTolerationRestriction", () => {
  const annotated = async (annotations: Readonly<Record<string, string>>) => {
    const api = withPlugins("PodTolerationRestriction")
    objectIn(await api.post("/api/v1/namespaces", { metadata: { name: "team", annotations } }), 201)
    return api
  }
  const pods = "/api/v1/namespaces/team/pods"

  test("adds the tolerations of the namespace", async () => {
    const added = { key: "team", operator: "Exists" }
    const api = await annotated({ "scheduler.alpha.kubernetes.io/defaultTolerations": JSON.stringify([added]) })
    expect(objectIn(await api.post(pods, pod()), 201).spec?.tolerations).toContainEqual(added)
  })

  test("refuses those that the namespace does not allow", async () => {
    const api = await annotated({ "scheduler.alpha.kubernetes.io/tolerationsWhitelist": '[{"key":"team","operator":"Exists"}]' })
    expect(statusIn(await api.post(pods, pod({ tolerations: [{ key: "other", operator: "Exists" }] })))).toMatchObject({
      code: 500,
      message: "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist",
    })
  })
})

test("EventRateLimit admits a burst, and then as many as its rate allows", async () => {
  const EventRateLimit = [{ type: "Namespace", qps: 1, burst: 2 }] as const
  const api = testServer("in process", { admission: { enable: ["EventRateLimit"], configuration: { EventRateLimit } } })
  const post = (name: string, namespace = "default") =>
    api.post(`/api/v1/namespaces/${namespace}/events`, { metadata: { name, namespace }, involvedObject: { namespace } })
  objectIn(await post("a"), 201)
  objectIn(await post("b"), 201)
  expect(statusIn(await post("c"))).toMatchObject({ code: 429, message: "limit reached on type Namespace for key default" })
  objectIn(await post("d", "kube-system"), 201)
  await api.clock.advance("1s")
  objectIn(await post("c"), 201)
})

test.each([
  ["/api/v1/namespaces/default/events", (name: string) => ({ involvedObject: { namespace: "default", name } })],
  [
    "/apis/events.k8s.io/v1/namespaces/default/events",
    (name: string) => ({
      regarding: { namespace: "default", name },
      eventTime: "2026-01-02T03:04:05.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
    }),
  ],
])("EventRateLimit counts the Events of each object: %s", async (path, about) => {
  const EventRateLimit = [{ type: "SourceAndObject", qps: 1, burst: 1 }] as const
  const api = testServer("in process", { admission: { enable: ["EventRateLimit"], configuration: { EventRateLimit } } })
  const post = (name: string, object: string) => api.post(path, { metadata: { name }, ...about(object) })
  objectIn(await post("a", "one"), 201)
  objectIn(await post("b", "two"), 201)
  expect(statusIn(await post("c", "one"))).toMatchObject({ code: 429 })
})

describe("OwnerReferencesPermissionEnforcement", () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u", blockOwnerDeletion: true }
  const may = (...allowed: readonly string[]) => ({
    authorize: (_who: unknown, what: object) => ({ allowed: allowed.includes(Object.values(what).slice(0, 1).join("")), reason: "no" }),
    rules: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  })
  const as = (authorizer: ReturnType<typeof may>) =>
    testServer("in process", { admission: { enable: ["OwnerReferencesPermissionEnforcement"] }, authorizer })

  test("a user who may not set finalizers of the owner cannot block its deletion", async () => {
    const api = as(may("create"))
    expect(statusIn(await api.post(`${core}/configmaps`, { metadata: { name: "c", ownerReferences: [owner] } }))).toMatchObject({
      code: 403,
      message:
        'configmaps "c" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: no, <nil>',
    })
  })

  test("a user who may not delete an object cannot change its owners", async () => {
    const api = as(may("create", "patch"))
    objectIn(await api.post(`${core}/configmaps`, { metadata: { name: "c" } }), 201)
    const changed = await api.patch(`${core}/configmaps/c`, "merge", {
      metadata: { ownerReferences: [{ ...owner, blockOwnerDeletion: false }] },
    })
    expect(statusIn(changed).message).toBe('configmaps "c" is forbidden: cannot set an ownerRef on a resource you can\'t delete: no, <nil>')
  })
})
