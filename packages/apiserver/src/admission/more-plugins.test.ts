import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../testing/server.ts"

const core = "/api/v1/namespaces/default"
const pod = (resources = {}, spec = {}) => ({
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i", resources }], ...spec },
})
everyWay("plugins", (testServer) => {
  const withRange = async (item: object) => {
    const api = testServer()
    objectIn(await api.post(`${core}/limitranges`, { metadata: { name: "r" }, spec: { limits: [item] } }), 201)
    return api
  }

  test("LimitRanger gives a container what its namespace has for those who do not say, and says so", async () => {
    const api = await withRange({ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m", memory: "64Mi" } })
    const made = objectIn(await api.post(`${core}/pods`, pod()), 201)
    expect(made.spec?.containers).toMatchObject([{ resources: { limits: { cpu: "500m" }, requests: { cpu: "100m", memory: "64Mi" } } }])
    expect(made.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c",
    })
  })

  test.each([
    ["too little", { min: { cpu: "100m" } }, { requests: { cpu: "50m" } }, "minimum cpu usage per Pod is 100m, but request is 50m"],
    ["nothing where a minimum is", { min: { cpu: "100m" } }, {}, "minimum cpu usage per Pod is 100m.  No request is specified"],
    ["too much", { max: { cpu: "1" } }, { limits: { cpu: "2" } }, "maximum cpu usage per Pod is 1, but limit is 2"],
    ["no bound where a maximum is", { max: { cpu: "1" } }, {}, "maximum cpu usage per Pod is 1.  No limit is specified"],
    [
      "a limit far above the request",
      { maxLimitRequestRatio: { cpu: "2" } },
      { requests: { cpu: "1" }, limits: { cpu: "3" } },
      "cpu max limit to request ratio per Pod is 2, but provided ratio is 3.000000",
    ],
  ])("LimitRanger refuses %s", async (_what, item, resources, why) => {
    const api = await withRange({ type: "Pod", ...item })
    expect(statusIn(await api.post(`${core}/pods`, pod(resources)))).toMatchObject({ code: 403, message: `pods "p" is forbidden: ${why}` })
  })

  test("LimitRanger looks at claims too", async () => {
    const api = await withRange({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } })
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } }
    expect(statusIn(await api.post(`${core}/persistentvolumeclaims`, { metadata: { name: "d" }, spec }))).toMatchObject({
      code: 403,
      message: 'persistentvolumeclaims "d" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    })
  })

  test("ServiceAccount refuses a pod whose account is not there", async () => {
    const api = testServer({ admission: { enable: ["ServiceAccount"] } })
    expect(statusIn(await api.post(`${core}/pods`, pod()))).toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    })
  })

  test("ServiceAccount puts the token where clients look for it", async () => {
    const api = testServer({ admission: { enable: ["ServiceAccount"] } })
    await api.post(`${core}/serviceaccounts`, { metadata: { name: "default" }, imagePullSecrets: [{ name: "s" }] })
    const { spec } = objectIn(await api.post(`${core}/pods`, pod()), 201)
    const name = expect.stringMatching(/^kube-api-access-.{5}$/)
    expect(spec).toMatchObject({
      serviceAccountName: "default",
      imagePullSecrets: [{ name: "s" }],
      volumes: [{ name, projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }, {}, {}] } }],
      containers: [{ volumeMounts: [{ name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }] }],
    })
  })

  test("ServiceAccount mounts nothing where the pod does not want it", async () => {
    const api = testServer({ admission: { enable: ["ServiceAccount"] } })
    await api.post(`${core}/serviceaccounts`, { metadata: { name: "default" } })
    const { spec } = objectIn(await api.post(`${core}/pods`, pod({}, { automountServiceAccountToken: false })), 201)
    expect(spec?.volumes).toBeUndefined()
  })

  test("TaintNodesByCondition keeps pods off a new node, where it is switched on", async () => {
    const api = testServer({ admission: { enable: ["TaintNodesByCondition"] } })
    const taints = [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]
    expect(objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n" } }), 201).spec).toEqual({ taints })
    expect(objectIn(await testServer().post("/api/v1/nodes", { metadata: { name: "n" } }), 201).spec?.taints).toBeUndefined()
  })

  test("StorageObjectInUseProtection keeps claims and volumes while they are used, where it is switched on", async () => {
    const api = testServer({ admission: { enable: ["StorageObjectInUseProtection"] } })
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } }
    const { metadata } = objectIn(await api.post(`${core}/persistentvolumeclaims`, { metadata: { name: "d" }, spec }), 201)
    expect(metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"])
    const volume = { accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" }, hostPath: { path: "/x" } }
    const kept = objectIn(await api.post("/api/v1/persistentvolumes", { metadata: { name: "v", finalizers: ["a/b"] }, spec: volume }), 201)
    expect(kept.metadata.finalizers).toEqual(["a/b", "kubernetes.io/pv-protection"])
  })

  test("StorageObjectInUseProtection keeps a VolumeAttributesClass likewise, where it is switched on (seen)", async () => {
    const classes = "/apis/storage.k8s.io/v1/volumeattributesclasses"
    const gold = { metadata: { name: "gold" }, driverName: "d", parameters: { iops: "9" } }
    const api = testServer({ admission: { enable: ["StorageObjectInUseProtection"] } })
    expect(objectIn(await api.post(classes, gold), 201).metadata.finalizers).toEqual(["kubernetes.io/vac-protection"])
    expect(objectIn(await api.delete(`${classes}/gold`)).metadata.deletionTimestamp).toBeDefined()
    expect((await api.get(`${classes}/gold`)).status).toBe(200)
    objectIn(await api.patch(`${classes}/gold`, "merge", { metadata: { finalizers: null } }))
    expect((await api.get(`${classes}/gold`)).status).toBe(404)
    expect(objectIn(await testServer().post(classes, gold), 201).metadata.finalizers).toBeUndefined()
  })

  test("a claim grows where its class lets it, and not before it is bound (seen)", async () => {
    const api = testServer({ admission: { disable: ["LimitRanger"] } })
    const [claim, classes] = [`${core}/persistentvolumeclaims/g`, "/apis/storage.k8s.io/v1/storageclasses"]
    const ask = (storage: string) => api.patch(claim, "merge", { spec: { resources: { requests: { storage } } } })
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "s" }
    objectIn(await api.post(`${core}/persistentvolumeclaims`, { metadata: { name: "g" }, spec }), 201)
    expect(statusIn(await ask("2Gi"))).toMatchObject({ code: 422 })
    objectIn(await api.patch(`${claim}/status`, "merge", { status: { phase: "Bound", capacity: { storage: "1Gi" } } }))
    const refused = {
      code: 403,
      message:
        'persistentvolumeclaims "g" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    }
    expect(statusIn(await ask("2Gi"))).toMatchObject(refused)
    objectIn(await api.post(classes, { metadata: { name: "s" }, provisioner: "p" }), 201)
    expect(statusIn(await ask("2Gi"))).toMatchObject(refused)
    objectIn(await api.patch(`${classes}/s`, "merge", { allowVolumeExpansion: true }))
    objectIn(await ask("3Gi"))
    objectIn(await ask("2Gi"))
    expect(statusIn(await ask("1Gi")).message).toContain("field can not be less than status.capacity")
  })

  test("a plugin can be switched off", async () => {
    const api = testServer({ admission: { disable: ["DefaultTolerationSeconds"] } })
    expect(objectIn(await api.post(`${core}/pods`, pod()), 201).spec?.tolerations).toBeUndefined()
  })
})

test.each([
  [{ enable: ["Nope"] }, /enable-admission-plugins plugin "Nope" is unknown/],
  [{ enable: ["Priority"], disable: ["Priority"] }, /\[Priority\] in enable-admission-plugins and disable-admission-plugins overlapped/],
])("%o is refused at the start", (admission, message) => {
  expect(() => testServer("in process", { admission })).toThrow(message)
})
