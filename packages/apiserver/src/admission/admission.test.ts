import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"
const pod = (spec = {}) => ({ metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...spec } })

everyWay("admission", (testServer) => {
  test("Priority turns a class into a number, and refuses one that is not there", async () => {
    const api = testServer()
    await api.post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "high" }, value: 7 })
    expect(objectIn(await api.post(pods, pod({ priorityClassName: "high" })), 201).spec).toMatchObject({
      priority: 7,
      preemptionPolicy: "PreemptLowerPriority",
    })
    expect(statusIn(await api.post(pods, pod({ priorityClassName: "none" })))).toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: no PriorityClass with name none was found',
    })
  })

  test("a pod without a class has priority 0, or that of the global default class", async () => {
    const api = testServer()
    expect(objectIn(await api.post(pods, pod()), 201).spec).toMatchObject({ priority: 0 })
    await api.delete(`${pods}/p`)
    await api.post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "usual" }, value: 3, globalDefault: true })
    expect(objectIn(await api.post(pods, pod()), 201).spec).toMatchObject({ priority: 3, priorityClassName: "usual" })
  })

  test("a second global default class is refused (seen)", async () => {
    const api = testServer()
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    const make = (name: string) => api.post(classes, { metadata: { name }, value: 1, globalDefault: true })
    objectIn(await make("a"), 201)
    const message =
      'priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist'
    expect(statusIn(await make("b"))).toMatchObject({ code: 403, message })
    objectIn(await api.patch(`${classes}/a`, "merge", { description: "still the one" }))
    await api.delete(`${classes}/a`)
    objectIn(await make("b"), 201)
  })

  test("DefaultTolerationSeconds lets a pod stay five minutes on a lost node, unless it says itself", async () => {
    const api = testServer()
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }
    const { spec } = objectIn(await api.post(pods, pod({ tolerations: [own] })), 201)
    expect(spec?.tolerations).toEqual([own, { ...own, key: "node.kubernetes.io/unreachable", tolerationSeconds: 300 }])
  })

  test("DefaultStorageClass gives a claim the default class, and none to one that says none", async () => {
    const api = testServer()
    const claims = "/api/v1/namespaces/default/persistentvolumeclaims"
    const claim = (name: string, more = {}) => ({
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
    })
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" }
    await api.post("/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "fast", annotations }, provisioner: "p" })
    expect(objectIn(await api.post(claims, claim("a")), 201).spec).toMatchObject({ storageClassName: "fast" })
    expect(objectIn(await api.post(claims, claim("b", { storageClassName: "" })), 201).spec).toMatchObject({ storageClassName: "" })
  })
})
