import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"
const pod = (spec: object = {}, metadata: object = {}) => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
})

everyWay("LimitRanger", (testServer) => {
  const withRange = async (item: object) => {
    const api = testServer()
    objectIn(await api.post(`${core}/limitranges`, { metadata: { name: "r" }, spec: { limits: [item] } }), 201)
    return api
  }
  const init = (resources: object) => pod({ initContainers: [{ name: "i", image: "i", resources }] })

  test("gives init containers the same, and holds them to it", async () => {
    const api = await withRange({ type: "Container", default: { cpu: "1" }, max: { cpu: "2" } })
    expect(objectIn(await api.post(`${core}/pods`, init({})), 201).spec?.initContainers).toMatchObject([
      { resources: { limits: { cpu: "1" } } },
    ])
    expect(statusIn(await api.post(`${core}/pods`, { ...init({ limits: { cpu: "3" } }), metadata: { name: "q" } }))).toMatchObject({
      code: 403,
      message: 'pods "q" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
    })
  })

  test.each([
    [{ requests: { cpu: "0" }, limits: { cpu: "1" } }, "but no request is specified or request is 0"],
    [{ requests: { cpu: "1" } }, "but no limit is specified or limit is 0"],
  ])("has no ratio of nothing: %j", async (resources, why) => {
    const api = await withRange({ type: "Container", maxLimitRequestRatio: { cpu: "2" } })
    expect(statusIn(await api.post(`${core}/pods`, pod({ containers: [{ name: "c", image: "i", resources }] })))).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: cpu max limit to request ratio per Container is 2, ${why}`,
    })
  })

  test("says all that is wrong at once", async () => {
    const api = await withRange({ type: "Pod", max: { cpu: "1", memory: "1Mi" } })
    expect(statusIn(await api.post(`${core}/pods`, pod())).message).toBe(
      'pods "p" is forbidden: [maximum cpu usage per Pod is 1.  No limit is specified, maximum memory usage per Pod is 1Mi.  No limit is specified]',
    )
  })

  test("looks at a pod again when it is resized, and not when it is otherwise changed", async () => {
    const api = await withRange({ type: "Container", max: { cpu: "2" } })
    const sized = (cpu: string) => [{ name: "c", image: "i", resources: { limits: { cpu }, requests: { cpu } } }]
    objectIn(await api.post(`${core}/pods`, pod({ containers: sized("1") })), 201)
    expect(statusIn(await api.patch(`${core}/pods/p/resize`, "strategic", { spec: { containers: sized("3") } }))).toMatchObject({
      code: 403,
      message: expect.stringContaining("maximum cpu usage per Container is 2, but limit is 3"),
    })
    objectIn(await api.patch(`${core}/limitranges/r`, "merge", { spec: { limits: [{ type: "Container", max: { cpu: "100m" } }] } }))
    objectIn(await api.patch(`${core}/pods/p`, "merge", { metadata: { labels: { a: "b" } } }))
  })
})

everyWay("ServiceAccount", (testServer) => {
  const withAccount = async (account: object = {}) => {
    const api = testServer({ admission: { enable: ["ServiceAccount"] } })
    objectIn(await api.post(`${core}/serviceaccounts`, { metadata: { name: "default" }, ...account }), 201)
    return api
  }
  const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } }

  test("leaves a container alone that has something there", async () => {
    const api = await withAccount()
    const own = { name: "own", mountPath: tokenPath }
    const spec = { volumes: [{ name: "own", emptyDir: {} }], containers: [{ name: "c", image: "i", volumeMounts: [own] }] }
    const made = objectIn(await api.post(`${core}/pods`, pod(spec)), 201).spec
    expect(made?.volumes).toHaveLength(1)
    expect(made?.containers).toMatchObject([{ volumeMounts: [own] }])
  })

  test("mounts nothing where the account does not want it, unless the pod does", async () => {
    const api = await withAccount({ automountServiceAccountToken: false })
    expect(objectIn(await api.post(`${core}/pods`, pod()), 201).spec?.volumes).toBeUndefined()
    const wanted = pod({ automountServiceAccountToken: true }, { name: "q" })
    expect(objectIn(await api.post(`${core}/pods`, wanted), 201).spec?.volumes).toHaveLength(1)
  })

  test("leaves a pod the secrets that it pulls images with", async () => {
    const api = await withAccount({ imagePullSecrets: [{ name: "s" }] })
    const imagePullSecrets = [{ name: "own" }]
    expect(objectIn(await api.post(`${core}/pods`, pod({ imagePullSecrets })), 201).spec).toMatchObject({ imagePullSecrets })
  })

  test("gives a mirror pod nothing", async () => {
    const made = objectIn(await (await withAccount()).post(`${core}/pods`, pod({ nodeName: "n" }, mirror)), 201).spec
    expect(made).not.toHaveProperty("serviceAccountName")
    expect(made).not.toHaveProperty("volumes")
  })

  test.each([
    ["a label of nodes", { nodeSelector: { secret: "x", secretName: "y" } }],
    ["no secrets to pull images with", { imagePullSecrets: [] }],
    ["attributes of a driver", { volumes: [{ name: "v", csi: { driver: "file.csi.azure.com", volumeAttributes: { secretName: "s" } } }] }],
  ])("a mirror pod may name %s: that is no secret of the API's", async (_what, spec) => {
    objectIn(await (await withAccount()).post(`${core}/pods`, pod({ nodeName: "n", ...spec }, mirror)), 201)
  })

  test.each([
    ["reference service accounts", { serviceAccountName: "default" }],
    ["reference secrets", { imagePullSecrets: [{ name: "s" }] }],
    ["reference secrets", { volumes: [{ name: "v", secret: { secretName: "s" } }] }],
    ["reference secrets", { containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "s" } }] }] }],
    [
      "use ServiceAccountToken volume projections",
      { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] },
    ],
  ])("a mirror pod may not %s: %j", async (what, spec) => {
    expect(statusIn(await (await withAccount()).post(`${core}/pods`, pod({ nodeName: "n", ...spec }, mirror)))).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: a mirror pod may not ${what}`,
    })
  })
})

everyWay("other plugins", (testServer) => {
  test("TaintNodesByCondition taints a node once", async () => {
    const api = testServer({ admission: { enable: ["TaintNodesByCondition"] } })
    const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]
    expect(objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n" }, spec: { taints } }), 201).spec).toEqual({ taints })
  })

  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses"

  test("Priority: what a pod says of itself must be what its class says", async () => {
    const api = testServer()
    objectIn(await api.post(classes, { metadata: { name: "high" }, value: 7, preemptionPolicy: "Never" }), 201)
    const why = "must not be provided in pod spec; priority admission controller computed"
    const refused = async (spec: object) => statusIn(await api.post(`${core}/pods`, pod(spec)))
    expect(await refused({ priority: 3 })).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: the integer value of priority (3) ${why} 0 from the given PriorityClass name`,
    })
    expect(await refused({ preemptionPolicy: "Never" })).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: the string value of PreemptionPolicy (Never) ${why} PreemptLowerPriority from the given PriorityClass name`,
    })
    const same = { priorityClassName: "high", priority: 7, preemptionPolicy: "Never" }
    expect(objectIn(await api.post(`${core}/pods`, pod(same)), 201).spec).toMatchObject(same)
    expect(objectIn(await api.post(`${core}/pods`, pod({}, { name: "q" })), 201).spec).toMatchObject({
      priority: 0,
      preemptionPolicy: "PreemptLowerPriority",
    })
  })

  test("Priority: a client that leaves the number out does not take it away", async () => {
    const api = testServer()
    const { spec = {}, ...made } = objectIn(await api.post(`${core}/pods`, pod()), 201)
    const { priority: _priority, preemptionPolicy: _policy, ...unsaid } = spec
    expect(objectIn(await api.put(`${core}/pods/p`, { ...made, spec: unsaid })).spec).toEqual(spec)
  })

  test("DefaultTolerationSeconds adds nothing to a pod that tolerates everything", async () => {
    const api = testServer()
    const tolerations = [{ operator: "Exists" }]
    expect(objectIn(await api.post(`${core}/pods`, pod({ tolerations })), 201).spec).toMatchObject({ tolerations })
    const other = [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoSchedule" }]
    expect(objectIn(await api.post(`${core}/pods`, pod({ tolerations: other }, { name: "q" })), 201).spec?.tolerations).toHaveLength(3)
  })

  test("DefaultTolerationSeconds gives a pod back what an update leaves out", async () => {
    const api = testServer()
    const { spec = {}, ...made } = objectIn(await api.post(`${core}/pods`, pod()), 201)
    const { tolerations, ...unsaid } = spec
    expect(objectIn(await api.put(`${core}/pods/p`, { ...made, spec: unsaid })).spec).toMatchObject({ tolerations })
  })

  test("DefaultStorageClass: of two the newer, and none for a claim that wants none", async () => {
    const api = testServer()
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" }
    const make = (name: string) => api.post("/apis/storage.k8s.io/v1/storageclasses", { metadata: { name, annotations }, provisioner: "x" })
    objectIn(await make("a"), 201)
    await api.clock.advance("1m")
    objectIn(await make("b"), 201)
    const claim = async (name: string, more: object = {}) => {
      const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more }
      return objectIn(await api.post(`${core}/persistentvolumeclaims`, { metadata: { name }, spec }), 201).spec?.storageClassName
    }
    expect([await claim("x"), await claim("y", { storageClassName: "" }), await claim("z", { storageClassName: "a" })]).toEqual([
      "b",
      "",
      "a",
    ])
  })
})
